/**
 * `npm run bench -- --only search`: measures the first page of searches in a data set of `--documents`, and in one of
 * ten beside it, what the search adds to the cost of adding documents, and searches for threads among `COMMENTS`
 * comments, on PostgreSQL. Calls are sequential.
 */
import pg from 'pg'
import type { Operation } from '#contract/core/operation.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { runSearch } from '#contract/resources/search.ts'
import { type Client, createClient } from '#testing/client.ts'
import { percentile, say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'
import { keyOf } from './support/world.ts'

const SMALL = 10
const CALLS = 20
const ADDED = 1_000
const COMMENTS = 100_000
const COMMENTS_SMALL = 1_000

/** Names such as "Quarterly budget 12345"; one in 100,000 is a "Zebra". $1 is the API key, $2 the number of documents. */
const FILL = [
  `insert into organizations (organization_key, api_key_id, organization_id, added_at)
   values (${keyOf('$1::text', `'acme'`)}, $1, 'acme', clock_timestamp())`,
  `insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
   select organization_key, organization_key, 'organization', 'acme', clock_timestamp(), array[organization_key], 1, organization_key
     from organizations where api_key_id = $1`,
  `insert into resources (organization_key, resource_key, kind, id, name, added_at)
   select o.organization_key, gen_random_uuid(), 'document', 'document-' || d,
          case when d % 100000 = 7 then 'Zebra' else (array['Quarterly', 'Annual', 'Draft of the', 'Old', 'Final'])[1 + d % 5] end
            || ' ' || (array['budget', 'report', 'minutes', 'contract', 'plan', 'offer', 'invoice'])[1 + d % 7] || ' ' || d / 35,
          clock_timestamp()
     from organizations o, generate_series(0, $2::int - 1) d where o.api_key_id = $1`,
]

const QUERIES = [
  ['one document by its id', 'document-777777'],
  ['begins with: all', 'document'],
  ['contains: all', 'ument'],
  ['contains: a fifth', 'annual'],
  ['contains: 3 %', 'annual budget'],
  ['contains: ten', 'zebra'],
  ['contains: about 0.3 %', '777'],
  ['contains: one of two words', 'zebra contract'],
  ['none', 'no such thing'],
  ['none, of frequent parts', 'budget annual quarterly'],
  ['none, of frequent digits', '1234321234'],
  ['one character', 'd'],
] as const

/**
 * Threads of two comments of 17 words on `SMALL` documents; "quark" is in six comments, "zebra" in 0.3 %. $1 is the API
 * key, $2 the number of comments.
 */
const FILL_THREADS = [
  `insert into threads (organization_key, resource_key, annotation_id, created_at, last_updated, content, comments_written, last_position, comment_count, bytes)
   select o.organization_key, r.resource_key, 'thread-' || t, clock_timestamp(), clock_timestamp(),
          '{"type": "comment", "from": {"userId": "ada"}, "visibility": {"type": "public"}, "status": {"id": "OPEN", "name": "Open", "type": "default"}}', 2, 2, 2, 400
     from organizations o cross join generate_series(0, $2::int / 2 - 1) t
     join resources r on r.organization_key = o.organization_key and r.kind = 'document' and r.id = 'document-' || t % ${SMALL}
    where o.api_key_id = $1`,
  `insert into thread_comments (organization_key, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
   select t.organization_key, t.resource_key, t.annotation_id, n, n, clock_timestamp(), clock_timestamp(),
          jsonb_build_object('from', jsonb_build_object('userId', 'ada'), 'commentText',
            'Could you look at the ' || (array['quarterly', 'annual', 'draft', 'old', 'final'])[1 + hash % 5] || ' figures on page ' || hash % 900
              || ' before we send them to ' || (array['Berlin', 'Lisbon', 'Oslo'])[1 + hash % 3] || ' on Monday'
              || case when hash % 333 = 5 then ' zebra' else '' end || case when seq < 3 then ' quark' else '' end), 200
     from (select t.*, row_number() over () as seq, abs(hashtext(t.annotation_id)) as hash
             from threads t join organizations o on o.organization_key = t.organization_key where o.api_key_id = $1) t,
          generate_series(1, 2) n
    where $2::int > 0`,
]

const THREAD_QUERIES = [
  ['six comments', 'quark'],
  ['0.3 % of the comments', 'zebra'],
  ['a fifth', 'annual'],
  ['all', 'figures'],
  ['a word and the beginning of another', 'zebra figur'],
  ['none', 'hippopotamus'],
] as const

async function timed(
  url: string,
  key: Client,
  operation: Operation,
  data: object,
): Promise<{ ms: number; rows: number; more: boolean }> {
  const start = performance.now()
  const response = await fetch(url + operation.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...key.headers },
    body: JSON.stringify({ data }),
  })
  const text = await response.text()
  const ms = performance.now() - start
  const { result } = JSON.parse(text)
  if (result === undefined) throw new Error(text)
  return { ms, rows: Object.keys(result.data).length, more: result.nextPageToken !== undefined }
}

/** Fills the data sets as the migration finds them: with neither the trigger nor the index, which are added afterwards. */
async function fill(client: pg.Client, sets: readonly (readonly [Client, number])[]): Promise<void> {
  const { rows } = await client.query(`select pg_get_indexdef('search_entries__grams'::regclass) as text`)
  await client.query('drop index search_entries__grams; alter table resources disable trigger resources__search_added')
  for (const [key, count] of sets)
    for (const text of FILL)
      await client.query(text, [key.headers['x-service-api-key'], count].slice(0, text.includes('$2') ? 2 : 1))
  const began = performance.now()
  await client.query(`
    insert into search_entries (api_key_id, kind, place, entry_key, id, words)
    select o.api_key_id, 'document', r.organization_key, r.resource_key, r.id, search_words(r.id, r.name, null)
      from resources r join organizations o on o.organization_key = r.organization_key where r.kind = 'document'`)
  await client.query(rows[0].text)
  say(`\nThe entries were made and indexed in ${((performance.now() - began) / 1000).toFixed(0)} s.`)
  await client.query('alter table resources enable trigger resources__search_added')
  await client.query('vacuum (analyze) resources, search_entries')
}

export async function benchSearch(
  databaseUrl: string,
  settings: Record<string, string>,
  { documents }: { documents: number },
): Promise<void> {
  const server = await startProcess('server/main.ts', settings)
  const [large, small] = [await createClient(server.url).newKey(), await createClient(server.url).newKey()]
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await fill(client, [
    [large, documents],
    [small, SMALL],
  ])
  const { rows: sizes } = await client.query(
    `select relname, pg_size_pretty(pg_relation_size(oid)) as size from pg_class
      where oid in (select indexrelid from pg_index where indrelid = 'search_entries'::regclass)
         or relname in ('search_entries', 'resources', 'resources_pkey', 'resources__id__key')`,
  )
  for (const { relname, size } of sizes) say(`- ${relname}: ${size}`)

  /** Prints the times of the first pages in both data sets, in turns. */
  async function compare(queries: typeof QUERIES | typeof THREAD_QUERIES, data: object, beside: number): Promise<void> {
    sayHead('what matches', 'query', 'rows', 'the fastest', 'p50', `p50 among ${beside.toLocaleString('en')}`)
    for (const [what, query] of queries) {
      const [ofLarge, ofSmall]: [number[], number[]] = [[], []]
      let rows = ''
      for (let call = 0; call < CALLS; call++) {
        const answer = await timed(server.url, large, runSearch, { query, pageSize: 20, ...data })
        ofLarge.push(answer.ms)
        rows = `${answer.rows}${answer.more ? ', more' : ''}`
        ofSmall.push((await timed(server.url, small, runSearch, { query, pageSize: 20, ...data })).ms)
      }
      const times = [Math.min(...ofLarge), percentile(ofLarge, 0.5), percentile(ofSmall, 0.5)]
      sayRow(what, query, rows, ...times.map((ms) => ms.toFixed(1)))
    }
  }

  say(`\n## The first page of 20, ${documents.toLocaleString('en')} documents and ${SMALL} beside them, ms`)
  await compare(QUERIES, {}, SMALL)

  for (const [key, count] of [
    [large, COMMENTS],
    [small, COMMENTS_SMALL],
  ] as const)
    for (const text of FILL_THREADS) await client.query(text, [key.headers['x-service-api-key'], count])
  await client.query('vacuum (analyze) threads, thread_comments')
  say(
    `\n## The first page of 20 threads among ${COMMENTS.toLocaleString('en')} comments, and ${COMMENTS_SMALL} beside them, ms`,
  )
  await compare(THREAD_QUERIES, { kinds: ['thread'] }, COMMENTS_SMALL)

  say(`\n## Adding ${ADDED} documents in one call, ms`)
  sayHead('', 'the fastest', 'p50')
  let added = 0
  const add = async (name: string) => {
    const times: number[] = []
    for (let call = 0; call < CALLS; call++) {
      const items = Array.from({ length: ADDED }, () => ({
        documentId: `added-${++added}`,
        documentName: `Annual report ${added}`,
      }))
      times.push((await timed(server.url, large, addDocuments, { organizationId: 'acme', documents: items })).ms)
    }
    sayRow(name, Math.min(...times).toFixed(0), percentile(times, 0.5).toFixed(0))
  }
  await add('with the search')
  await client.query('alter table resources disable trigger resources__search_added')
  await add('without')
  await client.query('alter table resources enable trigger resources__search_added')
  await add('with it again')
  await client.end()
  await server.stop()
}
