/** The stop of a server: requests under way get their responses. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, test } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { getMigrationStatus, migrateDocument } from '#contract/resources/migrations.ts'
import { addOrganizations, deleteOrganizations } from '#contract/resources/organizations.ts'
import { until } from '#testing/eventually.ts'
import { createLastingStore, type ServerProcess, startProcess } from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import { ENGINE } from '#testing/server.ts'

interface Sent {
  at: number
  outcome: number | string
}

const grant = (serial: number) => ({
  user: { userId: `user ${serial}` },
  permissions: {
    resources: Array.from({ length: serial % 4 === 0 ? 200 : 1 }, (_, index) => ({
      type: 'document' as const,
      id: `document ${index}`,
      organizationId: `organization ${serial % 3}`,
    })),
  },
})

/** Sends grants over kept-alive connections, sequentially on each, until the server closes them. */
async function keepSending(url: string, headers: Readonly<Record<string, string>>, sent: Sent[]): Promise<void> {
  const send = (agent: Agent, serial: number) =>
    new Promise<number | string>((resolve) => {
      const outgoing = request(
        url + addPermissions.path,
        { method: 'POST', agent, headers: { ...headers, 'content-type': 'application/json' } },
        (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
          answer.on('error', ({ message }) => resolve(message))
        },
      )
      outgoing.on('error', ({ message }) => resolve(message))
      outgoing.end(JSON.stringify({ data: grant(serial) }))
    })
  const caller = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let outcome: number | string = 200; outcome === 200; ) {
      const entry: Sent = { at: performance.now(), outcome: 'no answer' }
      sent.push(entry)
      outcome = await send(agent, sent.length)
      entry.outcome = outcome
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: 24 }, caller))
}

/** Opens a connection, which stays open after its response. */
async function idleConnection(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
}

/** Opens a connection, sends a text, and reads nothing. */
async function unreadConnection(url: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {}).pause()
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

/** Stops a server. If it waited for something, it would end itself after a time, with another code. */
async function stopped(server: ServerProcess, signal: NodeJS.Signals): Promise<void> {
  assert.equal((await server.kill(signal)).code, 0)
}

/** Behaviour that does not depend on the engine is tested on the embedded one only by the full run. */
const onEither = { skip: ENGINE !== 'postgres' && !FULL }

describe('stop', () => {
  for (const signal of FULL ? (['SIGTERM', 'SIGINT', 'SIGHUP'] as const) : (['SIGTERM'] as const))
    test(`on ${signal} responds to every earlier request, and exits with 0 despite idle connections`, async (t) => {
      const server = await startProcess((await createLastingStore()).settings)
      const { headers } = await server.client.newKey()
      await Promise.all(Array.from({ length: 5 }, () => idleConnection(server.url)))
      const sent: Sent[] = []
      const sending = keepSending(server.url, headers, sent)
      await sleep(300)
      const signalled = performance.now()
      await stopped(server, signal)
      await sending
      const lost = sent.filter(({ at, outcome }) => at < signalled && outcome !== 200)
      assert.deepEqual(lost, [])
      assert.ok(
        sent.some(({ at }) => at < signalled),
        'nothing was sent',
      )
      t.annotate(`${sent.filter(({ outcome }) => outcome === 200).length} answered`)
    })

  test('does not wait for connections that send a request slowly, or read no response', onEither, async () => {
    const server = await startProcess((await createLastingStore()).settings)
    const key = await server.client.newKey()
    const organizationId = 'organization'
    const filler = 'a text of lines that compresses\n'.repeat(1_900)
    const documents = Array.from({ length: 40 }, (_, nth) => ({ documentId: `d${nth}`, filler }))
    await key.call(addDocuments, { organizationId, createOrganization: true, documents })
    const body = JSON.stringify({ data: { organizationId } })
    const head = Object.entries({ host: 'x', 'content-type': 'application/json', ...key.headers })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    const start = `POST ${getDocuments.path} HTTP/1.1\r\n${head}`
    const page = `${start}content-length: ${body.length}\r\n\r\n${body}`
    // No byte, half a head, half a body, and more pages than the network buffers of this machine hold.
    const texts = ['', start, `${start}content-length: 1000\r\n\r\n${body}`, page.repeat(20)]
    const sockets = await Promise.all(texts.map((text) => unreadConnection(server.url, text)))
    const slow = setInterval(() => sockets[1]?.write('x'), 100)
    await key.call(getDocuments, { organizationId, documentIds: ['d1'] }) // those before it have arrived
    await stopped(server, 'SIGTERM')
    clearInterval(slow)
  })

  test('ends calls that take too long, and releases its jobs', { skip: ENGINE !== 'postgres' || !FULL }, async () => {
    const { settings } = await createLastingStore()
    const server = await startProcess(settings)
    const key = await server.client.newKey()
    const organizationId = 'organization'
    await key.call(addOrganizations, { organizations: [{ organizationId }] })
    const db = new pg.Client({ connectionString: settings.DATABASE_URL })
    await db.connect()
    await db.query('begin')
    await db.query('select from organizations for update')
    const outcome = key.post(deleteOrganizations.path, { organizationIds: [organizationId] }).catch(() => 'no response')
    const isWaiting = 'select 1 from pg_locks where not granted'
    await until('waiting for the lock', async () => (await db.query(isWaiting)).rows.length > 0)
    await stopped(server, 'SIGTERM')
    assert.equal(await outcome, 'no response')
    await db.query('rollback')
    assert.equal((await db.query('select from organizations')).rowCount, 1)
    await db.end()
  })

  test('a second signal ends it immediately', onEither, async () => {
    const server = await startProcess((await createLastingStore()).settings)
    server.child.kill('SIGTERM')
    server.child.kill('SIGINT')
    const { code } = await server.exited
    assert.equal(code, 1)
  })

  test('a document migration accepted just before completes, at the latest after the restart', async () => {
    const { settings } = await createLastingStore()
    let server = await startProcess(settings)
    const { headers } = await server.client.newKey()
    const organizationId = 'organization'
    const names = Array.from({ length: 20 }, (_, index) => `document ${index}`)
    const documents = names.map((documentId) => ({ documentId }))
    await server.client.with(headers).call(addDocuments, { organizationId, createOrganization: true, documents })
    const accepted = await Promise.all(
      names.map((documentId) =>
        server.client
          .with(headers)
          .call(migrateDocument, { organizationId, documentId, newDocumentId: `new ${documentId}` }),
      ),
    )
    await stopped(server, 'SIGTERM')

    server = await startProcess(settings)
    const client = server.client.with(headers)
    for (const { migrationId = '' } of accepted) {
      const stateOf = () => client.call(getMigrationStatus, { organizationId, migrationId })
      await until('completed migration', async () => (await stateOf()).status === 'completed')
    }
  })
})
