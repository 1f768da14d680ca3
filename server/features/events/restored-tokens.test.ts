/** Page tokens of events after a failover or a restore that may have lost events: they are refused, never answered with a gap. */
import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { listEvents } from '#contract/events/events.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'

const feed = { order: 'oldestFirst' }
const stream = { order: 'oldestFirst', organizationId: 'acme' }

const { db, newKey } = await startServer()

async function tokenOf(client: Client, query: object): Promise<string> {
  const answer = await client.post(listEvents.path, query)
  return answer.body.result.nextPageToken
}

describe('a page token of events', () => {
  test('is valid after a promotion that lost nothing it has seen, and refused after one that did', async () => {
    const client = await newKey()
    cleanUp(() => db.query('delete from database_epochs'))
    await client.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    const [early, earlyStream] = [await tokenOf(client, feed), await tokenOf(client, stream)]
    await client.call(addOrganizations, { organizations: [{ organizationId: 'later' }] })
    const { rows } = await db.query('select pg_current_wal_insert_lsn()::text as position')
    const [{ position } = { position: '' }] = rows as { position: string }[]
    await client.call(addOrganizations, { organizations: [{ organizationId: 'latest' }] })
    const [late, lateStream] = [await tokenOf(client, feed), await tokenOf(client, stream)]
    const outcomes = async (...tokens: [query: object, pageToken: string][]) => {
      const answers = tokens.map(async ([query, pageToken]) => {
        const { http, body } = await client.post(listEvents.path, { ...query, pageToken })
        return body.error?.reason ?? http
      })
      return Promise.all(answers)
    }
    const all = () => outcomes([feed, early], [stream, earlyStream], [feed, late], [stream, lateStream])
    assert.deepEqual(await all(), [200, 200, 200, 200])

    // A standby was promoted whose log ended between the two.
    const begin = (epoch: number, timeline: number, numberedAfter: number, forkedAt: string | null) =>
      db.query(
        `insert into database_epochs (epoch, timeline, numbered_after, forked_at, table_oid)
         values ($1, $2, $3, $4, 'database_epochs'::regclass)`,
        [epoch, timeline, numberedAfter, forkedAt],
      )
    await begin(2, 2, 1_000_000, position)
    assert.deepEqual(await all(), [200, 200, 'page_token_invalid', 'page_token_invalid'])
    const next = await tokenOf(client, { ...feed, pageToken: early })
    assert.deepEqual(await outcomes([feed, next]), [200])

    // Nobody knows which events a restored backup lacks.
    await begin(3, 1, 2_000_000, null)
    assert.deepEqual(await outcomes([feed, next], [feed, early]), ['page_token_invalid', 'page_token_invalid'])
    for (const query of [feed, stream]) {
      const pageToken = query === feed ? early : earlyStream
      const refusal = await client.post(listEvents.path, { ...query, pageToken })
      assert.match(refusal.body.error.message, /before a restore .*`from`/)
    }
    const restored = await tokenOf(client, feed)
    assert.deepEqual(await outcomes([feed, restored]), [200])

    // A third standby never had the events after the first promotion, and its own second epoch is another one.
    await db.query('delete from database_epochs where epoch = 3')
    await db.query('update database_epochs set numbered_after = 1500000 where epoch = 2')
    assert.deepEqual(await outcomes([feed, next], [feed, restored], [feed, early]), [
      'page_token_invalid',
      'page_token_invalid',
      200,
    ])
  })
})
