/**
 * Events are read during concurrent writes from several connections and server processes, with transactions that stay
 * open for long, and some that begin early and write late. A reader that follows the feed gets each event once and the
 * events of each stream in order. A reader by time, or only by the tick, does not; the test shows that too.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { type Event, listEvents } from '#contract/events/events.ts'
import { ADD_PERMISSIONS } from '#features/permissions/grants/add-statements.ts'
import { databaseClock } from '#platform/clock.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { createLog } from '#platform/log.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type FeedEvent, followEvents, startFollowing } from '#tenancy/events/feed.ts'
import { lockOrganizations } from '#tenancy/writes/organization.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { READER } from '#testing/consumers.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { FULL, patient } from '#testing/run/mode.ts'
import { ENGINE } from '#testing/server.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'

const SECONDS = Number(process.env.EVENT_ORDER_SECONDS ?? (FULL ? 6 : 2))
const ORGANIZATIONS = 5
const below = (limit: number): number => Math.floor(Math.random() * limit)

interface Position {
  stream: string
  sequence: number
}
const nameOf = ({ stream, sequence }: Position): string => `${stream} ${sequence}`

/** Returns the faults in what a reader got: missing or repeated events, and streams that are out of order. */
function faultsOf(got: readonly Position[], stored: readonly Position[]) {
  const times = new Map<string, number>()
  const last = new Map<string, number>()
  let disordered = 0
  for (const event of got) {
    times.set(nameOf(event), (times.get(nameOf(event)) ?? 0) + 1)
    if (event.sequence < (last.get(event.stream) ?? 0)) disordered++
    last.set(event.stream, event.sequence)
  }
  return {
    missed: stored.filter((event) => !times.has(nameOf(event))).length,
    repeated: [...times.values()].filter((count) => count > 1).length,
    disordered,
  }
}
const FLAWLESS = { missed: 0, repeated: 0, disordered: 0 }

/** Calls `work` repeatedly, with this concurrency, until the end. */
const until = (end: number, atOnce: number, work: (nth: number) => Promise<unknown>) =>
  Promise.all(
    Array.from({ length: atOnce }, async (_, nth) => {
      while (Date.now() < end) await work(nth)
    }),
  )

const grantBy = (client: Client, userId: string, organizations: string[]) =>
  client.call(addPermissions, {
    user: { userId },
    permissions: {
      resources: organizations.map((id) => ({
        type: 'organization' as const,
        id,
        expiresAt: 2_000_000_000 + below(1_000_000_000),
      })),
    },
  })

/** Adds a grant in a transaction that began to write long before, and stays open for long. */
async function grantSlowly(db: Db, apiKeyId: string, organizationId: string, beforeMs: number, afterMs: number) {
  await db.transaction(async (session) => {
    await session.query('select pg_current_xact_id()')
    await sleep(beforeMs)
    const row = {
      apiKeyId: apiKeyId as ApiKeyId,
      organizationKey: organizationKey({ apiKeyId: apiKeyId as ApiKeyId }, organizationId),
      organizationId,
      createOrganization: true,
    }
    await session.runSet(ADD_PERMISSIONS, [await slowGrant(session, row)])
    await sleep(afterMs)
  })
}

async function slowGrant<Row extends Parameters<typeof lockOrganizations>[1][number]>(session: Session, row: Row) {
  const [locked] = await lockOrganizations(session, [row])
  return {
    ...(locked ?? row),
    req: 0,
    kind: 'organization' as const,
    resourceId: row.organizationId,
    principal: `slow ${below(1_000_000)}`,
    standingRole: 'viewer' as const,
    temporaryRole: null,
    expiresAt: null,
    replaces: false,
    expiringSoonSeconds: 0,
    keep: false,
    knownOnly: false,
    createResource: false,
    actor: { address: 'test' },
  }
}

/** Reads until everything is written, and then once more. */
function readOn(readNext: () => Promise<Position[]>): () => Promise<Position[]> {
  const got: Position[] = []
  let writing = true
  const read = async () => {
    for (let last = false; !last; await sleep(10)) {
      last = !writing
      got.push(...(await readNext()))
    }
    return got
  }
  const finished = read()
  return () => {
    writing = false
    return finished
  }
}

/** A reader that queries the rows after its last one by a column that increases with time. Such a reader misses events. */
function readNaively(db: Db, apiKeyId: string, column: 'tick' | 'changed_at') {
  let last: string | null = null
  return readOn(async () => {
    const { rows } = await db.query(
      `select stream, sequence, ${column}::text as place from events
        where api_key_id = $1 and ($2::text is null or ${column} > $2::text::${column === 'tick' ? 'bigint' : 'timestamptz'})
        order by ${column}, stream, sequence`,
      [apiKeyId, last],
    )
    const found = rows as (Position & { place: string })[]
    last = found.at(-1)?.place ?? last
    return found
  })
}

/** A reader that pages through `events.list`, alternating between two servers, and continues with the last token. */
function readPages(clients: readonly Client[], pageSize: number) {
  let pageToken: string | undefined
  let calls = 0
  return readOn(async () => {
    const got: Position[] = []
    for (let hasMore = true; hasMore; ) {
      const client = clients[calls++ % clients.length] ?? assert.fail('no client')
      const query = { order: 'oldestFirst', pageSize, ...(pageToken && { pageToken }) }
      const { http, text, body } = await client.post(listEvents.path, query)
      assert.equal(http, 200, text)
      got.push(...body.result.data.events.map(positionOf))
      hasMore = body.result.data.hasMore
      pageToken = body.result.nextPageToken
    }
    return got
  })
}

/** Returns all events of `events.list`, the newest first. */
async function readPagesBack(client: Client): Promise<Position[]> {
  const got: Position[] = []
  for (let pageToken: string | undefined; ; ) {
    const { body } = await client.post(listEvents.path, { pageSize: 100, ...(pageToken && { pageToken }) })
    got.push(...body.result.data.events.map(positionOf))
    if (!body.result.data.hasMore) return got
    pageToken = body.result.nextPageToken
  }
}

/** Returns the stream and the sequence from the id of an event. */
function positionOf({ id }: Event): Position {
  const [stream = '', sequence] = id.split('-')
  return { stream: stream.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), sequence: Number(sequence) }
}

/** Starts followers as several processes do. They record their events in a table, and sometimes fail. */
async function followWithFailures(db: Db, key: Client, count: number) {
  await db.script('create table followed (place bigserial, stream uuid, sequence bigint)')
  await db.transaction((session) => startFollowing(session, READER, apiKeyOf(key)))
  const note = (session: Session, events: readonly FeedEvent[]) =>
    session.query('insert into followed (stream, sequence) select * from unnest($1::uuid[], $2::bigint[])', [
      events.map(({ stream }) => stream),
      events.map(({ sequence }) => sequence),
    ])
  const log = createLog('silent')
  const stops = Array.from({ length: count }, () =>
    followEvents(
      { db, log },
      READER,
      async (session, followed) => {
        for (const { events } of followed) await note(session, events)
        if (below(4) === 0) throw new Error('the handler has its bad day')
      },
      { intervalMs: 5 },
    ),
  )
  const got = async () => {
    const { rows } = await db.query('select stream, sequence from followed order by place')
    return rows as Position[]
  }
  return { got, stop: () => Promise.all(stops.map((stop) => stop())) }
}

async function storedOf(db: Db, apiKeyId: string): Promise<Position[]> {
  const { rows } = await db.query('select stream, sequence from events where api_key_id = $1', [apiKeyId])
  return rows as Position[]
}

describe('readers of events that several processes write, with long transactions', {
  skip: ENGINE === 'embedded',
}, () => {
  it('get each event once and each stream in order, while readers by time or tick alone do not', async (t) => {
    const store = await createLastingStore()
    const servers = await Promise.all([startProcess(store.settings), startProcess(store.settings)])
    const db = await openPostgres(store.settings.DATABASE_URL ?? '', databaseClock, {
      connections: 24,
      statementTimeoutMs: 60_000,
    })
    cleanUp(() => db.close())
    const [first] = servers
    const key = await first.client.newKey()
    const apiKeyId = apiKeyOf(key)
    const clients = servers.map(({ client }) => client.with(key.headers))

    const followers = await followWithFailures(db, key, 3)
    const before = await storedOf(db, apiKeyId)
    const pages = [1, 7, 1_000].map((pageSize) => ({ pageSize, finish: readPages(clients, pageSize) }))
    const naive = { tick: readNaively(db, apiKeyId, 'tick'), changed_at: readNaively(db, apiKeyId, 'changed_at') }
    const end = Date.now() + SECONDS * 1_000
    const organization = () => `o${below(ORGANIZATIONS)}`
    await Promise.all([
      until(end, 8, (nth) => grantBy(clients[nth % 2] ?? key, `u${below(10)}`, [organization()])),
      until(end, 4, (nth) => grantSlowly(db, apiKeyId, `slow ${nth}`, 0, below(500))),
      until(end, 2, () => grantSlowly(db, apiKeyId, organization(), below(500), 0)),
      until(end, 1, () => grantSlowly(db, apiKeyId, 'very slow', 0, (SECONDS * 1_000) / 2)),
    ])
    const stored = await storedOf(db, apiKeyId)
    const wanted = stored.length - before.length
    for (const deadline = Date.now() + patient(90_000); Date.now() < deadline; await sleep(100))
      if ((await followers.got()).length >= wanted) break
    await sleep(200)
    await followers.stop()

    const old = new Set(before.map(nameOf))
    const news = stored.filter((event) => !old.has(nameOf(event)))
    assert.deepEqual(faultsOf(await followers.got(), news), FLAWLESS, 'the followers')
    for (const { pageSize, finish } of pages)
      assert.deepEqual(faultsOf(await finish(), stored), FLAWLESS, `pages of ${pageSize}`)
    const newest = await readPagesBack(key)
    assert.deepEqual(faultsOf(newest.toReversed(), stored), FLAWLESS, 'pages from the newest on')
    for (const [column, finish] of Object.entries(naive)) {
      const faults = faultsOf(await finish(), stored)
      t.annotate(`by ${column} alone, of ${stored.length} events: ${JSON.stringify(faults)}`)
      assert.ok(faults.missed > 0, `a reader by ${column} alone missed nothing: the test would not notice one`)
    }
  })
})
