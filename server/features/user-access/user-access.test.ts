/** Revoking all access of users who leave (rules/resources.md#leaving). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import {
  getUserAccessRevocation,
  type RevocationPreview,
  revokeUserAccess,
  type UserAccessRevocation,
} from '#contract/users/user-access.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { generateToken, verifyToken } from '#contract/users/user-tokens.ts'
import { addUsers, getUsers } from '#contract/users/users.ts'
import { ROWS_MAX } from '#tenancy/user-jobs/statements.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { eventsDuring, eventsOf } from '../../../test/conformance/support/events.ts'
import { refused, refusedField, withoutRequestId } from '../../../test/conformance/support/refused.ts'

const FUTURE = 2_000_000_000

const server = await startServer()
let key: Client
beforeEach(async () => {
  key = await server.newKey()
})

const addUser = (organizationId: string, userId: string, more: object = {}) =>
  key.call(addUsers, { organizationId, users: [{ userId, ...more }] })
const grant = (organizationId: string, userId: string, id: string, more: object = {}) =>
  key.call(addPermissions, {
    user: { userId },
    permissions: { resources: [{ type: 'document', id, organizationId, accessRole: 'viewer', ...more }] },
  })
async function addToGroup(organizationId: string, groupId: string, userId: string): Promise<void> {
  await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId, groupName: `The ${groupId}` }] })
  await key.call(addUserGroupUsers, { organizationId, organizationUserGroupId: groupId, userIds: [userId] })
}
const grantToGroup = (organizationId: string, groupId: string, id: string) =>
  key.call(addPermissions, {
    group: { organizationId, groupId },
    permissions: { resources: [{ type: 'document', id }] },
  })

/** Waits for the end of a job. */
const finished = (jobId: string): Promise<UserAccessRevocation> =>
  eventually('end of the job', async () => {
    const status = await key.call(getUserAccessRevocation, { jobId })
    if (status.status === 'completed') return status
    assert.ok(status.tasksLeft > 0)
    return undefined
  })

async function revoke(...userIds: string[]): Promise<UserAccessRevocation> {
  const { jobId = '' } = await key.call(revokeUserAccess, { userIds })
  return finished(jobId)
}

/** Reads all pages of a dry run. */
async function previewPages(userIds: readonly string[]): Promise<RevocationPreview[]> {
  const pages: RevocationPreview[] = []
  for await (const { data } of pagesOf((pageToken) =>
    key.post(revokeUserAccess.path, { userIds, dryRun: true, pageToken }),
  ))
    pages.push(data.preview)
  return pages
}

async function preview(...userIds: string[]): Promise<RevocationPreview> {
  const [page, ...others] = await previewPages(userIds)
  assert.deepEqual(others, [])
  return page ?? assert.fail('no page')
}

async function reasons(organizationId: string, userId: string, ...ids: string[]): Promise<string[]> {
  const { checks } = await key.call(checkPermissions, {
    checks: ids.map((id) => ({ userId, resource: { type: 'document' as const, id, organizationId } })),
  })
  return checks.map(({ reason }) => reason)
}

async function membersOf(organizationId: string): Promise<[string, string][]> {
  const { body } = await key.post(getUsers.path, { organizationId })
  return body.result.data.map(({ userId, name }: { userId: string; name: string }) => [userId, name])
}

const restricted = () => key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })

const NOTHING = {
  disabled: false,
  organizations: 0,
  grants: 0,
  temporaryGrants: 0,
  userGroups: 0,
  hasMore: false,
  firstOrganizations: [],
  firstGrants: [],
  firstUserGroups: [],
}

describe('user-access.revoke', () => {
  it('returns at once with a jobId and the number of tasks', async () => {
    assert.equal((await key.call(revokeUserAccess, { userIds: ['ada'] })).tasksCount, 1)
    const organizations = ['a', 'b', 'c'].map((organizationId) => ({ organizationId }))
    await key.call(addOrganizations, { organizations })
    const { body } = await key.post(revokeUserAccess.path, { userIds: ['ada', 'ada'] })
    assert.equal(body.result.message, 'User access revocation processed successfully.')
    assert.match(body.result.data.jobId, /^[0-9a-f-]{36}$/)
    assert.deepEqual(body.result.data, { jobId: body.result.data.jobId, tasksCount: 3 })
  })

  it('removes the named users, and no other, from every organization, group and grant, and keeps their profiles', async () => {
    await restricted()
    for (const organizationId of ['a', 'b'])
      for (const userId of ['ada', 'bob', 'eve']) {
        await addUser(organizationId, userId, { name: userId.toUpperCase() })
        await grant(organizationId, userId, 'd1')
        await grant(organizationId, userId, 'd1', { expiresAt: FUTURE, accessRole: 'editor' })
      }
    for (const userId of ['ada', 'eve']) await addToGroup('a', `group of ${userId}`, userId)
    await grantToGroup('a', 'group of ada', 'd2')
    await grantToGroup('a', 'group of eve', 'd2')
    await grant('declared', 'ada', 'd1', { expiresAt: 1 })
    const { removed, percent, tasksLeft } = await revoke('ada', 'bob')
    assert.deepEqual(removed, { grants: 13, temporaryGrants: 5, userGroups: 1 })
    assert.deepEqual([percent, tasksLeft], [100, 0])
    for (const userId of ['ada', 'bob'])
      assert.deepEqual(await reasons('a', userId, 'd1', 'd2'), ['no_grant', 'no_grant'])
    assert.deepEqual(await reasons('a', 'eve', 'd1', 'd2'), ['grant', 'grant'])
    assert.deepEqual(await membersOf('a'), [['eve', 'EVE']])
    await addUser('c', 'ada')
    assert.deepEqual(await membersOf('c'), [['ada', 'ADA']])
  })

  it('writes the events of each revocation and each removal from a group, with the caller as the actor', async () => {
    await addUser('a', 'ada')
    await grant('a', 'ada', 'd1')
    await grant('a', 'ada', 'd1', { expiresAt: FUTURE })
    await addToGroup('a', 'g1', 'ada')
    const events = await eventsDuring(server.db, apiKeyOf(key), () => revoke('ada'))
    const facts = events.map(({ type, resourceId, userId, before }) => ({ type, resourceId, userId, before }))
    const removed = { type: 'permission.removed', userId: 'ada' }
    assert.deepEqual(facts.slice(1), [
      { ...removed, resourceId: 'a', before: { accessRole: 'editor', expiresAt: null } },
      { ...removed, resourceId: 'd1', before: { accessRole: 'viewer', expiresAt: null } },
      { ...removed, resourceId: 'd1', before: { accessRole: 'viewer', expiresAt: FUTURE } },
      { type: 'user_group.user_removed', resourceId: 'g1', userId: 'ada', before: {} },
    ])
    assert.equal(facts[0]?.type, 'user_token.revoked')
    for (const { actor } of events)
      assert.deepEqual(actor, { apiKey: apiKeyOf(key), token: 'Default Auth Token', address: '127.0.0.1' })
  })

  it('revokes the user tokens before it returns, of users with and without grants', async () => {
    const users = ['ada', 'bob', 'eve']
    const tokens = new Map<string, string>()
    for (const userId of users) tokens.set(userId, (await key.call(generateToken, { userId })).token)
    await addUser('a', 'ada')
    await key.call(revokeUserAccess, { userIds: ['bob', 'nobody', 'ada'] })
    const active = async (userId: string) =>
      (await key.call(verifyToken, { token: tokens.get(userId) ?? '' })).reason ?? 'active'
    assert.deepEqual(await Promise.all(users.map(active)), ['revoked', 'revoked', 'active'])
    const { token } = await key.call(generateToken, { userId: 'ada' })
    assert.equal((await key.call(verifyToken, { token })).active, true)
  })

  it('with disable, denies the users everything from the response on, also public resources and later grants', async () => {
    for (const userId of ['ada', 'eve']) await grant('a', userId, 'd1')
    const { token } = await key.call(generateToken, { userId: 'ada' })
    const events = await eventsDuring(server.db, apiKeyOf(key), async () => {
      const { jobId = '' } = await key.call(revokeUserAccess, { userIds: ['ada', 'nobody'], disable: true })
      assert.deepEqual(await reasons('a', 'ada', 'd1'), ['user_disabled'])
      assert.equal((await key.call(verifyToken, { token })).reason, 'revoked')
      const signIn = await key.post(generateToken.path, { userId: 'ada' })
      assert.equal(refused(signIn, 'PERMISSION_DENIED').reason, 'user_disabled')
      await finished(jobId)
    })
    assert.deepEqual(
      events.map(({ type, userId }) => [type, userId]),
      [
        ['user.disabled', 'ada'],
        ['user.disabled', 'nobody'],
        ['user_token.revoked', 'ada'],
        ['permission.removed', 'ada'],
      ],
    )
    await grant('a', 'ada', 'd2')
    assert.deepEqual(await reasons('a', 'ada', 'd1', 'd2'), ['user_disabled', 'user_disabled'])
    assert.deepEqual(await reasons('a', 'eve', 'd1'), ['grant'])
    assert.deepEqual(
      (await preview('ada', 'eve')).users.map(({ userId, disabled, grants }) => [userId, disabled, grants]),
      [
        ['ada', true, 1],
        ['eve', false, 1],
      ],
    )
  })

  it('called again removes nothing, and writes only that the tokens were revoked', async () => {
    await addUser('a', 'ada')
    await revoke('ada')
    const events = await eventsDuring(server.db, apiKeyOf(key), async () => {
      assert.deepEqual((await revoke('ada')).removed, { grants: 0, temporaryGrants: 0, userGroups: 0 })
    })
    assert.deepEqual(
      events.map(({ type }) => type),
      ['user_token.revoked'],
    )
  })

  it('revokes more grants and groups of one user in one organization than a transaction takes', async () => {
    await addUser('a', 'ada')
    await addToGroup('a', 'g1', 'ada')
    const more = ROWS_MAX + 1_000
    const documents = (from: number) =>
      Array.from({ length: 1_000 }, (_, index) => ({ documentId: `d${from + index}` }))
    for (let from = 0; from < more; from += 1_000) {
      await key.call(addDocuments, { organizationId: 'a', documents: documents(from) })
      await key.call(addPermissions, {
        user: { userId: 'ada' },
        permissions: {
          resources: documents(from).map(({ documentId: id }) => ({
            type: 'document' as const,
            id,
            organizationId: 'a',
          })),
        },
      })
    }
    await server.db.query(
      `with made as (insert into user_groups (organization_key, group_id)
         select organization_key, 'more' || n from user_groups, generate_series(1, ${more}) n
          where organization_key in (select organization_key from organizations where api_key_id = $1)
         returning organization_key, group_id)
       insert into user_group_members select organization_key, group_id, 'ada' from made`,
      [apiKeyOf(key)],
    )
    const [ada] = (await preview('ada')).users
    assert.deepEqual([ada?.grants, ada?.userGroups, ada?.hasMore], [more + 1, more + 1, false])
    assert.deepEqual([ada?.firstGrants.length, ada?.firstUserGroups.length], [10, 10])
    const { removed } = await revoke('ada')
    assert.deepEqual(removed, { grants: more + 1, temporaryGrants: 0, userGroups: more + 1 })
    assert.deepEqual((await preview('ada')).users, [{ userId: 'ada', ...NOTHING }])
    const events = await eventsOf(server.db, apiKeyOf(key))
    assert.equal(events.filter(({ type }) => type === 'permission.removed').length, more + 1)
    assert.equal(events.filter(({ type }) => type === 'user_group.user_removed').length, more + 1)
  })

  it('goes through more organizations and users than one batch has', async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `o${String(index).padStart(4, '0')}`)
    await key.call(addOrganizations, { organizations: ids.map((organizationId) => ({ organizationId })) })
    const known = ids.filter((_, index) => index % 4 === 0)
    await key.call(addPermissions, {
      user: { userId: 'ada' },
      permissions: { resources: known.map((id) => ({ type: 'organization' as const, id })) },
    })
    const userIds = ['ada', ...Array.from({ length: 29 }, (_, index) => `nobody ${index}`)]
    const pages = await previewPages(userIds)
    assert.equal(pages.length, 3)
    const grants = pages.map(({ users: [ada] }) => ada?.grants ?? 0)
    assert.equal(
      grants.reduce((sum, count) => sum + count, 0),
      known.length,
    )
    assert.equal((await revoke(...userIds)).removed.grants, known.length)
    for (const { users } of await previewPages(userIds)) for (const { grants } of users) assert.equal(grants, 0)
  })

  it('refuses a page token without dryRun, and one of another query', async () => {
    refusedField(await key.post(revokeUserAccess.path, { userIds: ['ada'], pageToken: 'x' }), 'pageToken')
    const answer = await key.post(revokeUserAccess.path, { userIds: ['ada'], dryRun: true, pageToken: 'x' })
    assert.equal(refused(answer, 'INVALID_ARGUMENT').reason, 'page_token_invalid')
    refusedField(await key.post(revokeUserAccess.path, {}), 'userIds', 'userIds is required')
  })
})

describe('user-access.revoke with dryRun', () => {
  it('returns the access of each user that would be removed, and changes nothing', async () => {
    await addUser('a', 'ada', { accessRole: 'viewer' })
    await grant('a', 'ada', 'd1', { expiresAt: FUTURE })
    await grant('b', 'ada', 'd1')
    await grant('b', 'ada', 'd1', { expiresAt: FUTURE, accessRole: 'editor' })
    await addToGroup('a', 'g1', 'ada')
    await addUser('b', 'eve')
    const { token } = await key.call(generateToken, { userId: 'ada' })
    const events = await eventsDuring(server.db, apiKeyOf(key), async () => {
      const { users } = await preview('nobody', 'ada')
      const ofDocument = { type: 'document', id: 'd1' }
      assert.deepEqual(users, [
        { userId: 'nobody', ...NOTHING },
        {
          userId: 'ada',
          disabled: false,
          organizations: 2,
          grants: 4,
          temporaryGrants: 2,
          userGroups: 1,
          hasMore: false,
          firstOrganizations: ['a', 'b'],
          firstGrants: [
            { organizationId: 'a', type: 'organization', id: 'a', accessRole: 'viewer' },
            { organizationId: 'a', ...ofDocument, accessRole: 'viewer', expiresAt: FUTURE },
            { organizationId: 'b', ...ofDocument, accessRole: 'viewer' },
            { organizationId: 'b', ...ofDocument, accessRole: 'editor', expiresAt: FUTURE },
          ],
          firstUserGroups: [{ organizationId: 'a', groupId: 'g1', groupName: 'The g1' }],
        },
      ])
    })
    assert.deepEqual(events, [])
    assert.equal((await key.call(verifyToken, { token })).active, true)
    assert.deepEqual(await reasons('b', 'ada', 'd1'), ['grant'])
  })

  it('returns what stays public: by the default of the key, and the organizations with public resources', async () => {
    const organizations = ['a', 'b', 'c'].map((organizationId) => ({ organizationId }))
    await key.call(addOrganizations, { organizations })
    assert.deepEqual((await preview('ada')).public, {
      byDefault: true,
      accessRole: 'editor',
      organizations: 0,
      firstOrganizations: [],
    })
    await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted', defaultAccessRole: 'viewer' })
    await key.call(addDocuments, { organizationId: 'b', documents: [{ documentId: 'd1', accessType: 'public' }] })
    await revoke('ada')
    const shown = (await preview('ada')).public
    assert.deepEqual(shown, { byDefault: false, accessRole: 'viewer', organizations: 1, firstOrganizations: ['b'] })
  })
})

describe('user-access-revocations.get', () => {
  it('shows the progress, and forgets the users at the end', async () => {
    await addUser('a', 'ada')
    const before = Date.now()
    const { createdAt, finishedAt, jobId, ...rest } = await revoke('ada')
    assert.deepEqual(rest, {
      status: 'completed',
      tasksCount: 1,
      tasksLeft: 0,
      percent: 100,
      removed: { grants: 1, temporaryGrants: 0, userGroups: 0 },
    })
    assert.ok(Math.abs(createdAt - before) < 10_000 && finishedAt !== null && createdAt <= finishedAt)
    const { rows } = await server.db.query(
      'select user_ids as "userIds" from user_access_revocations where job_id = $1',
      [jobId],
    )
    assert.deepEqual(rows, [{ userIds: [] }])
  })

  it('is NOT_FOUND for an unknown jobId of any form, and for one of another key', async () => {
    const { jobId } = await revoke('ada')
    const other = await server.newKey()
    const [first, ...answers] = await Promise.all([
      other.post(getUserAccessRevocation.path, { jobId }),
      key.post(getUserAccessRevocation.path, { jobId: crypto.randomUUID() }),
      key.post(getUserAccessRevocation.path, { jobId: 'nonsense' }),
    ])
    for (const answer of [first, ...answers]) {
      assert.equal(refused(answer, 'NOT_FOUND').reason, 'user_access_revocation_does_not_exist')
      assert.equal(withoutRequestId(answer), withoutRequestId(first))
    }
  })
})
