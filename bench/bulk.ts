/**
 * `npm run bench -- --only bulk`: measures loading a store through the API: grants of new users, five to a hundred in a
 * call, and documents, ten in a call, compared with bare `node:http` and the same bodies; with the CPU time of a row.
 */
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { type Client, createClient } from '#testing/client.ts'
import { body, pick } from './checks.ts'
import { postgresCpuSeconds } from './support/cpu.ts'
import { load } from './support/load.ts'
import { say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'

const ORGANIZATIONS = 100
const DOCUMENTS = 100
const BODIES = 1_000

const organizationId = () => `organization-${pick(ORGANIZATIONS)}`
const documentIds = Array.from({ length: DOCUMENTS }, (_, document) => `document-${document}`)

/** Each `@` of a body is the same number, which no other body has: each call is about a new user or new documents. */
const grantsBody = (count: number) => () => {
  const first = pick(DOCUMENTS)
  const where = organizationId()
  const resources = Array.from({ length: count }, (_, nth) => {
    const id = documentIds[(first + nth) % DOCUMENTS]
    return { type: 'document', id, organizationId: where, accessRole: 'viewer' }
  })
  return body({ user: { userId: 'user-@' }, permissions: { resources } })
}
const documentsBody = (count: number) => () =>
  body({
    organizationId: organizationId(),
    documents: Array.from({ length: count }, (_, nth) => ({
      documentId: `document-@-${nth}`,
      documentName: `Document ${nth}`,
    })),
  })

const LOADS = [
  { what: 'grants', path: addPermissions.path, rows: 5, connections: 32, data: grantsBody(5) },
  { what: 'grants', path: addPermissions.path, rows: 20, connections: 32, data: grantsBody(20) },
  { what: 'grants', path: addPermissions.path, rows: 100, connections: 32, data: grantsBody(100) },
  { what: 'documents', path: addDocuments.path, rows: 10, connections: 1, data: documentsBody(10) },
  { what: 'documents', path: addDocuments.path, rows: 10, connections: 32, data: documentsBody(10) },
]

async function fill(key: Client): Promise<void> {
  const documents = documentIds.map((documentId) => ({ documentId }))
  for (let organization = 0; organization < ORGANIZATIONS; organization++)
    await key.call(addDocuments, {
      organizationId: `organization-${organization}`,
      createOrganization: true,
      documents,
    })
}

export async function benchBulk(databaseUrl: string, settings: Record<string, string>, seconds: number): Promise<void> {
  say('\n## Loading')
  say(`\n${ORGANIZATIONS} organizations of ${DOCUMENTS} documents; every row is new and writes its event.`)
  const server = await startProcess('server/main.ts', settings)
  const floor = await startProcess('bench/support/floor.ts', {})
  const key = await createClient(server.url).newKey()
  await fill(key)
  const headers = { 'content-type': 'application/json', ...key.headers }
  sayHead(
    'what',
    'a call',
    'connections',
    'rows/s',
    'calls/s of the floor',
    'p50 ms',
    'p99 ms',
    'µs of the server a row',
    'µs of PostgreSQL a row',
    'errors',
  )
  for (const { what, path, rows, connections, data } of LOADS) {
    const bodies = Array.from({ length: BODIES }, data)
    const measure = (url: string, time: number) => load({ url, headers, bodies, connections, seconds: time })
    const bare = await measure(floor.url, seconds)
    await measure(server.url + path, 2) // warm
    const before = [server.cpuSeconds(), await postgresCpuSeconds(databaseUrl)]
    const { rate, p50Ms, p99Ms, errors } = await measure(server.url + path, seconds)
    const after = [server.cpuSeconds(), await postgresCpuSeconds(databaseUrl)]
    const perRow = after.map((now, nth) => Math.round(((now - (before[nth] ?? 0)) / (rate * rows * seconds)) * 1e6))
    sayRow(
      what,
      rows,
      connections,
      Math.round(rate * rows),
      (rate / bare.rate).toFixed(3),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      ...perRow,
      errors,
    )
  }
  await server.stop()
  await floor.stop()
}
