/**
 * `npm run bench -- --only capacity`: the CPU time of each kind of call in Node and in PostgreSQL, and the bytes of
 * stored items, from which docs/guides/scale.md computes what a PostgreSQL of a given size carries. Rates are not used,
 * because they depend on other programs.
 */
import pg from 'pg'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addThreads } from '#contract/comments/threads.ts'
import type { Operation } from '#contract/core/operation.ts'
import { listEvents } from '#contract/events/events.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { type Client, createClient } from '#testing/client.ts'
import { body, grantBody, newDataSet, pick, question } from './checks.ts'
import { postgresCpuSeconds } from './support/cpu.ts'
import { load } from './support/load.ts'
import { say, sayHead, sayRow } from './support/report.ts'
import { type BenchServer, startProcess } from './support/server.ts'
import { newDatabase, postgresStore } from './support/store.ts'
import { documentId, organizationId, WORLD } from './support/world.ts'

const CONNECTIONS = 32
const ROUNDS = 3
const BODIES = 5_000
const STORED = 100_000
const ORGANIZATIONS = 100
const text = 'A comment of about the usual length, which says what somebody thinks of a sentence in the document.'

const comment = () => ({ from: { userId: `user-${pick(WORLD.users)}` }, commentText: text })
const where = () => ({ organizationId: organizationId(pick(100)), documentId: documentId(pick(WORLD.documents)) })
const manyGrants = () => {
  const { userId } = question(WORLD)
  const resources = Array.from({ length: 100 }, () => ({ ...question(WORLD).resource, accessRole: 'viewer' as const }))
  return { user: { userId }, permissions: { resources: resources.map((one) => ({ ...one, expiresAt: '@' })) } }
}

/** The operation, the number of items in a call, and the body of a call. */
const CALLS: readonly [what: string, perCall: number, operation: Operation, text: () => string][] = [
  ['a check', 1, checkPermissions, () => body({ checks: [question(WORLD)] })],
  [
    'a check among 100',
    100,
    checkPermissions,
    () => body({ checks: Array.from({ length: 100 }, () => question(WORLD)) }),
  ],
  ['a grant, with its event', 1, addPermissions, grantBody],
  ['a grant among 100', 100, addPermissions, () => body(manyGrants())],
  [
    'a document',
    1,
    addDocuments,
    () => body({ organizationId: organizationId(pick(100)), documents: [{ documentId: 'added-@' }] }),
  ],
  [
    'a thread with a comment',
    1,
    addThreads,
    () => body({ ...where(), commentAnnotations: [{ commentData: [comment()] }] }),
  ],
  [
    'an event read, 100 a page',
    100,
    listEvents,
    () => body({ organizationId: organizationId(pick(100)), pageSize: 100 }),
  ],
]

async function costs(url: string, server: BenchServer, headers: Client['headers'], seconds: number): Promise<void> {
  say(
    `\n## CPU time of a call\n\nA world of ${WORLD.organizations} organizations, ${WORLD.organizations * WORLD.documents} documents and ${WORLD.organizations * WORLD.members * 3} grants; ${CONNECTIONS} connections, ${ROUNDS} rounds by turns of ${seconds} s for each after a round to warm up; all processes of PostgreSQL are counted, with the log writer and autovacuum.`,
  )
  const spent = new Map<string, { node: number[]; postgres: number[] }>()
  for (let round = -1; round < ROUNDS; round++)
    for (const [what, perCall, operation, text] of CALLS) {
      const before = [server.cpuSeconds(), await postgresCpuSeconds(url)] as const
      const { rate, errors } = await load({
        url: server.url + operation.path,
        headers: { 'content-type': 'application/json', ...headers },
        bodies: Array.from({ length: perCall === 1 ? BODIES : 200 }, text),
        connections: CONNECTIONS,
        seconds,
      })
      if (errors > 0) throw new Error(`${what}: ${errors} errors`)
      const count = rate * seconds * perCall
      const micros = (after: number, earlier: number) => ((after - earlier) / count) * 1e6
      if (round < 0) continue
      const own = spent.get(what) ?? { node: [], postgres: [] }
      own.node.push(micros(server.cpuSeconds(), before[0]))
      own.postgres.push(micros(await postgresCpuSeconds(url), before[1]))
      spent.set(what, own)
    }
  sayHead('what', 'Node µs', 'PostgreSQL µs')
  const shown = (values: readonly number[]) => values.map((value) => value.toFixed(value < 10 ? 1 : 0)).join(', ')
  for (const [what, { node, postgres }] of spent) sayRow(what, shown(node), shown(postgres))
}

const SIZES = `select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`

async function sizes(client: pg.Client): Promise<Map<string, number>> {
  await client.query('vacuum (analyze)')
  const { rows } = await client.query<{ name: string; bytes: number }>(SIZES)
  return new Map(rows.map(({ name, bytes }) => [name, bytes]))
}

/** The items to store, `count` for each organization, in calls of `perCall`. */
async function store(key: Client, what: 'documents' | 'grants' | 'threads'): Promise<void> {
  const perOrganization = STORED / ORGANIZATIONS
  const all = Array.from({ length: perOrganization }, (_, nth) => nth)
  for (let organization = 0; organization < ORGANIZATIONS; organization++) {
    const id = organizationId(organization)
    if (what === 'documents')
      await key.call(addDocuments, {
        organizationId: id,
        createOrganization: true,
        documents: all.map((nth) => ({ documentId: documentId(nth), documentName: `Plan ${nth} of the year` })),
      })
    else if (what === 'grants')
      for (let user = 0; user < 10; user++)
        await key.call(addPermissions, {
          user: { userId: `user-${organization}-${user}` },
          permissions: {
            resources: all.slice(0, perOrganization / 10).map((nth) => ({
              ...{ type: 'document' as const, id: documentId(nth), organizationId: id },
              accessRole: 'viewer' as const,
            })),
          },
        })
    else
      await Promise.all(
        all.slice(0, perOrganization / 20).map((nth) =>
          key.call(addThreads, {
            ...{ organizationId: id, documentId: documentId(nth) },
            commentAnnotations: Array.from({ length: 20 }, () => ({ commentData: [comment(), comment()] })),
          }),
        ),
      )
  }
}

async function bytes(url: string, key: Client): Promise<void> {
  say(
    `\n## Bytes\n\n${STORED} of each, stored by calls in ${ORGANIZATIONS} organizations, with their indexes and what the search keeps; a thread has two comments of ${text.length} characters.`,
  )
  sayHead('what', 'bytes', 'of which events', 'the tables that grew')
  const client = new pg.Client(url)
  await client.connect()
  for (const what of ['documents', 'grants', 'threads'] as const) {
    const before = await sizes(client)
    await store(key, what)
    const grown = [...(await sizes(client))]
      .map(([name, size]) => [name, (size - (before.get(name) ?? 0)) / STORED] as const)
      .filter(([, each]) => each >= 1)
      .sort(([, one], [, other]) => other - one)
    const total = grown.reduce((sum, [, each]) => sum + each, 0)
    const { rows } = await client.query<{ count: number }>('select count(*)::int as count from events')
    const ofEvents = grown.find(([name]) => name === 'events')?.[1] ?? 0
    sayRow(
      `${what}, ${rows[0]?.count} events so far`,
      Math.round(total),
      Math.round(ofEvents),
      grown.map(([name, each]) => `${name} ${Math.round(each)}`).join(', '),
    )
  }
  await client.end()
}

export async function benchCapacity(url: string, settings: Record<string, string>, seconds: number): Promise<void> {
  const empty = { ...settings, DATABASE_URL: await newDatabase(url, 'bytes') }
  const small = await startProcess('server/main.ts', empty)
  await bytes(empty.DATABASE_URL, await createClient(small.url).newKey())
  await small.stop()
  const headers = await newDataSet({ settings, withStore: postgresStore(url) }, WORLD)
  const server = await startProcess('server/main.ts', settings)
  await costs(url, server, headers, seconds)
  await server.stop()
}
