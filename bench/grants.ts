/**
 * Measures durable grants and permissions/get, compared with bare `node:http` and the same bodies, at 1, 16 and 64
 * connections; also the time to the first response, and memory.
 */
import { getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { type Client, createClient } from '#testing/client.ts'
import { body, pick } from './checks.ts'
import { load, type Measured } from './support/load.ts'
import { say, sayHead, sayRow } from './support/report.ts'
import { type BenchServer, startProcess, timeToReady } from './support/server.ts'

const CONNECTIONS = [1, 16, 64]
const ORGANIZATIONS = 100
const DOCUMENTS = 100
const USERS = 1_000
const BODIES = 5_000

/** Each expiry is unique, so each grant is a change. */
const grantBodies = () =>
  Array.from({ length: BODIES }, () =>
    body({
      user: { userId: `user-${pick(USERS)}` },
      permissions: {
        resources: [
          {
            type: 'document',
            id: `document-${pick(DOCUMENTS)}`,
            organizationId: `organization-${pick(ORGANIZATIONS)}`,
            accessRole: 'viewer',
            expiresAt: '@',
          },
        ],
      },
    }),
  )
const getBodies = () =>
  Array.from({ length: BODIES }, () =>
    body({
      organizationId: `organization-${pick(ORGANIZATIONS)}`,
      userIds: [`user-${pick(USERS)}`],
      documentIds: [`document-${pick(DOCUMENTS)}`],
    }),
  )

async function fill(key: Client): Promise<void> {
  for (let organization = 0; organization < ORGANIZATIONS; organization++)
    await key.call(addDocuments, {
      organizationId: `organization-${organization}`,
      createOrganization: true,
      documents: Array.from({ length: DOCUMENTS }, (_, document) => ({ documentId: `document-${document}` })),
    })
}

function row(name: string, connections: number, measured: Measured, floor?: Measured): void {
  const ratio = floor === undefined ? '' : (measured.rate / floor.rate).toFixed(3)
  const cells = [
    name,
    connections,
    Math.round(measured.rate),
    measured.p50Ms.toFixed(2),
    measured.p99Ms.toFixed(2),
    ratio,
    measured.errors,
  ]
  sayRow(...cells)
}

async function compare(
  engine: string,
  server: BenchServer,
  floor: BenchServer,
  key: Client,
  seconds: number,
): Promise<void> {
  sayHead('what', 'connections', 'answers/s', 'p50 ms', 'p99 ms', 'of the floor', 'errors')
  const measure = (url: string, path: string, bodies: string[], connections: number) =>
    load({
      url: url + path,
      headers: { 'content-type': 'application/json', ...key.headers },
      bodies,
      connections,
      seconds,
    })
  await measure(server.url, addPermissions.path, grantBodies(), 16) // warm
  for (const connections of CONNECTIONS) {
    const bare = await measure(floor.url, '/', grantBodies(), connections)
    row('node:http, grant body', connections, bare)
    row(
      `${engine}: permissions.add`,
      connections,
      await measure(server.url, addPermissions.path, grantBodies(), connections),
      bare,
    )
    const bareGet = await measure(floor.url, '/', getBodies(), connections)
    row('node:http, get body', connections, bareGet)
    row(
      `${engine}: permissions.get`,
      connections,
      await measure(server.url, getPermissions.path, getBodies(), connections),
      bareGet,
    )
  }
}

export async function benchGrants(engine: string, settings: Record<string, string>, seconds: number): Promise<void> {
  say(`\n## Grants and permissions/get: ${engine}`)
  say(
    `\n${ORGANIZATIONS} organizations of ${DOCUMENTS} documents, ${USERS} users; every grant is a change and writes its event.`,
  )
  const floor = await startProcess('bench/support/floor.ts', {})
  const empty = await timeToReady(settings)
  const used = await timeToReady(settings)
  say(`\nFrom \`npm start\` to the first response: ${empty} ms on an empty store, ${used} ms on a used one.`)
  const server = await startProcess('server/main.ts', settings)
  const idle = server.rssMb()
  const key = await createClient(server.url).newKey()
  await fill(key)
  await compare(engine, server, floor, key, seconds)
  say(`\nMemory (RSS): ${idle} MB idle after start, ${server.rssMb()} MB after the run.`)
  await server.stop()
  await floor.stop()
}
