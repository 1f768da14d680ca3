/** A revocation of all access whose server dies at any step completes after a restart, and removes everything exactly once. */
import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { getUserAccessRevocation, revokeUserAccess } from '#contract/users/user-access.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { addUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { createLastingStore, type Store, startProcess } from '#testing/processes/process.ts'
import { ENGINE } from '#testing/server.ts'
import { abandonAgainAndAgain, dieAtEachStep } from './crash-points.ts'
import { assertEventsWithoutGaps } from './ledger.ts'

const ORGANIZATIONS = ['a', 'b', 'c']
const CASES_MAX = 10

const userOf = (index: number) => `leaver ${index}`

/** A user for each case, with two grants and a user group in each organization. */
async function prepare(client: Client): Promise<void> {
  const userIds = Array.from({ length: CASES_MAX }, (_, index) => userOf(index))
  for (const organizationId of ORGANIZATIONS) {
    await client.call(addUsers, { organizationId, users: [...userIds, 'other'].map((userId) => ({ userId })) })
    await client.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'g' }] })
    const group = { organizationId, organizationUserGroupId: 'g' }
    await client.call(addUserGroupUsers, { ...group, userIds: [...userIds, 'other'] })
    for (const userId of userIds)
      await client.call(addPermissions, {
        user: { userId },
        permissions: { resources: [{ type: 'document', id: 'd', organizationId }] },
      })
  }
}

async function completed(client: Client, jobId: string): Promise<void> {
  const find = async () => {
    const { status, removed } = await client.call(getUserAccessRevocation, { jobId })
    return status === 'completed' ? removed : undefined
  }
  assert.deepEqual(await eventually('revocation', find), { grants: 6, temporaryGrants: 0, userGroups: 3 })
}

/** Asserts that the first `count` users have lost everything, with one event for each, and that no event is missing. */
async function assertRevokedOnce(store: Store, count: number): Promise<void> {
  const db = await store.open()
  const rowsOf = async (text: string) => (await db.query(text)).rows
  const events = await rowsOf(
    `select user_id as "userId", count(*) filter (where type = 'permission.removed')::int as grants,
            count(*) filter (where type = 'user_group.user_removed')::int as groups
       from events where type in ('permission.removed', 'user_group.user_removed') group by 1 order by 1`,
  )
  const users = Array.from({ length: count }, (_, index) => userOf(index)).sort()
  assert.deepEqual(
    events,
    users.map((userId) => ({ userId, grants: 6, groups: 3 })),
  )
  const left = await rowsOf(
    `select principal as "userId" from grants union select user_id from user_group_members order by 1`,
  )
  const others = Array.from({ length: CASES_MAX - count }, (_, index) => userOf(count + index))
  assert.deepEqual(
    left,
    [...others, 'other'].sort().map((userId) => ({ userId })),
  )
  await assertEventsWithoutGaps(db)
  await db.close()
}

describe('user-access.revoke', () => {
  test('completes and takes effect once, at whichever step the server was killed', async (t) => {
    const { store, jobIds } = await dieAtEachStep(t, {
      ...{ prepare, userOf, casesMax: CASES_MAX, completed },
      start: revokeUserAccess.path,
      status: getUserAccessRevocation.path,
      begins: 'user-access.lock-revocation',
    })
    await assertRevokedOnce(store, jobIds.length)
  })

  test('takes effect once when two processes race for it, and one of them is killed', {
    skip: ENGINE === 'embedded',
  }, async () => {
    const store = await createLastingStore()
    const [one, other] = await Promise.all([startProcess(store.settings), startProcess(store.settings)])
    const { headers } = await one.client.newKey()
    const clients = [one.client.with(headers), other.client.with(headers)] as const
    await prepare(clients[0])

    const db = await store.open()
    const racing = abandonAgainAndAgain(db, 'user_access_revocations')
    const started = await Promise.all(
      Array.from({ length: CASES_MAX - 1 }, (_, index) =>
        clients[index % 2 === 0 ? 0 : 1].call(revokeUserAccess, { userIds: [userOf(index)] }),
      ),
    )
    for (const { jobId = '' } of started) await completed(clients[0], jobId)
    await racing.stop()

    // Of a server that is killed with a job, the other takes it over when the lease has expired, two seconds later.
    const [locked, unlocked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = db.transaction(async (session) => {
      await session.query("select from organizations where organization_id = 'b' for update")
      locked.resolve()
      await unlocked.promise
    })
    await locked.promise
    const { jobId = '' } = await clients[0].call(revokeUserAccess, { userIds: [userOf(CASES_MAX - 1)] })
    const lease = `select due_at <= clock_timestamp() + interval '2 seconds' as short
                     from user_access_revocations where job_id = $1 and claimed_at is not null`
    const claimed = await eventually('a claim', async () => (await db.query(lease, [jobId])).rows[0])
    assert.deepEqual(claimed, { short: true })
    await one.kill('SIGKILL')
    unlocked.resolve()
    await holding
    await completed(clients[1], jobId)

    await db.close()
    await other.kill('SIGTERM')
    await assertRevokedOnce(store, CASES_MAX)
  })
})
