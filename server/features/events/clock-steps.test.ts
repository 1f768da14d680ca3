/** The clock of the database is set back: whoever searches by time still finds every event (ADR 0018). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import type { DataOf } from '#contract/core/operation.ts'
import { listEvents } from '#contract/events/events.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { replayWebhookMessages } from '#contract/webhooks/messages.ts'
import { DELETE_OLD_ATTEMPTS } from '#features/webhooks/delivery/outcome-statements.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { removeOldEvents } from './retention.ts'

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { db } = server
const needsConnections = { skip: ENGINE === 'embedded' }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const organizationId = 'acme'

let key: Client
let documents = 0
beforeEach(async () => {
  key = await server.newKey()
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
})

const add = async (count: number) => {
  for (let nth = 0; nth < count; nth++)
    await key.call(addDocuments, { organizationId, documents: [{ documentId: `d${++documents}` }] })
}

const moveEvents = (days: number) =>
  db.query(
    `update events set changed_at = changed_at + make_interval(secs => $2::float8 * 86400) where api_key_id = $1`,
    [apiKeyOf(key), days],
  )

/** Makes it so that the clock was ahead by some days until now, and was set back. The server notices. */
async function setBack(days: number): Promise<void> {
  await eventually('the server has stored how far the clock is', async () =>
    (await db.query('select from database_clock')).rows.at(0),
  )
  await moveEvents(days)
  await db.query(`update database_clock set reached = clock_timestamp() + make_interval(days => $1::int)`, [days])
  await eventually('the server has noticed that the clock was set back', async () =>
    (await db.query('select from database_clock where reached < clock_timestamp()')).rows.at(0),
  )
}

async function added(query: DataOf<typeof listEvents>): Promise<number> {
  let count = 0
  for (let pageToken: string | undefined; ; ) {
    const { http, body, text } = await key.post(listEvents.path, { ...query, ...(pageToken && { pageToken }) })
    assert.equal(http, 200, text)
    count += body.result.data.events.filter(({ type }: { type: string }) => type === 'document.added').length
    if (!body.result.data.hasMore) return count
    pageToken = body.result.nextPageToken
  }
}

/** Asks in both orders, of the organization and of the whole key. */
async function assertAdded(range: { from?: number; to?: number }, count: number): Promise<void> {
  for (const order of ['oldestFirst', 'newestFirst'] as const)
    for (const place of [{}, { organizationId }])
      assert.equal(
        await added({ ...range, ...place, order }),
        count,
        `${JSON.stringify({ ...range, ...place })} ${order}`,
      )
}

describe('a reader of new events', () => {
  const places = [{}, { organizationId }]
  /** Reads what is new since the page of a token, and returns the number of added documents and the next token. */
  async function read(query: object, pageToken?: string): Promise<[count: number, pageToken: string]> {
    const answer = await key.post(listEvents.path, { order: 'oldestFirst', ...query, ...(pageToken && { pageToken }) })
    assert.equal(answer.http, 200, answer.text)
    const { data, nextPageToken } = answer.body.result
    return [data.events.filter(({ type }: { type: string }) => type === 'document.added').length, nextPageToken]
  }

  it('gets all that happened after the clock was set back, although it began with a time', async () => {
    for (const place of places) {
      await add(1)
      const query = { ...place, from: Date.now() - HOUR_MS, pageSize: 2 }
      let [count, token] = await read({ ...query, pageSize: 100 })
      assert.ok(count > 0)
      await add(3)
      await moveEvents(-1)
      ;[count, token] = await read(query, token)
      assert.equal(count, 2)
      ;[count, token] = await read(query, token)
      assert.equal(count, 1)
      await add(1)
      await moveEvents(-1)
      ;[count, token] = await read(query, token)
      assert.equal(count, 1)
    }
  })

  it('gets nothing from before a time in the future', async () => {
    for (const place of places) {
      const query = { ...place, from: Date.now() + HOUR_MS }
      const [, token] = await read(query)
      await add(1)
      assert.equal((await read(query, token))[0], 0)
    }
  })
})

describe('after the clock was ahead for a time', () => {
  it('a list of events by time has those from before, from then, and from since then', async () => {
    await add(2)
    await moveEvents(-10)
    await add(8)
    await setBack(9)
    await add(3)
    const now = Date.now()
    await assertAdded({ from: now - HOUR_MS, to: now + HOUR_MS }, 3)
    await assertAdded({ from: now - HOUR_MS }, 11)
    await assertAdded({ from: now + 8 * DAY_MS }, 8)
    await assertAdded({ to: now + HOUR_MS }, 5)
    await assertAdded({ from: now - 2 * DAY_MS, to: now - DAY_MS }, 2)
  })

  it(
    'webhooks are sent about all that happened, although their endpoint became active by the clock that was ahead',
    needsConnections,
    async () => {
      const receiver = await startReceiver()
      await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
      await key.call(createWebhookEndpoint, { url: receiver.url, filterTypes: ['document.added'] })
      await setBack(9)
      await db.query(
        `update database_clock set repeated = repeated + tstzmultirange(tstzrange(clock_timestamp() - interval '1 day', clock_timestamp()))`,
      )
      await db.transaction(async (session) => {
        await session.query('lock table event_followers in exclusive mode') // the reader waits
        await add(3)
        await moveEvents(-0.5)
      })
      await receiver.until(3)
      receiver.close()
    },
  )

  it('a replay sends the messages since then', async () => {
    await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const endpoint = { url: 'http://127.0.0.1:9/', filterTypes: ['document.added'] }
    const { id: endpointId } = await key.call(createWebhookEndpoint, endpoint)
    await add(8)
    await setBack(9)
    await add(3)
    const now = Date.now()
    const range = { since: now - HOUR_MS, until: now + HOUR_MS }
    assert.deepEqual(await key.call(replayWebhookMessages, { endpointId, ...range }), { messages: 3 })
  })

  it('old events are deleted also behind those that seem newer', async () => {
    await db.query('delete from events where api_key_id = $1', [apiKeyOf(key)])
    const fill = (from: number, days: number) =>
      db.query(
        `insert into events (stream, sequence, tick, written_by, type, api_key_id, organization_id, actor, changed_at)
         select o.organization_key, n, n - 100000, '2', 'user.added', $1, o.organization_id, '{}', clock_timestamp() - make_interval(days => $3::int)
           from generate_series($2::int, $2::int + 1499) n, organizations o where o.api_key_id = $1`,
        [apiKeyOf(key), from, days],
      )
    await fill(1, 1)
    await fill(2_000, 31)
    await db.query(
      `update database_clock set repeated = repeated + tstzmultirange(tstzrange(clock_timestamp() - interval '32 days', clock_timestamp()))`,
    )
    await removeOldEvents({ db, days: 30 })
    const left = 'select count(*)::int as count from events where api_key_id = $1'
    assert.deepEqual((await db.query(left, [apiKeyOf(key)])).rows, [{ count: 1_500 }])
  })

  it('old attempts of webhooks are deleted also behind those that seem newer', async () => {
    await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const { id: endpointId } = await key.call(createWebhookEndpoint, { url: 'http://127.0.0.1:9/' })
    const fill = (days: number) =>
      db.query(
        `insert into webhook_attempts (endpoint_key, stream, sequence, event_type, attempt, attempted_at, duration_ms, excerpt)
         select e.endpoint_key, gen_random_uuid(), n, 'user.added', 1, clock_timestamp() - make_interval(days => $2::int), 1, ''
           from webhook_endpoints e, generate_series(1, 15) n where e.endpoint_id = $1`,
        [endpointId, days],
      )
    await fill(1)
    await fill(31)
    const deleted = () => db.run(DELETE_OLD_ATTEMPTS, [30, 10])
    await db.query(`update database_clock set repeated = '{}'`)
    assert.deepEqual(await deleted(), [{ deleted: 0 }])
    await db.query(
      `update database_clock set repeated = tstzmultirange(tstzrange(clock_timestamp() - interval '32 days', clock_timestamp()))`,
    )
    assert.deepEqual([await deleted(), await deleted()], [[{ deleted: 10 }], [{ deleted: 5 }]])
  })
})
