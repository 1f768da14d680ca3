/**
 * Calls that store something about a user while the user is erased: they are refused, and nothing is left
 * (rules/data.md#writers-and-erasures).
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { addGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { addInvitation } from '#contract/resources/invitations.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { listProfiles, setProfiles } from '#contract/users/profiles.ts'
import { deleteUserData, getUserDataDeletion } from '#contract/users/user-data.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers } from '#contract/users/users.ts'
import { TABLES } from '#tenancy/tables.ts'
import type { Client } from '#testing/client.ts'
import { ENGINE, sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { refused } from '../conformance/support/refused.ts'

const server = await sharedServer()
const { db } = server
/** Holding a lock while the server works needs a second connection. */
const needsConnections = { skip: ENGINE === 'embedded' }
const ORGANIZATIONS = ['a', 'b', 'c']

let key: Client
beforeEach(async () => {
  key = await server.newKey()
  await key.call(addOrganizations, { organizations: ORGANIZATIONS.map((organizationId) => ({ organizationId })) })
  const users = ['ada', 'bob'].map((userId) => ({ userId, name: userId, email: `${userId}@example.com` }))
  for (const organizationId of ['a', 'b']) await key.call(addUsers, { organizationId, users })
  await key.call(addUserGroups, { organizationId: 'a', organizationUserGroups: [{ groupId: 'g' }] })
})

const grantOf = (userId: string, organizationId: string, id: string) => ({
  user: { userId },
  permissions: { resources: [{ type: 'document' as const, id, organizationId }] },
})
const start = async (more: object = {}) => (await key.call(deleteUserData, { userIds: ['ada'], ...more })).jobId
const isCompleted = async (jobId: string) => (await key.call(getUserDataDeletion, { jobId })).isDeleteCompleted
async function completed(jobId: string): Promise<void> {
  while (!(await isCompleted(jobId))) await sleep(20)
}

/** Returns the rows of the key that name the user or an address of the user, by table. */
async function left(): Promise<string[]> {
  const of = [apiKeyOf(key)]
  const { rows } = await db.query(
    `select 'grants' as held, g.principal || g::text as row from grants g join organizations o using (organization_key) where o.api_key_id = $1
     union all select 'members', m::text from user_group_members m join organizations o using (organization_key) where o.api_key_id = $1
     union all select 'invitations', i::text from invitations i join organizations o using (organization_key) where o.api_key_id = $1
     union all select 'users', u::text from users u where u.api_key_id = $1
     union all select 'disabled', d::text from disabled_users d where d.api_key_id = $1
     union all select e.type, e::text from events e where e.api_key_id = $1`,
    of,
  )
  return (rows as { held: string; row: string }[]).filter(({ row }) => /\bada\b/.test(row)).map(({ held }) => held)
}

/** Returns whether the user was added after the erasure ended. */
async function isAddedAfter(jobId: string): Promise<boolean> {
  const { rows } = await db.query(
    `select from events e join user_data_deletions d on d.api_key_id = e.api_key_id and d.job_id = $2
      where e.api_key_id = $1 and e.user_id = 'ada' and e.changed_at > d.finished_at`,
    [apiKeyOf(key), jobId],
  )
  return rows.length > 0
}

/** Runs `work` while a transaction has locked an organization, so that an erasure that begins meanwhile is not completed before. */
const whileLocked = (work: () => Promise<void>) =>
  db.transaction(async (session) => {
    const text = `select from organizations where api_key_id = $1 and organization_id = 'b' for no key update`
    await session.query(text, [apiKeyOf(key)])
    await work()
  })

describe('while a user is erased', () => {
  const TO_A = { organizationId: 'a', type: 'org_user' }
  it.for<[about: string, path: string, data: (userId: string) => object]>([
    ['a grant', addPermissions.path, (userId) => grantOf(userId, 'c', 'd')],
    ['many grants', addGrants.path, (userId) => ({ grants: [{ userId, type: 'organization', id: 'c' }] })],
    ['a grant in a new organization', addPermissions.path, (userId) => grantOf(userId, 'new', 'd')],
    ['a membership', addUsers.path, (userId) => ({ organizationId: 'c', users: [{ userId }] })],
    [
      'a place in a group',
      addUserGroupUsers.path,
      (userId) => ({ organizationId: 'a', organizationUserGroupId: 'g', userIds: [userId] }),
    ],
    ['a sign-in', generateToken.path, (userId) => ({ userId })],
    ['being disabled', disableUsers.path, (userId) => ({ userIds: [userId], disabled: true })],
    ['an invitation', addInvitation.path, (userId) => ({ ...TO_A, email: `${userId}@example.com` })],
    [
      'an invitation in the name of the user',
      addInvitation.path,
      (userId) => ({ ...TO_A, email: 'eve@example.com', invitedBy: { userId } }),
    ],
  ])('%s is refused, and that of another user is not', needsConnections, async ([, path, data]) => {
    let jobId = ''
    await whileLocked(async () => {
      jobId = await start()
      const [ofAda, ofBob] = await Promise.all(['ada', 'bob'].map((userId) => key.post(path, data(userId))))
      assert.equal(refused(ofAda ?? assert.fail(), 'ABORTED').reason, 'user_being_erased')
      assert.equal(ofBob?.http, 200)
      assert.equal(await isCompleted(jobId), false)
    })
    await completed(jobId)
    assert.deepEqual(await left(), [])
    assert.equal((await key.post(path, data('ada'))).http, 200, 'the user can be added again')
  })

  it('earlier user tokens are refused from the response on', needsConnections, async () => {
    const { token } = await key.call(generateToken, { userId: 'ada' })
    const user = server.client.with({ authorization: `Bearer ${token}` })
    const ask = () => user.post(getPermissions.path, { organizationId: 'a' })
    assert.equal((await ask()).http, 200)
    let jobId = ''
    await whileLocked(async () => {
      jobId = await start()
      refused(await ask(), 'UNAUTHENTICATED')
      assert.equal(await isCompleted(jobId), false)
    })
    await completed(jobId)
    const { token: later } = await key.call(generateToken, { userId: 'ada' })
    assert.equal(
      (
        await server.client
          .with({ authorization: `Bearer ${later}` })
          .post(getPermissions.path, { organizationId: 'a' })
      ).http,
      200,
    )
    refused(await ask(), 'UNAUTHENTICATED')
  })

  it('changes of the user are recorded without the id', needsConnections, async () => {
    await key.call(addPermissions, grantOf('ada', 'c', 'd'))
    let jobId = ''
    await whileLocked(async () => {
      jobId = await start()
      await key.call(removePermissions, { userId: 'ada', permissions: grantOf('ada', 'c', 'd').permissions })
      await key.call(setProfiles, { users: [{ userId: 'ada', name: 'Ada Lovelace' }] })
    })
    await completed(jobId)
    assert.deepEqual(await left(), [])
    assert.equal((await key.call(listProfiles, {})).profiles.length, 1)
  })

  it('in some organizations, the others do not change', needsConnections, async () => {
    const { token } = await key.call(generateToken, { userId: 'ada' })
    let jobId = ''
    await whileLocked(async () => {
      jobId = await start({ organizationIds: ['a'] })
      const user = server.client.with({ authorization: `Bearer ${token}` })
      assert.equal((await user.post(getPermissions.path, { organizationId: 'b' })).http, 200)
    })
    await completed(jobId)
    assert.equal((await key.post(addPermissions.path, grantOf('ada', 'a', 'd'))).http, 200)
    assert.ok((await left()).includes('users'))
  })
})

describe('a transaction that began before an erasure', () => {
  it('is waited for: its grants and events are erased too', needsConnections, async () => {
    let jobId = ''
    await db.transaction(async (session) => {
      const grant = `insert into grants (organization_key, resource_key, principal, kind, standing_role)
        select organization_key, organization_key, 'ada', 'organization', 'editor' from organizations where api_key_id = $1 and organization_id = 'c'`
      const event = `insert into events (stream, sequence, type, api_key_id, organization_id, user_id, actor, after, tick)
        select organization_key, 1000, 'user.added', api_key_id, organization_id, 'ada', '{}', '{"name":"ada"}', 1
          from organizations where api_key_id = $1 and organization_id = 'c'`
      for (const text of [grant, event]) await session.query(text, [apiKeyOf(key)])
      jobId = await start()
      await sleep(1_500)
      assert.equal(await isCompleted(jobId), false)
    })
    await completed(jobId)
    assert.deepEqual(await left(), [])
  })
})

describe('writers that continue until they are refused', () => {
  it('leave nothing behind', async () => {
    let running = true
    async function write(call: (round: number) => Promise<{ http: number; body: { error?: { reason: string } } }>) {
      for (let round = 0; running; round++) {
        const { http, body } = await call(round)
        if (http !== 200) return assert.equal(body.error?.reason, 'user_being_erased')
      }
    }
    const organization = (round: number) => ORGANIZATIONS[round % ORGANIZATIONS.length] ?? ''
    for (let proven = 0; proven < 3; ) {
      running = true
      const writers = [
        write((n) => key.post(addPermissions.path, grantOf('ada', organization(n), `d${n}`))),
        write((n) =>
          key.post(generateToken.path, {
            userId: 'ada',
            userProperties: { name: `ada ${n}` },
            ...{ permissions: grantOf('ada', organization(n), `e${n}`).permissions },
          }),
        ),
        write((n) =>
          key.post(addUsers.path, {
            organizationId: `new${n % 40}`,
            createOrganization: true,
            users: [{ userId: 'ada' }],
          }),
        ),
      ]
      await sleep(100)
      const jobId = await start()
      // A writer that is not refused before the job is completed adds the user again, as it may; so no call may begin
      // then.
      running = false
      await Promise.all([...writers, completed(jobId)])
      // A call under way may also take effect after the job, which is allowed: such a round proves nothing.
      if (await isAddedAfter(jobId)) continue
      assert.deepEqual(await left(), [])
      proven++
    }
  })
})

describe('each table from which an erasure deletes', () => {
  it('refuses new rows of users who are being erased', async () => {
    const { rows } = await db.query(
      `select tgrelid::regclass::text as name from pg_trigger where tgname like '%\\_\\_erasures'`,
    )
    const guarded = new Set((rows as { name: string }[]).map(({ name }) => name))
    // A mail is added only for a profile or an invitation, which the mail locks.
    const deleted = Object.entries(TABLES).flatMap(([name, table]) =>
      'user' in table && table.user === 'deleted' && name !== 'mails' ? [name] : [],
    )
    // The erasure empties the columns about a user, and keeps the row.
    assert.deepEqual(guarded, new Set([...deleted, 'activities', 'events']))
  })
})
