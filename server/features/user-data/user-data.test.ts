/** Erasing users, and exporting the data about a user (rules/resources.md#erasure, ADR 0010). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations, deleteOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { deleteUserData, getUserData, getUserDataDeletion, type UserDataDeletion } from '#contract/users/user-data.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers, updateUsers } from '#contract/users/users.ts'
import { ROWS_MAX } from '#tenancy/user-jobs/statements.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import { apiKeyOf, callersFrom } from '../../../test/conformance/support/callers.ts'
import { eventsDuring, eventsOf, type StoredEvent } from '../../../test/conformance/support/events.ts'
import { refused, refusedField, withoutRequestId } from '../../../test/conformance/support/refused.ts'
import { dumpEverything } from '../../../test/conformance/support/tables.ts'

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
const statusOf = (jobId: string, client = key) => client.call(getUserDataDeletion, { jobId })
const read = async (data: object, client = key) => (await client.post(getUserData.path, data)).body.result

/** Waits for the end. */
async function erase(userIds: string[], organizationIds?: string[]): Promise<UserDataDeletion> {
  const { jobId } = await key.call(deleteUserData, {
    userIds,
    ...(organizationIds === undefined ? {} : { organizationIds }),
  })
  return eventually('end of the job', async () => {
    const status = await statusOf(jobId)
    if (status.isDeleteCompleted) return status
    assert.ok(status.tasksLeft > 0)
    return undefined
  })
}

async function access(organizationId: string, userId: string, ...documentIds: string[]): Promise<string[]> {
  const query = { organizationId, userIds: [userId], documentIds, skipResourceExistenceValidation: true }
  const { body } = await key.post(getPermissions.path, query)
  return documentIds.map((id) => body.result.data[userId].documents[id].reason)
}

/** Within one batch no order of organizations is promised. */
const byOrganization = (events: readonly StoredEvent[]): StoredEvent[] =>
  events.toSorted((one, other) => ((one.organizationId ?? '~') < (other.organizationId ?? '~') ? -1 : 1))

const EMPTY = {
  disabled: false,
  grants: [],
  userGroups: [],
  invitations: [],
  events: [],
  comments: [],
  reactions: [],
  recordings: [],
  notifications: [],
  mentions: [],
  threads: [],
  notificationPreferences: [],
  activities: [],
}

describe('user-data.delete', () => {
  it('returns a jobId and the number of tasks at once', async () => {
    const organizations = ['a', 'b', 'c'].map((organizationId) => ({ organizationId }))
    await key.call(addOrganizations, { organizations })
    const { body } = await key.post(deleteUserData.path, { userIds: ['ada'] })
    assert.equal(body.result.message, 'User data deletion started.')
    assert.match(body.result.data.jobId, /^[0-9a-f-]{36}$/)
    assert.deepEqual(body.result.data, { jobId: body.result.data.jobId, tasksCount: 4 })
    const named = await key.call(deleteUserData, { userIds: ['ada'], organizationIds: ['a', 'b', 'a'] })
    assert.equal(named.tasksCount, 2)
  })

  it('deletes all grants and the profile, in every organization, only of the named users', async () => {
    for (const organizationId of ['a', 'b']) {
      for (const userId of ['ada', 'bob', 'eve']) {
        await addUser(organizationId, userId, { name: userId.toUpperCase() })
        await grant(organizationId, userId, 'd1')
      }
    }
    await grant('c', 'ada', 'declared', { expiresAt: 1 })
    const status = await erase(['ada', 'bob'])
    assert.deepEqual([status.tasksLeft, status.percent, status.tasksCount], [0, 100, 4])
    for (const userId of ['ada', 'bob'])
      for (const organizationId of ['a', 'b', 'c']) {
        const found = await read({ organizationId, userId })
        assert.deepEqual(found.data, { organizationId, profile: null, ...EMPTY })
      }
    for (const organizationId of ['a', 'b']) {
      assert.deepEqual(await access(organizationId, 'ada', 'd1'), ['access_type'])
      assert.deepEqual(await access(organizationId, 'eve', 'd1'), ['grant'])
      assert.equal((await read({ organizationId, userId: 'eve' })).data.profile.name, 'EVE')
    }
  })

  it('leaves no trace of the users in any table', async () => {
    const userId = 'ada.lovelace.of.ockham'
    const mail = 'countess@lovelace.example'
    await addUser('a', userId, { name: 'Countess of Lovelace', email: mail, note: 'mathematician-x' })
    await key.call(updateUsers, { organizationId: 'a', users: [{ userId, name: 'Countess of L.' }] })
    await grant('a', userId, 'd1')
    await addToGroup('a', 'g1', userId)
    await key.call(generateToken, { userId, userProperties: { name: 'Countess Ada' } })
    await addUser('b', 'charles', { name: 'Babbage' })
    const dump = async () => Object.values(await dumpEverything(server.db)).join('\n')
    const traces = [userId, mail, 'Countess', 'mathematician-x']
    for (const trace of traces) assert.ok((await dump()).includes(trace), trace)
    await erase([userId])
    for (const trace of traces) assert.ok(!(await dump()).includes(trace), trace)
    assert.ok((await dump()).includes('Babbage'))
  })

  it('leaves no trace in the events of organizations that were deleted, which users/data/get shows until then', async () => {
    const userId = 'grace.hopper.of.arlington'
    await addUser('gone', userId, { name: 'Rear Admiral Hopper' })
    await key.call(deleteOrganizations, { organizationIds: ['gone'] })
    const dump = async () => Object.values(await dumpEverything(server.db)).join('\n')
    const outside = await read({ userId })
    const { data } = await read({ userId, pageToken: outside.nextPageToken })
    assert.deepEqual([data.organizationId, data.grants.length, data.events.length], ['gone', 0, 2])
    for (const trace of [userId, 'Rear Admiral']) assert.ok((await dump()).includes(trace), trace)
    await erase([userId])
    for (const trace of [userId, 'Rear Admiral']) assert.ok(!(await dump()).includes(trace), trace)
    assert.equal((await key.call(getOrganizations, {})).length, 0)
  })

  it('keeps the events in their order, under one pseudonym for each user, with roles and without profiles', async () => {
    await addUser('a', 'ada', { name: 'Ada', accessRole: 'viewer' })
    await grant('a', 'ada', 'd1')
    await key.call(removePermissions, {
      userId: 'ada',
      permissions: { resources: [{ type: 'document', id: 'd1', organizationId: 'a' }] },
    })
    await grant('a', 'bob', 'd1')
    const before = await eventsOf(server.db, apiKeyOf(key))
    await erase(['ada'])
    const after = (await eventsOf(server.db, apiKeyOf(key))).slice(0, before.length)
    const pseudonym = after.find(({ type }) => type === 'user.added')?.userId ?? ''
    assert.match(pseudonym, /^erased:[0-9a-f]{32}$/)
    assert.deepEqual(
      after,
      before.map((event) => {
        if (event.userId !== 'ada') return event
        return { ...event, userId: pseudonym, ...(event.type === 'user.added' ? { after: {} } : {}) }
      }),
    )
    assert.deepEqual(after.find(({ type, resourceId }) => type === 'permission.added' && resourceId === 'd1')?.after, {
      accessRole: 'viewer',
      expiresAt: null,
    })
  })

  it('writes one user.removed for each user and organization where something was deleted, and one for the profile', async () => {
    await addUser('a', 'ada', { name: 'Ada' })
    await grant('a', 'ada', 'd1')
    await grant('a', 'ada', 'd2')
    for (const groupId of ['g1', 'g2']) await addToGroup('a', groupId, 'ada')
    await grant('b', 'bob', 'd1')
    await key.call(addOrganizations, { organizations: [{ organizationId: 'c' }] })
    let jobId = ''
    const events = byOrganization(
      await eventsDuring(server.db, apiKeyOf(key), async () => {
        ;({ jobId } = await erase(['ada', 'bob', 'nobody']))
      }),
    )
    const facts = events
      .filter(({ type }) => type !== 'user_token.revoked')
      .map(({ type, organizationId, before, after }) => ({ type, organizationId, before, after }))
    const removed = { type: 'user.removed', after: { jobId } }
    assert.deepEqual(facts, [
      { ...removed, organizationId: 'a', before: { permissions: 3, userGroups: 2, invitations: 0 } },
      { ...removed, organizationId: 'b', before: { permissions: 1, userGroups: 0, invitations: 0 } },
      { ...removed, organizationId: null, before: { profiles: 1 } },
    ])
    assert.equal(events[0]?.userId, events[2]?.userId)
    assert.notEqual(events[0]?.userId, events[1]?.userId)
    assert.deepEqual(events[0]?.actor, { apiKey: apiKeyOf(key), token: 'Default Auth Token', address: '127.0.0.1' })
  })

  it('with organizationIds affects only these, and keeps the profile', async () => {
    for (const organizationId of ['a', 'b', 'c']) {
      await addUser(organizationId, 'ada', { name: 'Ada' })
      await grant(organizationId, 'ada', 'd1')
    }
    assert.equal((await erase(['ada'], ['c', 'a'])).tasksCount, 2)
    for (const [organizationId, reason] of [
      ['a', 'access_type'],
      ['b', 'grant'],
      ['c', 'access_type'],
    ] as const)
      assert.deepEqual(await access(organizationId, 'ada', 'd1'), [reason])
    const { profile, events } = (await read({ organizationId: 'b', userId: 'ada' })).data
    assert.deepEqual(profile, { name: 'Ada' })
    assert.ok(events.length > 0)
    assert.deepEqual((await read({ organizationId: 'a', userId: 'ada' })).data.events, [])
  })

  it('called again finds nothing, and writes nothing', async () => {
    await addUser('a', 'ada', { name: 'Ada' })
    await erase(['ada'])
    assert.deepEqual(await eventsDuring(server.db, apiKeyOf(key), () => erase(['ada'])), [])
  })

  it('succeeds for users without data, and for a key without organizations', async () => {
    const { tasksCount, status } = await erase(['nobody'])
    assert.deepEqual([tasksCount, status], [1, 'completed'])
  })

  it('does not delete later grants and profiles', async () => {
    await addUser('a', 'ada', { name: 'Ada' })
    await erase(['ada'])
    await addUser('a', 'ada', { name: 'Ada again' })
    const { data } = await read({ organizationId: 'a', userId: 'ada' })
    assert.equal(data.profile.name, 'Ada again')
    assert.equal(data.grants.length, 1)
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
    const events = await eventsDuring(server.db, apiKeyOf(key), () => erase(userIds))
    assert.deepEqual(
      byOrganization(events).map(({ organizationId }) => organizationId),
      known,
    )
  })

  it('erases more events of one user than a transaction takes', async () => {
    await addUser('a', 'ada')
    await server.db.query(
      `insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id, user_id, actor, after)
       select stream, 1000 + n, tick, 'user.updated', workspace_id, api_key_id, organization_id, user_id, actor, '{"name":"Ada"}'
         from events, generate_series(1, ${2 * ROWS_MAX + 1}) n where api_key_id = $1 and type = 'user.added'`,
      [apiKeyOf(key)],
    )
    await erase(['ada'])
    const { rows } = await server.db.query(
      `select count(*)::int as events, count(distinct user_id)::int as users from events
        where api_key_id = $1 and type = 'user.updated' and user_id like 'erased:%' and after = '{}'`,
      [apiKeyOf(key)],
    )
    assert.deepEqual(rows, [{ events: 2 * ROWS_MAX + 1, users: 1 }])
  })

  it('leaves no answer of a user to somebody who gets the id later, and repeats their call in earnest', async () => {
    await key.call(addDocuments, { organizationId: 'acme', createOrganization: true, documents: [{ documentId: 'd' }] })
    const call = {
      organizationId: 'acme',
      documentId: 'd',
      commentAnnotations: [{ commentData: [{ commentText: 'x' }] }],
    }
    const asAda = async () => {
      const { token } = await key.call(generateToken, { userId: 'ada' })
      const client = key.with({ authorization: `Bearer ${token}`, 'idempotency-key': 'one' })
      return (await client.post(addThreads.path, call)).headers.get('idempotent-replayed')
    }
    assert.deepEqual([await asAda(), await asAda()], [null, 'true'])
    await erase(['ada'], ['acme'])
    assert.equal(await asAda(), 'true')
    await erase(['ada'])
    assert.equal(await asAda(), null)
  })

  it('refuses an organization that does not exist, names it, and starts nothing', async () => {
    await key.call(addOrganizations, { organizations: [{ organizationId: 'a' }] })
    const answer = await key.post(deleteUserData.path, { userIds: ['ada'], organizationIds: ['a', 'nope'] })
    const error = refused(answer, 'NOT_FOUND')
    assert.equal(error.reason, 'organization_does_not_exist')
    assert.equal(error.message, 'The organization "nope" does not exist.')
    assert.deepEqual(error.details, { organizationIds: ['nope'] })
  })

  it('names the missing field', async () => {
    refusedField(await key.post(deleteUserData.path, {}), 'userIds', 'userIds is required')
    refusedField(await key.post(deleteUserData.path, { userIds: [] }), 'userIds')
  })
})

describe('user-data-deletions.get', () => {
  it('returns the progress of a job, from its beginning to its end', async () => {
    await addUser('a', 'ada')
    const before = Date.now()
    const { createdAt, finishedAt, lastTaskCompletedTime, jobId, ...rest } = await erase(['ada'])
    assert.deepEqual(rest, {
      isDeleteCompleted: true,
      tasksLeft: 0,
      status: 'completed',
      tasksCount: 2,
      percent: 100,
    })
    assert.ok(Math.abs(createdAt - before) < 10_000)
    assert.ok(finishedAt !== null && lastTaskCompletedTime !== null)
    assert.ok(createdAt <= finishedAt && lastTaskCompletedTime <= finishedAt)
    await server.db.query(
      `insert into user_data_deletions (api_key_id, job_id, user_ids, actor, tasks_count, tasks_done, salt, due_at, passed_organization_id, last_task_completed_at)
       select api_key_id, gen_random_uuid(), '{ada}', '{}', 400, done, gen_random_uuid(), clock_timestamp() + interval '1 hour', 'x',
              case when done > 0 then clock_timestamp() end
         from user_data_deletions, unnest('{0,1,399,500}'::int[]) done where job_id = $1`,
      [jobId],
    )
    const { rows } = await server.db.query(
      'select job_id as id from user_data_deletions where api_key_id = $1 and tasks_count = 400 order by tasks_done',
      [apiKeyOf(key)],
    )
    const seen = await Promise.all((rows as { id: string }[]).map(({ id }) => statusOf(id)))
    assert.deepEqual(
      seen.map(({ status, tasksLeft, percent, isDeleteCompleted }) => [status, tasksLeft, percent, isDeleteCompleted]),
      [
        ['pending', 400, 0, false],
        ['in_progress', 399, 0, false],
        ['in_progress', 1, 99, false],
        ['in_progress', 1, 99, false],
      ],
    )
  })

  it('responds NOT_FOUND for an unknown jobId of any form, and for one of another key', async () => {
    const { jobId } = await erase(['ada'])
    const other = await server.newKey()
    const [first, ...answers] = await Promise.all([
      other.post(getUserDataDeletion.path, { jobId }),
      key.post(getUserDataDeletion.path, { jobId: crypto.randomUUID() }),
      key.post(getUserDataDeletion.path, { jobId: 'nonsense' }),
      key.post(getUserDataDeletion.path, { jobId: jobId.toUpperCase() }),
    ])
    for (const answer of [first, ...answers]) {
      assert.equal(refused(answer, 'NOT_FOUND').reason, 'user_data_deletion_does_not_exist')
      assert.equal(withoutRequestId(answer), withoutRequestId(first))
    }
  })
})

describe('user-data.get', () => {
  it('reads every organization with the branded allOrganizations, and returns uniqueId', async () => {
    for (const word of ['service', 'acme']) {
      const { client } = await sharedServer({ HEADER_PREFIX: word })
      const { apiKey } = await callersFrom(client, word)
      for (const organizationId of ['a', 'b'])
        await apiKey.call(addUsers, { organizationId, users: [{ userId: 'ada' }] })
      const ask = { organizationId: 'a', userId: 'ada', uniqueId: 'call 7', [`${word}AllOrganizations`]: true }
      const seen: unknown[] = []
      for (let pageToken: string | undefined; ; ) {
        const { body } = await apiKey.post(getUserData.path, { ...ask, pageToken })
        const { data, nextPageToken } = body.result
        assert.equal(data.uniqueId, 'call 7')
        seen.push(data.organizationId)
        if (nextPageToken === undefined) break
        pageToken = nextPageToken
      }
      assert.deepEqual(seen.filter((organizationId) => organizationId !== undefined).sort(), ['a', 'b'])
    }
  })

  it('returns the profile, the grants and the events of a user in an organization, and empty lists for other kinds', async () => {
    await key.call(addOrganizations, { organizations: [{ organizationId: 'a' }] })
    await key.call(addFolders, { organizationId: 'a', folders: [{ folderId: 'plans' }] })
    await key.call(addDocuments, { organizationId: 'a', documents: [{ documentId: 'd1' }] })
    await addUser('a', 'ada', { name: 'Ada', team: 'x' })
    await grant('a', 'ada', 'd1', { expiresAt: 2_000_000_000 })
    await addToGroup('a', 'g1', 'ada')
    await addUser('a', 'bob', { name: 'Bob' })
    await addUser('b', 'ada')
    const { data, nextPageToken } = await read({ organizationId: 'a', userId: 'ada' })
    const { events, ...rest } = data
    assert.equal(nextPageToken, undefined)
    assert.deepEqual(rest, {
      organizationId: 'a',
      profile: { name: 'Ada', team: 'x' },
      disabled: false,
      grants: [
        { type: 'organization', id: 'a', accessRole: 'editor' },
        { type: 'document', id: 'd1', accessRole: 'viewer', expiresAt: 2_000_000_000 },
      ],
      userGroups: [{ groupId: 'g1', groupName: 'The g1' }],
      invitations: [],
      comments: [],
      reactions: [],
      recordings: [],
      notifications: [],
      mentions: [],
      threads: [],
      notificationPreferences: [],
      activities: [],
    })
    assert.deepEqual(
      events.map(({ changedAt: _changedAt, ...event }: Record<string, unknown>) => event),
      [
        {
          type: 'permission.added',
          organizationId: 'a',
          resource: { type: 'organization', id: 'a' },
          after: { accessRole: 'editor', expiresAt: null },
        },
        { type: 'user.added', organizationId: 'a', after: { name: 'Ada', team: 'x' } },
        {
          type: 'permission.added',
          organizationId: 'a',
          resource: { type: 'document', id: 'd1' },
          after: { accessRole: 'viewer', expiresAt: 2_000_000_000 },
        },
        { type: 'user_group.user_added', organizationId: 'a', groupId: 'g1', after: {} },
      ],
    )
  })

  it('returns empty lists for a user without data', async () => {
    await key.call(addOrganizations, { organizations: [{ organizationId: 'a' }] })
    const { data } = await read({ organizationId: 'a', userId: 'nobody' })
    assert.deepEqual(data, { organizationId: 'a', profile: null, ...EMPTY })
  })

  it('has pages of 100 of each kind, and loses none', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => `d${index}`)
    await key.call(addPermissions, {
      user: { userId: 'ada' },
      permissions: { resources: ids.map((id) => ({ type: 'document' as const, id, organizationId: 'a' })) },
    })
    await addUser('a', 'ada')
    const grants: string[] = []
    let events = 0
    let pages = 0
    for await (const { data } of pagesOf((pageToken) =>
      key.post(getUserData.path, { organizationId: 'a', userId: 'ada', pageToken }),
    )) {
      assert.ok(data.grants.length <= 100 && data.events.length <= 100)
      grants.push(...data.grants.map(({ id }: { id: string }) => id))
      events += data.events.length
      pages += 1
    }
    assert.deepEqual(grants.toSorted(), ['a', ...ids].toSorted())
    assert.deepEqual([events, pages], [252, 3])
  })

  it('without organizationId reads all organizations that know the user, after the data outside them', async () => {
    const organizations = Array.from({ length: 30 }, (_, index) => ({ organizationId: `o${index + 10}` }))
    await key.call(addOrganizations, { organizations })
    await key.call(generateToken, { userId: 'ada', userProperties: { name: 'Ada' } })
    for (const organizationId of ['o12', 'o35']) await grant(organizationId, 'ada', 'd1')
    const pages: { organizationId?: string; grants: unknown[]; events: { type: string }[] }[] = []
    for await (const { data } of pagesOf((pageToken) => key.post(getUserData.path, { userId: 'ada', pageToken }))) {
      assert.deepEqual(data.profile, { name: 'Ada' })
      pages.push(data)
    }
    assert.deepEqual(
      pages.map(({ organizationId, grants, events }) => [
        organizationId,
        grants.length,
        events.map(({ type }) => type),
      ]),
      [
        [undefined, 0, ['user.added', 'user_token.generated']],
        ['o12', 1, ['permission.added']],
        ['o35', 1, ['permission.added']],
        [undefined, 0, []],
      ],
    )
  })

  it('accepts a page token only for the query that issued it', async () => {
    await grant('a', 'ada', 'd1')
    const { nextPageToken: pageToken } = await read({ userId: 'ada' })
    for (const query of [{ userId: 'bob' }, { userId: 'ada', organizationId: 'a' }]) {
      const answer = await key.post(getUserData.path, { ...query, pageToken })
      assert.equal(refused(answer, 'INVALID_ARGUMENT').reason, 'page_token_invalid')
    }
  })

  it('responds NOT_FOUND for an unknown organization', async () => {
    const answer = await key.post(getUserData.path, { organizationId: 'nope', userId: 'ada' })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
  })
})
