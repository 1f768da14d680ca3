/** What callers hear while the database hangs or is gone, and that everything works again when it is back, without a restart. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { getPermissions } from '#contract/decisions.ts'
import { getDocuments } from '#contract/documents.ts'
import { addPermissions } from '#contract/permissions.ts'
import type { Answer, Client } from '../support/client.ts'
import { createLastingStore, type ServerProcess, type Store, startProcess } from '../support/process.ts'
import { ENGINE } from '../support/server.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

const STATEMENT_TIMEOUT_MS = 1_000

interface Installation {
  store: Store
  door: TcpProxy
  server: ServerProcess
  client: Client
}

/** A server that reaches its database through a door; `grant ada` on a restricted document is stored. */
async function install(): Promise<Installation> {
  const store = await createLastingStore()
  const url = new URL(store.settings.DATABASE_URL ?? '')
  const door = await startTcpProxy({ host: url.hostname, port: Number(url.port) })
  after(() => door.close())
  url.port = String(door.port)
  const server = await startProcess({
    ...store.settings,
    DATABASE_URL: url.href,
    STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
  })
  const client = await server.client.newKey()
  await grant(client, 'ada')
  return { store, door, server, client }
}

const grant = (client: Client, userId: string) =>
  client.call(addPermissions, {
    user: { userId },
    permissions: { resources: [{ type: 'document', id: 'plan', organizationId: 'acme' }] },
  })

const ask = { organizationId: 'acme', userIds: ['ada'], documentIds: ['plan'] }

/** Reads and writes of several kinds, all at once. */
const callEverything = (client: Client): Promise<Answer[]> =>
  Promise.all([
    client.post(getPermissions.path, ask),
    client.post(getDocuments.path, { organizationId: 'acme' }),
    client.post('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] }),
    client.post(addPermissions.path, {
      user: { userId: 'bob' },
      permissions: { resources: [{ type: 'document', id: 'plan', organizationId: 'acme' }] },
    }),
  ])

/** Every answer is one that says: not now, try again. */
function assertOnlyUnavailable(answers: readonly Answer[]): void {
  for (const { http, body, text } of answers) {
    assert.ok(['UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(body.error?.status), `${http} ${text}`)
    assert.ok(http === 503 || http === 504)
  }
}

async function assertNotReadySoon(server: ServerProcess): Promise<void> {
  const began = performance.now()
  const answer = await fetch(`${server.url}/readyz`)
  const tookMs = performance.now() - began
  assert.equal(answer.status, 503)
  assert.ok(tookMs < 2_000, `/readyz took ${Math.round(tookMs)} ms`) // 1 s by its own clock
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
}

/** The same server serves again: what it had stored, and new work. */
async function assertRecovered({ server, client }: Installation): Promise<void> {
  const began = Date.now()
  while ((await fetch(`${server.url}/readyz`)).status !== 200) {
    assert.ok(Date.now() - began < 10_000, 'not ready 10 s after the database came back')
    await sleep(50)
  }
  await grant(client, 'eve')
  const found = await client.call(getPermissions, { ...ask, userIds: ['ada', 'eve'] })
  assert.equal(found.ada?.documents?.plan?.accessRole, 'editor')
  assert.equal(found.eve?.documents?.plan?.accessRole, 'editor')
}

describe('a database that', { skip: ENGINE === 'embedded' }, () => {
  test('is gone makes calls UNAVAILABLE, never denied, until it is back', async () => {
    const installation = await install()
    const { server, client, door } = installation
    await door.shut()
    for (let round = 0; round < 3; round++) assertOnlyUnavailable(await callEverything(client))
    await assertNotReadySoon(server)
    await door.open()
    await assertRecovered(installation)
  })

  test('breaks its connections under load loses nothing that was acknowledged', async () => {
    const installation = await install()
    const { client, store } = installation
    const acknowledged: string[] = []
    let loading = true
    const load = Array.from({ length: 8 }, async (_, caller) => {
      for (let serial = 0; loading; serial++) {
        const userId = `user ${caller}.${serial}`
        const permissions = { resources: [{ type: 'document', id: 'plan', organizationId: 'acme' }] }
        const answer = await client.post(addPermissions.path, { user: { userId }, permissions })
        if (answer.http === 200) acknowledged.push(userId)
        else assertOnlyUnavailable([answer])
      }
    })
    const db = await store.open()
    for (let round = 0; round < 10; round++) {
      await sleep(100)
      await db.query(`select pg_terminate_backend(pid) from pg_stat_activity
                       where datname = current_database() and pid <> pg_backend_pid()`)
    }
    loading = false
    await Promise.all(load)
    const { rows } = await db.query(`select user_id from grants where user_id like 'user %'`)
    await db.close()
    const stored = new Set((rows as { user_id: string }[]).map(({ user_id }) => user_id))
    assert.deepEqual(
      acknowledged.filter((userId) => !stored.has(userId)),
      [],
    )
    assert.ok(acknowledged.length > 0)
    await assertRecovered(installation)
  })

  test('hangs makes calls DEADLINE_EXCEEDED or UNAVAILABLE in time, never denied, until it goes on', async () => {
    const installation = await install()
    const { server, client, door } = installation
    door.hang()
    const began = performance.now()
    const calls = callEverything(client)
    await assertNotReadySoon(server)
    assertOnlyUnavailable(await calls)
    const tookMs = performance.now() - began
    assert.ok(tookMs < 30_000, `the answers took ${Math.round(tookMs)} ms`)
    await door.open()
    await assertRecovered(installation)
  })
})
