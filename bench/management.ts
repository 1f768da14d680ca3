/**
 * `npm run bench -- --only management`: measures large organizations on PostgreSQL: adding 1,000,000 documents compared with
 * a plain insert of the same rows, reading them page by page, moving a large folder, and deleting everything under load.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { addPermissions } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { addFolders, updateFolders } from '#contract/resources/folders.ts'
import { addOrganizations, deleteOrganizations } from '#contract/resources/organizations.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Client, createClient } from '#testing/client.ts'
import { percentile, say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'

const CALL = 1_000
/** API calls and plain inserts alternate in turns of this many, so that both run under the same conditions. */
const TURN = 50
const CONNECTIONS = 4
const LARGE = 'large'
const PLAIN = 'plain'

const ms = (value: number): string => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en'))

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const documentIds = (call: number): string[] =>
  Array.from({ length: CALL }, (_, index) => `document-${String(call * CALL + index).padStart(8, '0')}`)

/** Inserts the rows that `documents.add` writes, resources and events, from arrays, without checks and joins. */
const PLAIN_INSERT = /* sql */ `
  with counted as (
    update organizations set event_count = event_count + cardinality($2::text[]), event_tick = pg_current_xact_id()::text::bigint
     where organization_key = $1
    returning event_count - cardinality($2::text[]) as events_before, event_tick
  ),
  written as (
    insert into resources (organization_key, resource_key, kind, id, name, metadata, added_at)
    select $1, gen_random_uuid(), 'document', id, id, '{"color": "red"}', clock_timestamp() from unnest($2::text[]) id
  )
  insert into events (stream, sequence, tick, type, workspace_id, api_key_id, organization_id, resource_kind, resource_id, actor, after)
  select $1, events_before + ord, event_tick, 'document.added', $3, $4, '${PLAIN}', 'document', id, $5,
         jsonb_build_object('documentName', id, 'folderId', null, 'accessType', null, 'metadata', '{"color": "red"}'::jsonb)
    from unnest($2::text[]) with ordinality as item(id, ord), counted`

/** Runs `work` for each item, on `connections` items concurrently. */
async function inParallel<Item>(items: Item[], connections: number, work: (item: Item) => Promise<unknown>) {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

async function addMillion(databaseUrl: string, key: Client, documents: number): Promise<void> {
  const apiKeyId = key.headers['x-service-api-key'] as ApiKeyId
  await key.call(addOrganizations, { organizations: [{ organizationId: LARGE }, { organizationId: PLAIN }] })
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS })
  const actor = JSON.stringify({ apiKey: apiKeyId, token: 'Default Auth Token', address: '127.0.0.1' })
  const insert = (ids: string[]) =>
    pool.query({
      name: 'plain',
      text: PLAIN_INSERT,
      values: [organizationKey({ apiKeyId }, PLAIN), ids, 'workspace', apiKeyId, actor],
    })
  const add = (ids: string[]) =>
    key.call(addDocuments, {
      organizationId: LARGE,
      documents: ids.map((documentId) => ({ documentId, documentName: documentId, color: 'red' })),
    })
  say(`\n## Adding ${documents.toLocaleString('en')} documents to one organization, ${CALL} a call`)
  sayHead(
    'connections',
    'plain `insert … select from unnest`, documents/s',
    '`documents/add`, documents/s',
    'of the plain insert',
  )
  const calls = documents / CALL
  const concurrent = Math.floor((calls * 0.8) / TURN) * TURN
  // Most of them concurrently, as an import does; the rest on one connection.
  for (const [connections, from, to] of [
    [CONNECTIONS, 0, concurrent],
    [1, concurrent, calls],
  ] as const) {
    const spent = { plain: 0, ours: 0 }
    for (let call = from; call < to; call += TURN) {
      const turn = Array.from({ length: TURN }, (_, index) => documentIds(call + index))
      spent.plain += await timed(() => inParallel(turn, connections, insert))
      spent.ours += await timed(() => inParallel(turn, connections, add))
    }
    const rate = (spentMs: number) => Math.round((((to - from) * CALL) / spentMs) * 1000)
    sayRow(connections, rate(spent.plain), rate(spent.ours), (spent.plain / spent.ours).toFixed(2))
  }
  await pool.end()
}

async function readPages(key: Client): Promise<void> {
  const times: number[] = []
  let pageToken: string | undefined
  do {
    times.push(
      await timed(async () => {
        const { body } = await key.post(getDocuments.path, { organizationId: LARGE, pageSize: CALL, pageToken })
        pageToken = body.result.nextPageToken
      }),
    )
  } while (pageToken !== undefined)
  const pages = Math.min(100, Math.floor(times.length / 2))
  const median = (part: number[]) => ms(percentile(part, 0.5))
  say(`\n## \`documents/get\`, pages of ${CALL}, all ${times.length} of them`)
  sayHead('which', 'p50 ms')
  sayRow(`the first ${pages}`, median(times.slice(0, pages)))
  sayRow(`the last ${pages}`, median(times.slice(-pages)))
}

/** Adds folders below `top`, ten in each, level by level. */
async function addTree(key: Client, organizationId: string, count: number): Promise<void> {
  const folders = Array.from({ length: count }, (_, index) => ({
    folderId: `f${index + 1}`,
    parentFolderId: index < 10 ? 'top' : `f${Math.floor(index / 10)}`,
  }))
  await key.call(addFolders, {
    organizationId,
    createOrganization: true,
    folders: [{ folderId: 'top' }, { folderId: 'other', accessType: 'restricted' }],
  })
  for (let start = 0; start < count; start += CALL)
    await key.call(addFolders, { organizationId, folders: folders.slice(start, start + CALL) })
}

async function moveFolder(key: Client, descendants: number): Promise<void> {
  const organizationId = 'tree'
  await addTree(key, organizationId, descendants)
  const times: number[] = []
  for (const parentFolderId of ['other', 'root', 'other', 'root', 'other'])
    times.push(
      await timed(() => key.call(updateFolders, { organizationId, folders: [{ folderId: 'top', parentFolderId }] })),
    )
  say(`\n## Moving a folder of ${descendants.toLocaleString('en')} sub-folders under another access type`)
  say(`\np50 of ${times.length}: ${ms(percentile(times, 0.5))} ms; documents inside are not touched.`)
}

/** Adds grants on documents of `organizations`, sequentially on each of `workers` connections, until `done`. */
async function grantUntil(key: Client, organizations: string[], workers: number, done: Promise<unknown>) {
  const times: number[] = []
  let isRunning = true
  let count = 0
  const work = async () => {
    while (isRunning) {
      const organizationId = organizations[count % organizations.length] ?? ''
      const resource = {
        type: 'document' as const,
        id: `document-${count % 100}`,
        organizationId,
        expiresAt: 4e9 + count,
      }
      count++
      times.push(
        await timed(() =>
          key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [resource] } }),
        ),
      )
    }
  }
  const all = Promise.all(Array.from({ length: workers }, work))
  await done
  isRunning = false
  await all
  return times
}

async function deleteLarge(key: Client, other: Client, seconds: number): Promise<void> {
  const organizations = Array.from({ length: 50 }, (_, index) => `other-${index}`)
  const others = (done: Promise<unknown>) => grantUntil(other, organizations, 8, done)
  await others(sleep(2_000)) // warm
  const before = await others(sleep(seconds * 1000))
  let deletionMs = 0
  const deletion = timed(() => key.call(deleteOrganizations, { organizationIds: [LARGE] })).then((spent) => {
    deletionMs = spent
  })
  const [during, aimed] = await Promise.all([others(deletion), grantUntil(key, [LARGE], 2, deletion)])
  say(`\n## Deleting the large organization while grants are aimed at it and at others`)
  say(
    `\nThe deletion took ${ms(deletionMs)} ms. Grants of another tenant on 8 connections, 2 more aim at the deleted one:`,
  )
  sayHead('when', 'grants/s', 'p50 ms', 'p99 ms')
  const line = (name: string, times: number[], spentMs: number) =>
    sayRow(name, Math.round((times.length / spentMs) * 1000), ms(percentile(times, 0.5)), ms(percentile(times, 0.99)))
  line('before', before, seconds * 1000)
  line('during', during, deletionMs)
  const ratio = percentile(during, 0.99) / percentile(before, 0.99)
  say(
    `\np99 during ÷ before: ${ratio.toFixed(2)}. Grants aimed at the organization itself: ${aimed.length}, the longest ${ms(Math.max(...aimed))} ms.`,
  )
}

export async function benchManagement(
  databaseUrl: string,
  settings: Record<string, string>,
  options: { documents: number; seconds: number },
) {
  const server = await startProcess('server/main.ts', settings)
  const anybody = createClient(server.url)
  const key = await anybody.newKey()
  await addMillion(databaseUrl, key, options.documents)
  await readPages(key)
  await moveFolder(key, options.documents / 10)
  await deleteLarge(key, await anybody.newKey(), options.seconds)
  await server.stop()
}
