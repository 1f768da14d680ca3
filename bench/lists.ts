/**
 * `npm run bench -- --only lists`: measures a page of 100 documents that a user has access to, and of 100 users with access,
 * in an organization of 1,000 documents and in one of `--documents`, on PostgreSQL. Calls are sequential and alternate.
 */
import pg from 'pg'
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import type { Operation } from '#contract/core/operation.ts'
import { type Client, createClient } from '#testing/client.ts'
import { percentile, say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'
import { keyOf } from './support/world.ts'

const SMALL = 1_000
const PAGE = 100
const WARM_UP = 300

/** Documents are in the last of three levels of folders; the first level has ten folders. */
interface Shape {
  id: string
  documents: number
  middles: number
  leaves: number
  members: number
}

const folderKey = (id: string): string => keyOf('o.organization_key::text', id)
const IN_SHAPE = 'o.api_key_id = $1 and o.organization_id = $2'

/** $1 is the id of the API key, $2 that of the organization; further values describe the shape. */
const STEPS: readonly [text: string, values: (shape: Shape) => number[]][] = [
  [
    `insert into organizations (organization_key, api_key_id, organization_id, added_at)
     values (${keyOf('$1::text', '$2::text')}, $1, $2, clock_timestamp())`,
    () => [],
  ],
  [
    `insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
     select organization_key, organization_key, 'organization', organization_id, clock_timestamp(), array[organization_key], 1, organization_key
       from organizations o where ${IN_SHAPE}`,
    () => [],
  ],
  [
    `insert into resources (organization_key, resource_key, kind, id, folder_key, added_at, path, boundary_depth, boundary_key)
     select o.organization_key, f.path[cardinality(f.path)], 'folder', f.id, case when cardinality(f.path) > 2 then f.path[cardinality(f.path) - 1] end,
            clock_timestamp(), f.path, 1, o.organization_key
       from organizations o
      cross join lateral (
        select concat_ws('-', 'f', t, m, l) as id,
               array_remove(array[o.organization_key, ${folderKey("'f-' || t")}, case when m > 0 then ${folderKey("concat_ws('-', 'f', t, m)")} end,
                                  case when l > 0 then ${folderKey("concat_ws('-', 'f', t, m, l)")} end], null) as path
          from generate_series(0, 9) t
         cross join lateral (
            select null::int as m, null::int as l
            union all select m, null from generate_series(1, $3::int) m
            union all select m, l from generate_series(1, $3::int) m, generate_series(1, $4::int) l) below) f
      where ${IN_SHAPE}`,
    ({ middles, leaves }) => [middles, leaves],
  ],
  [
    `insert into resources (organization_key, resource_key, kind, id, folder_key, added_at)
     select o.organization_key, gen_random_uuid(), 'document', 'document-' || d,
            ${folderKey("concat_ws('-', 'f', d % 10, 1 + d / 10 % $3::int, 1 + d / 10 / $3::int % $4::int)")}, clock_timestamp()
       from organizations o, generate_series(0, $5::int - 1) d where ${IN_SHAPE}`,
    ({ middles, leaves, documents }) => [middles, leaves, documents],
  ],
  // few: grants on 200 documents; member: one on the organization; folder: one on the first of the ten. Then many members.
  [
    `insert into grants (organization_key, resource_key, principal, kind, standing_role)
     select r.organization_key, r.resource_key, u.user_id, r.kind, 'viewer'
       from organizations o
      cross join lateral (
        select 'few' as user_id, 'document'::resource_kind as kind, 'document-' || g * ($3::int / 200) as id from generate_series(0, 199) g
        union all
        values ('member', 'organization'::resource_kind, o.organization_id), ('folder', 'folder', 'f-0')
        union all
        select 'm' || lpad(m::text, 8, '0'), 'organization', o.organization_id from generate_series(1, $4::int) m) u
       join resources r on r.organization_key = o.organization_key and r.kind = u.kind and r.id = u.id
      where ${IN_SHAPE}`,
    ({ documents, members }) => [documents, members],
  ],
]

async function fillShape(client: pg.Client, apiKeyId: string, shape: Shape): Promise<void> {
  for (const [text, values] of STEPS) {
    await client.query(text, [apiKeyId, shape.id, ...values(shape)])
    await client.query('vacuum (analyze) organizations, resources, grants')
  }
}

async function callOnce(url: string, key: Client, operation: Operation, data: object): Promise<number> {
  const start = performance.now()
  const response = await fetch(url + operation.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...key.headers },
    body: JSON.stringify({ data }),
  })
  const text = await response.text()
  const spent = performance.now() - start
  const { resources, users } = JSON.parse(text).result.data as { resources?: unknown[]; users?: unknown[] }
  if ((resources ?? users)?.length !== PAGE) throw new Error(`not a full page: ${text.slice(0, 200)}`)
  return spent
}

export async function benchLists(
  databaseUrl: string,
  settings: Record<string, string>,
  { documents, seconds }: { documents: number; seconds: number },
): Promise<void> {
  const server = await startProcess('server/main.ts', settings)
  const key = await createClient(server.url).newKey()
  const apiKeyId = key.headers['x-service-api-key'] ?? ''
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const small = { id: 'small', documents: SMALL, middles: 1, leaves: 4, members: SMALL }
  const large = { id: 'large', documents, middles: 1, leaves: 4, members: documents }
  const largeTree = { id: 'large tree', documents, middles: documents / 20_000, leaves: 100, members: 0 }
  for (const shape of [small, large, largeTree]) await fillShape(client, apiKeyId, shape)
  const setDefault = (accessType: string) =>
    client.query('update api_keys set default_access_type = $2 where api_key_id = $1', [apiKeyId, accessType])

  const page = (organizationId: string, userId: string) => ({
    operation: listPermittedResources,
    data: { organizationId, userId, types: ['document'], pageSize: PAGE },
  })
  const usersOf = (id: string) => ({
    operation: listPermittedUsers,
    data: { resource: { type: 'organization', id }, pageSize: PAGE },
  })
  const measure = async (name: string, one: ReturnType<typeof page | typeof usersOf>, other: typeof one) => {
    const times: [number[], number[]] = [[], []]
    const once = async (nth: 0 | 1) =>
      times[nth].push(
        await callOnce(server.url, key, (nth === 0 ? one : other).operation, (nth === 0 ? one : other).data),
      )
    for (let call = 0; call < WARM_UP; call++) await once(call % 2 === 0 ? 0 : 1)
    for (const list of times) list.length = 0
    for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
      await once(0)
      await once(1)
    }
    const [first, second] = times.map((list) => percentile(list, 0.5)) as [number, number]
    sayRow(name, first.toFixed(2), second.toFixed(2), (second / first).toFixed(2))
  }
  say(
    `\n## A page of ${PAGE}: an organization of ${SMALL} documents and one of ${documents.toLocaleString('en')}, p50 ms`,
  )
  sayHead('whose', 'small', 'large', 'large ÷ small')
  await setDefault('restricted')
  await measure('200 grants on documents', page('small', 'few'), page('large', 'few'))
  await measure('the same, a tree of many folders', page('small', 'few'), page('large tree', 'few'))
  await measure(
    'a grant on a folder, 10 % of the documents, 60 folders',
    page('small', 'folder'),
    page('large', 'folder'),
  )
  await measure(
    `the same, ${(documents / 20).toLocaleString('en')} folders`,
    page('small', 'folder'),
    page('large tree', 'folder'),
  )
  await setDefault('organizationPrivate')
  await measure('a member of an organizationPrivate organization', page('small', 'member'), page('large', 'member'))
  await measure('the same, a tree of many folders', page('small', 'member'), page('large tree', 'member'))
  await measure('users of an organization with as many members', usersOf('small'), usersOf('large'))
  await client.end()
  await server.stop()
}
