/**
 * `npm run bench -- --only events`: measures reading from a very large number of events on PostgreSQL, and what the indexes
 * for reading cost writers. One organization has half of the events of a year, a thousand others share the rest.
 */
import pg from 'pg'
import { addPermissions } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { listEvents } from '#contract/events/events.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Client, createClient } from '#testing/client.ts'
import { postgresCpuSeconds } from './support/cpu.ts'
import { percentile, say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'

type Query = DataOf<typeof listEvents>

const ORGANIZATIONS = 1_000
const USERS = 10_000
const REPEATS = 30
const PAGES_SHOWN = 100
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000
const HOUR_MS = 60 * 60 * 1_000

const ms = (value: number): string => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en'))
const p50 = (times: readonly number[]): string => ms(percentile(times, 0.5))

/** Every ten-thousandth event has a rare type, token, user and document. */
const FILL = /* sql */ `
  insert into events (stream, sequence, tick, written_by, type, workspace_id, api_key_id, organization_id, resource_kind, resource_id,
                      user_id, actor, after, changed_at)
  select case when n % 2 = 0 then $4::uuid else o.organization_key end,
         case when n % 2 = 0 then n / 2 else n / 2 / ${ORGANIZATIONS} end + 1000000, n - 20000000, '2',
         case when rare then 'permission.removed' else 'permission.added' end, 'w', $1,
         case when n % 2 = 0 then 'large' else o.organization_id end, 'document', case when rare then 'rare' else 'd' || n % 997 end,
         case when rare then 'rare' else 'u' || n % ${USERS} end,
         jsonb_build_object('apiKey', $1::text, 'token', case when rare then 'Rare' else 'Default Auth Token' end, 'address', '127.0.0.1'),
         '{"accessRole": "viewer", "expiresAt": null}', clock_timestamp() - make_interval(secs => ($2::float - n) * $3::float / $2::float / 1000)
    from (select n, n % 10000 = 4242 as rare from generate_series(0, $2::int - 1) n) numbered
    join (select organization_key, organization_id, row_number() over (order by organization_key) - 1 as nth
            from organizations where api_key_id = $1 and organization_id <> 'large') o on o.nth = n / 2 % ${ORGANIZATIONS}`

/** The indexes that listing needs. */
const INDEXES = {
  tick: 'create index events__tick__idx on events (api_key_id, tick, stream, sequence)',
  user: 'create index events__user_tick__idx on events (api_key_id, user_id, tick, stream, sequence) where user_id is not null',
  resource:
    'create index events__resource_id__idx on events (stream, resource_kind, resource_id, sequence) where resource_id is not null',
} as const
const DROP = 'drop index if exists events__tick__idx, events__user_tick__idx, events__resource_id__idx'

async function fill(databaseUrl: string, key: Client, events: number): Promise<void> {
  const apiKeyId = key.headers['x-service-api-key'] as ApiKeyId
  const ids = ['large', ...Array.from({ length: ORGANIZATIONS }, (_, nth) => `o${nth}`)]
  for (let at = 0; at < ids.length; at += 500) await grant(key, 'first', ids.slice(at, at + 500))
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query(`select indexdef from pg_indexes where tablename = 'events'`)
  await client.query('truncate events')
  await client.query(`alter table events drop constraint events_pkey; drop index events__user_id__idx; ${DROP}`)
  await client.query(FILL, [apiKeyId, events, YEAR_MS, organizationKey({ apiKeyId }, 'large')])
  for (const { indexdef } of rows) await client.query(indexdef)
  await client.query('alter table events add primary key using index events_pkey')
  await client.query('update organizations set event_count = event_count + $1', [events])
  await client.query('vacuum (analyze) events')
  const sizes = await client.query(
    `select pg_size_pretty(pg_relation_size('events')) as heap, pg_size_pretty(pg_relation_size('events_pkey')) as numbers,
            pg_size_pretty(pg_relation_size('events__tick__idx')) as ticks, pg_size_pretty(pg_relation_size('events__user_id__idx')) as users,
            pg_size_pretty(pg_relation_size('events__user_tick__idx')) as "users of the key", pg_size_pretty(pg_relation_size('events__resource_id__idx')) as resources`,
  )
  say(`\nSizes: ${JSON.stringify(sizes.rows[0])}`)
  await client.end()
}

const grant = (key: Client, userId: string, organizationIds: readonly string[], more: object = {}) =>
  key.call(addPermissions, {
    user: { userId },
    permissions: { resources: organizationIds.map((id) => ({ type: 'organization' as const, id, ...more })) },
  })

interface Page {
  events: number
  hasMore: boolean
  nextPageToken?: string
  took: number
}

async function read(key: Client, query: Query): Promise<Page> {
  const start = performance.now()
  const { body, text } = await key.post(listEvents.path, query)
  if (body.result === undefined) throw new Error(text)
  const { data, nextPageToken } = body.result
  return { events: data.events.length, hasMore: data.hasMore, nextPageToken, took: performance.now() - start }
}

async function readAll(key: Client, query: Query): Promise<Page[]> {
  const pages: Page[] = []
  for (let pageToken: string | undefined; ; ) {
    const page = await read(key, { ...query, ...(pageToken && { pageToken }) })
    pages.push(page)
    if (!page.hasMore) return pages
    pageToken = page.nextPageToken
  }
}

/** The parts of the year at which a query starts: at its first event, in the middle, near its last. */
const PARTS = [0, 0.5, 0.999]

async function benchPages(key: Client): Promise<void> {
  say(`\n## All events of a key, and of an organization with half of them: ${PAGES_SHOWN} pages of 1,000, p50 ms`)
  sayHead('what', 'from the first on', 'from the middle on', 'the last')
  const now = Date.now()
  for (const query of [{}, { organizationId: 'large' }] as Query[])
    for (const order of ['newestFirst', 'oldestFirst'] as const) {
      const cells: string[] = []
      for (const part of PARTS) {
        const bound = order === 'newestFirst' ? { to: now - part * YEAR_MS } : { from: now - (1 - part) * YEAR_MS }
        const times: number[] = []
        for (let pageToken: string | undefined; times.length < PAGES_SHOWN; ) {
          const page = await read(key, { ...query, ...(part > 0 && bound), order, ...(pageToken && { pageToken }) })
          times.push(page.took)
          if (!page.hasMore) break
          pageToken = page.nextPageToken
        }
        cells.push(p50(times))
      }
      sayRow(`${order} \`${JSON.stringify(query)}\``, ...cells)
    }
}

async function benchTail(key: Client): Promise<void> {
  say('\n## Coming back with the last token')
  sayHead('what', 'nothing new, p50 ms', 'one new event, p50 ms')
  for (const query of [{}, { organizationId: 'o1' }, { userId: 'rare' }] as Query[]) {
    const from = Date.now() - HOUR_MS
    const tail = { ...query, from, order: 'oldestFirst' as const }
    let pageToken = (await readAll(key, tail)).at(-1)?.nextPageToken ?? ''
    const idle: number[] = []
    const news: number[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      idle.push((await read(key, { ...tail, pageToken })).took)
      await grant(key, 'rare', ['o1'], { expiresAt: 2_000_000_000 + repeat })
      const page = await read(key, { ...tail, pageToken })
      if (page.events !== 1) throw new Error(`${page.events} events instead of one`)
      news.push(page.took)
      pageToken = page.nextPageToken ?? ''
    }
    sayRow(JSON.stringify(query), p50(idle), p50(news))
  }
}

async function benchFilters(key: Client): Promise<void> {
  say('\n## Filters, the newest first, pages of 100')
  sayHead('filter', 'first page, p50 ms', 'events on it', 'all pages', 'events', 'all of them, ms')
  const now = Date.now()
  const queries: Query[] = [
    {},
    { types: ['permission.added'] },
    { types: ['permission.removed'] },
    { actor: { token: 'Rare' } },
    { organizationId: 'o7' },
    { organizationId: 'large', types: ['permission.removed'] },
    { organizationId: 'large', userId: 'rare' },
    { organizationId: 'large', resource: { type: 'document', id: 'rare', organizationId: 'large' } },
    { userId: 'u77' },
    { userId: 'rare' },
    { from: now - YEAR_MS / 2, to: now - YEAR_MS / 2 + HOUR_MS },
    { from: now - HOUR_MS },
    { organizationId: 'large', from: now - YEAR_MS / 2, to: now - YEAR_MS / 2 + HOUR_MS },
  ]
  for (const filter of queries) {
    const query = { ...filter, pageSize: 100 }
    const first: Page[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++) first.push(await read(key, query))
    const isAll = Object.keys(filter).length === 0 || filter.types?.[0] === 'permission.added'
    const pages = isAll ? [] : await readAll(key, query)
    const sum = (of: (page: Page) => number) => pages.reduce((total, page) => total + of(page), 0)
    const whole = isAll ? ['', '', ''] : [pages.length, sum(({ events }) => events), ms(sum(({ took }) => took))]
    sayRow(`\`${JSON.stringify(filter)}\``, p50(first.map(({ took }) => took)), first[0]?.events ?? 0, ...whole)
  }
}

/** Measures the CPU time of the database per grant with and without the indexes, alternating between them. */
async function benchWrites(databaseUrl: string, key: Client, seconds: number): Promise<void> {
  say('\n## What indexes cost a grant: CPU of the database, µs for each of 32 at once, by turns')
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const names = Object.keys(INDEXES) as (keyof typeof INDEXES)[]
  const sets = [0, 1, 2, 3].map((count) => names.slice(0, count))
  const costs = sets.map((): number[] => [])
  let expiresAt = 2_100_000_000
  for (let turn = 0; turn < 5 * sets.length; turn++) {
    const nth = turn % sets.length
    await client.query(DROP)
    for (const name of sets[nth] ?? []) await client.query(INDEXES[name])
    await client.query('checkpoint')
    const before = await postgresCpuSeconds(databaseUrl)
    const end = Date.now() + seconds * 1_000
    let grants = 0
    const caller = async (nth: number) => {
      for (; Date.now() < end; grants++) await grant(key, `u${nth}`, [`o${grants % 100}`], { expiresAt: expiresAt++ })
    }
    await Promise.all(Array.from({ length: 32 }, (_, nth) => caller(nth)))
    costs[nth]?.push((((await postgresCpuSeconds(databaseUrl)) - before) / grants) * 1e6)
  }
  sayHead('indexes', 'median', 'each')
  for (const [nth, each] of costs.entries())
    sayRow(sets[nth]?.join(', ') || 'none', ms(percentile(each, 0.5)), each.map((cost) => cost.toFixed(0)).join(', '))
  await client.query(DROP)
  for (const index of Object.values(INDEXES)) await client.query(index)
  await client.end()
}

export async function benchEvents(settings: Record<string, string>, events: number, seconds: number): Promise<void> {
  const databaseUrl = settings.DATABASE_URL ?? ''
  const server = await startProcess('server/main.ts', settings)
  const key = await createClient(server.url).newKey()
  await benchWrites(databaseUrl, key, seconds)
  say(`\n## ${events.toLocaleString('en')} events of one API key over a year, half of them of one organization`)
  await fill(databaseUrl, key, events)
  await benchFilters(key)
  await benchTail(key)
  await benchPages(key)
  await server.stop()
}
