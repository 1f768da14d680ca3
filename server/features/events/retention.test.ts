/** Deleting old events (`EVENT_RETENTION_DAYS`). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { startFollowing } from '#tenancy/events/feed.ts'
import type { Client } from '#testing/client.ts'
import { OTHER_READER, READER } from '#testing/consumers.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { removeOldEvents } from './retention.ts'

const server = await startServer()
const { db } = server
const DAY_MS = 24 * 60 * 60 * 1_000
const DAYS = 30

let key: Client
let apiKeyId: string
beforeEach(async () => {
  key = await server.newKey()
  apiKeyId = apiKeyOf(key)
})

/** Creates more than one batch of events in two organizations, a thousand in each; the last `young` of each are recent. */
async function fill(young: number): Promise<void> {
  const organizations = Array.from({ length: 2 }, (_, nth) => ({ organizationId: `o${nth}` }))
  await key.call(addOrganizations, { organizations })
  await db.query('delete from events where api_key_id = $1', [apiKeyId])
  await db.query(
    `insert into events (stream, sequence, tick, written_by, type, api_key_id, organization_id, actor, changed_at)
     select o.organization_key, n, n - 100000, '2', 'user.added', $1, o.organization_id, '{}',
            clock_timestamp() - make_interval(days => case when n > 1000 - $2::int then 1 else ${DAYS + 1} end)
       from generate_series(1, 1000) n, organizations o where o.api_key_id = $1`,
    [apiKeyId, young],
  )
}

async function left(): Promise<{ events: number; gaps: number }> {
  const { rows } = await db.query(
    `select count(*)::int as events, (sum(sequence) <> sum(least_of_all))::int as gaps
       from (select sequence, 1000 + 1 - row_number() over (partition by stream order by sequence desc) as least_of_all
               from events where api_key_id = $1 and stream in (select organization_key from organizations)) e`,
    [apiKeyId],
  )
  const [row] = rows as { events: number; gaps: number | null }[]
  return { events: row?.events ?? 0, gaps: row?.gaps ?? 0 }
}

describe('the retention of events', () => {
  it('deletes all old events and keeps the others, without gaps', async () => {
    await fill(100)
    await removeOldEvents({ db, days: DAYS })
    assert.deepEqual(await left(), { events: 200, gaps: 0 })
    await removeOldEvents({ db, days: DAYS })
    assert.deepEqual(await left(), { events: 200, gaps: 0 })
  })

  it('uses the clock of the service', async () => {
    await fill(1_000)
    server.clock.set(new Date(Date.now() + (DAYS - 2) * DAY_MS))
    await removeOldEvents({ db, days: DAYS })
    assert.equal((await left()).events, 2_000)
    server.clock.set(new Date(Date.now() + DAYS * DAY_MS))
    await removeOldEvents({ db, days: DAYS })
    server.clock.set(null)
    assert.equal((await left()).events, 0)
  })

  it('keeps events that a follower has not read, and deletes them afterwards', async () => {
    await fill(0)
    await db.transaction((session) => startFollowing(session, READER, apiKeyId))
    await db.transaction((session) => startFollowing(session, OTHER_READER, apiKeyId))
    const seen = (consumer: string, snapshot: string) =>
      db.query(`update event_followers set seen = ${snapshot} where consumer = $1 and api_key_id = $2`, [
        consumer,
        apiKeyId,
      ])
    await db.query(`update events set written_by = '3' where api_key_id = $1 and sequence > 400`, [apiKeyId])
    await seen(OTHER_READER, `'3:3:'`)
    await removeOldEvents({ db, days: DAYS })
    assert.deepEqual(await left(), { events: 1_200, gaps: 0 })
    await seen(OTHER_READER, 'pg_current_snapshot()')
    await removeOldEvents({ db, days: DAYS })
    assert.equal((await left()).events, 0)
  })

  it('deletes events of deleted keys and of no key', async () => {
    await fill(0)
    await db.query(`update events set changed_at = '2001-01-01' where api_key_id is null`)
    await db.query('delete from api_keys where api_key_id = $1', [apiKeyId])
    await removeOldEvents({ db, days: DAYS })
    const { rows } = await db.query('select from events where api_key_id is null or api_key_id = $1 and type = $2', [
      apiKeyId,
      'user.added',
    ])
    assert.deepEqual(rows, [])
  })
})
