/** A sweep of expired grants that dies at any step loses no event and writes none twice; nor do concurrent sweeps. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import type { Db } from '#platform/db/db.ts'
import { until } from '#testing/eventually.ts'
import { createLastingStore, type Settings, type Store, startProcess } from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import { ENGINE } from '#testing/server.ts'
import { deathsOf, runScript } from './crash-points.ts'
import type { SweepOrder } from './crashing-sweep.ts'
import { assertEventsWithoutGaps } from './ledger.ts'

/** Returns the steps if it was not killed. */
const sweepAndDie = async (settings: Settings, order: SweepOrder): Promise<string[]> =>
  (await runScript('crashing-sweep.ts', settings, order)).steps

/** Asserts that every grant has one event, that grants with an old event are deleted, and that event numbers have no gaps. */
async function assertOnce(store: Store, organizations: number): Promise<void> {
  const db = await store.open()
  try {
    await nothingDue(db)
    const { rows } = await db.query(`
      select count(*)::int as grants, count(*) filter (where events = 1)::int as once, count(distinct organization_key)::int as organizations
        from (select g.organization_key,
                     (select count(*) from events e where e.stream = g.organization_key and e.user_id = g.principal
                                                      and e.type = 'permission.expired') as events
                from grants g where expires_at is not null) g`)
    const grants = 800 * organizations
    assert.deepEqual(rows, [{ grants, once: grants, organizations }])
    const { rows: events } = await db.query(
      `select count(*)::int as count from events where type = 'permission.expired'`,
    )
    assert.deepEqual(events, [{ count: grants }])
    await assertEventsWithoutGaps(db)
  } finally {
    await db.close()
  }
}

async function nothingDue(db: Db): Promise<void> {
  const due = `select from grants where expires_at < now() and expiry_event_at is null
               union all select from grants where expiry_event_at < now() - interval '30 days' limit 1`
  await until('time without a due grant', async () => (await db.query(due)).rows.length === 0, 50)
}

/** Creates a store with an API key; its server has stopped. */
async function createGroup() {
  const store = await createLastingStore()
  const server = await startProcess(store.settings)
  const { headers } = await server.client.newKey()
  await server.kill('SIGTERM')
  const apiKeyId = headers['x-service-api-key'] ?? ''
  let cases = 0
  return {
    store,
    cases: () => cases,
    /** The next run also processes the work that a death left behind. */
    sweepAndDie: (dieAt: SweepOrder['dieAt']) => {
      const organizationIds = [`${cases++}`, `${cases++}`]
      return sweepAndDie(store.settings, { organizationIds, apiKeyId, dieAt })
    },
  }
}

describe('the sweep of expired grants', () => {
  test('reports each expiry exactly once, at whichever step its process was killed', async (t) => {
    const { store, cases, sweepAndDie } = await createGroup()
    const steps = await sweepAndDie(null)
    for (const death of deathsOf(steps)) await sweepAndDie(death)
    const last = await startProcess(store.settings)
    await sleep(500)
    await last.kill('SIGTERM')
    await sweepAndDie(null)
    await assertOnce(store, cases())
    t.annotate(`${steps.length} steps: ${steps.join(', ')}`)
  })

  test('reports each expiry exactly once when several processes sweep', { skip: ENGINE === 'embedded' }, async () => {
    const { store, cases, sweepAndDie } = await createGroup()
    const servers = await Promise.all([startProcess(store.settings), startProcess(store.settings)])
    for (let round = 0; round < (FULL ? 3 : 1); round++)
      await Promise.all(Array.from({ length: 4 }, () => sweepAndDie(null)))
    await sweepAndDie(null)
    const db = await store.open()
    await nothingDue(db)
    await db.close()
    await Promise.all(servers.map((server) => server.kill('SIGTERM')))
    await assertOnce(store, cases())
  })
})
