/** An erasure whose server dies at any step completes after a restart, and takes effect exactly once. */
import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { deleteUserData, getUserDataDeletion } from '#contract/users/user-data.ts'
import { addUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { createLastingStore, type Store, startProcess } from '#testing/processes/process.ts'
import { ENGINE } from '#testing/server.ts'
import { dumpEverything } from '../conformance/support/tables.ts'
import { abandonAgainAndAgain, dieAtEachStep } from './crash-points.ts'
import { assertEventsWithoutGaps } from './ledger.ts'

const ORGANIZATIONS = ['a', 'b', 'c']
const CASES_MAX = 10

/** A user for each case, with two grants in each organization and a profile. */
const userOf = (index: number) => `erasable.user.${index}`

async function prepare(client: Client): Promise<void> {
  const userIds = Array.from({ length: CASES_MAX }, (_, index) => userOf(index))
  for (const organizationId of ORGANIZATIONS) {
    const users = [...userIds, 'other'].map((userId) => ({ userId, name: `Name of ${userId}` }))
    await client.call(addUsers, { organizationId, users })
    for (const userId of userIds)
      await client.call(addPermissions, {
        user: { userId },
        permissions: { resources: [{ type: 'document', id: 'd', organizationId }] },
      })
  }
}

async function completed(client: Client, jobId: string): Promise<void> {
  await until('erasure', async () => (await client.call(getUserDataDeletion, { jobId })).isDeleteCompleted, 50)
}

/** Asserts that each job removed its user from each organization once and left no trace. The first job is about user 0. */
async function assertErasedOnce(store: Store, jobIds: readonly string[]): Promise<void> {
  const db = await store.open()
  const { rows } = await db.query(
    `select after->>'jobId' as job, array_agg(organization_id order by organization_id nulls last) as organizations,
            array_agg(distinct before::text order by before::text) as counts, count(distinct user_id)::int as pseudonyms
       from events where type = 'user.removed' group by 1`,
  )
  const once = {
    organizations: [...ORGANIZATIONS, null],
    counts: ['{"profiles": 1}', '{"userGroups": 0, "invitations": 0, "permissions": 2}'],
    pseudonyms: 1,
  }
  assert.deepEqual(
    new Map((rows as ({ job: string } & typeof once)[]).map(({ job, ...facts }) => [job, facts])),
    new Map(jobIds.map((jobId) => [jobId, once])),
  )
  await assertEventsWithoutGaps(db)
  const dump = Object.values(await dumpEverything(db)).join('\n')
  await db.close()
  jobIds.forEach((_, index) => {
    assert.doesNotMatch(dump, new RegExp(`erasable\\.user\\.${index}(?!\\d)`))
  })
  assert.match(dump, /Name of other/)
}

describe('user-data.delete', () => {
  test('completes and takes effect once, at whichever step the server was killed', async (t) => {
    const { store, jobIds } = await dieAtEachStep(t, {
      ...{ prepare, userOf, casesMax: CASES_MAX, completed },
      start: deleteUserData.path,
      status: getUserDataDeletion.path,
      begins: 'user-data.lock-deletion',
    })
    await assertErasedOnce(store, jobIds)
  })

  test('takes effect once when two processes race for it', { skip: ENGINE === 'embedded' }, async () => {
    const store = await createLastingStore()
    const [one, other] = await Promise.all([startProcess(store.settings), startProcess(store.settings)])
    const { headers } = await one.client.newKey()
    const clients = [one.client.with(headers), other.client.with(headers)] as const
    await prepare(clients[0])

    const db = await store.open()
    const racing = abandonAgainAndAgain(db, 'user_data_deletions')
    const started = await Promise.all(
      Array.from({ length: CASES_MAX }, (_, index) =>
        clients[index % 2 === 0 ? 0 : 1].call(deleteUserData, { userIds: [userOf(index)] }),
      ),
    )
    const jobIds = started.map(({ jobId }) => jobId)
    for (const jobId of jobIds) await completed(clients[0], jobId)
    await racing.stop()
    await db.close()
    await Promise.all([one.kill('SIGTERM'), other.kill('SIGTERM')])
    await assertErasedOnce(store, jobIds)
  })
})
