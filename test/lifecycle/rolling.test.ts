/** A rolling restart behind a load balancer that checks /readyz loses no request. */
import assert from 'node:assert/strict'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { createLastingStore, type ServerProcess, startProcess } from '#testing/processes/process.ts'
import { callSteadily } from '#testing/processes/steady-calls.ts'
import { patient } from '#testing/run/mode.ts'
import { ENGINE } from '#testing/server.ts'

/** The checks are as in the Helm chart, but faster: twice a second, and unready after two failures. */
const PROBE_MS = 200
const FAILURES = 2
const STOP_DELAY_SECONDS = '2'

/** A minimal load balancer: round robin over the servers that were ready at the last check, over kept-alive connections. */
async function startBalancer(servers: ServerProcess[]) {
  const agent = new Agent({ keepAlive: true })
  const failures = new Map<ServerProcess, number>()
  const probe = async (server: ServerProcess) => {
    const ok = await fetch(`${server.url}/readyz`, { signal: AbortSignal.timeout(patient(10_000)) }).then(
      (answer) => answer.ok,
      () => false,
    )
    failures.set(server, ok ? 0 : (failures.get(server) ?? FAILURES) + 1)
  }
  const timer = setInterval(() => void Promise.all(servers.map(probe)), PROBE_MS)
  await Promise.all(servers.map(probe))
  let turn = 0
  const balancer = createServer((incoming, answer) => {
    const ready = servers.filter((server) => (failures.get(server) ?? FAILURES) < FAILURES)
    const server = ready[turn++ % ready.length]
    const fail = (why: string) => answer.writeHead(502).end(why)
    if (server === undefined) {
      fail('nobody is ready')
      return
    }
    const { method, headers, url = '' } = incoming
    const outgoing = request(server.url + url, { method, headers, agent }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, { 'content-type': 'application/json' })
      reply.pipe(answer)
    })
    outgoing.on('error', ({ message }) => fail(message))
    incoming.pipe(outgoing)
  })
  balancer.listen(0, '127.0.0.1')
  await new Promise((resolve) => balancer.once('listening', resolve))
  cleanUp(() => {
    clearInterval(timer)
    agent.destroy()
    balancer.closeAllConnections()
    balancer.close()
  })
  return `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`
}

const resource = { type: 'document', id: 'd', organizationId: 'acme' } as const

describe('a stop that is announced', () => {
  test('reports not ready while it continues to respond, and then exits', async () => {
    const { settings } = await createLastingStore()
    const delaySeconds = Math.ceil(patient(1_000) / 1_000)
    const server = await startProcess({ ...settings, STOP_DELAY_SECONDS: String(delaySeconds) })
    const key = await server.client.newKey()
    const began = performance.now()
    const ended = server.kill('SIGTERM')
    let ready = await fetch(`${server.url}/readyz`)
    while (ready.status === 200) ready = await fetch(`${server.url}/readyz`)
    assert.equal(ready.status, 503)
    assert.deepEqual(await ready.json(), { status: 'not ready', why: 'The server is stopping.' })
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
    const answer = await key.post(addPermissions.path, {
      user: { userId: 'u' },
      permissions: { resources: [resource] },
    })
    assert.equal(answer.http, 200)
    assert.equal(answer.headers.get('connection'), 'close')
    assert.equal((await ended).code, 0)
    assert.ok(performance.now() - began >= 1_000 * delaySeconds)
  })
})

describe('a rolling restart', () => {
  test('of two servers on one database loses no request', { skip: ENGINE !== 'postgres' }, async (t) => {
    const { settings } = await createLastingStore()
    const start = () => startProcess({ ...settings, STOP_DELAY_SECONDS })
    const servers = [await start(), await start()]
    const url = await startBalancer(servers)
    const key = await (servers[0] as ServerProcess).client.newKey()
    const headers = { ...key.headers, 'content-type': 'application/json' }
    const stop = callSteadily((path, body) => fetch(url + path, { method: 'POST', headers, body }), {
      resource,
      callers: 16,
    })
    for (const old of [...servers]) {
      await sleep(500)
      servers.push(await start())
      await sleep(PROBE_MS * 2)
      assert.equal((await old.kill('SIGTERM')).code, 0)
      servers.splice(servers.indexOf(old), 1)
    }
    await sleep(500)
    t.annotate(`${await stop()} answered`)
  })
})
