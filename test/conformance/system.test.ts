/** Everything except the operations: unknown paths, health, version, the API description and its page, rate limits. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { pathsOf } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { FAMILIES_NOT_OFFERED } from '#contract/not-offered.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { createClient } from '#testing/client.ts'
import { ENGINE, sharedServer, startServer } from '#testing/server.ts'
import { callersFrom, newCallers } from './support/callers.ts'
import { refused, withoutRequestId } from './support/refused.ts'

const server = await sharedServer()

async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(server.url + path, init)
  const text = await response.text()
  return { http: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

describe('unknown paths and methods', () => {
  it('return NOT_FOUND in the envelope', async () => {
    for (const path of [
      '/v2/nope',
      '/nope',
      '/v2/organizations/add/',
      '/v2//organizations/add',
      '/V2/organizations/add',
    ])
      assert.equal(refused(await call(path, { method: 'POST', body: '{"data":' }), 'NOT_FOUND').reason, 'path_unknown')
  })

  it('say that an operation requires POST', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      assert.equal(
        refused(await call(addOrganizations.path, { method }), 'NOT_FOUND').message,
        `/v2/organizations/add is called with POST, not ${method}.`,
      )
    assert.equal((await fetch(server.url + addOrganizations.path, { method: 'HEAD' })).status, 404)
  })

  it('return the envelope also if the path cannot be decoded', async () => {
    for (const path of ['/v2/%ff', '/v2/auth/jwks/%ff', '/%']) refused(await call(path), 'INVALID_ARGUMENT')
  })
})

describe('another path of an operation', () => {
  const aliases = OPERATIONS.flatMap((operation) => (operation.aliases ?? []).map((alias) => ({ operation, alias })))

  it('takes the same credentials and returns the same, under the same name', async () => {
    const callers = await callersFrom(server.client)
    assert.ok(aliases.length > 0)
    for (const { operation, alias } of aliases) {
      const caller = callers[operation.credentials]
      assert.equal(
        withoutRequestId(await caller.post(alias, {})),
        withoutRequestId(await caller.post(operation.path, {})),
      )
      refused(await server.client.post(alias, {}), 'INVALID_ARGUMENT')
    }
  })

  it('shares idempotency keys with its first path', async () => {
    const { apiKey } = await callersFrom(server.client)
    const headers = { 'idempotency-key': 'one' }
    const body = JSON.stringify({ data: updateKeyConfig.example })
    const [alias = ''] = updateKeyConfig.aliases ?? []
    const first = await apiKey.raw(alias, body, headers)
    const again = await apiKey.raw(updateKeyConfig.path, body, headers)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal(again.text, first.text)
  })
})

describe('a path that is not offered', () => {
  it('returns UNIMPLEMENTED with an alternative, without credentials', async () => {
    const key = await server.newKey()
    const ofFamilies = Object.entries(FAMILIES_NOT_OFFERED).flatMap(([family, { why }]) =>
      ['get', 'add', 'any/thing/below'].map((call): [string, string] => [`${family}/${call}`, why]),
    )
    for (const [path, why] of ofFamilies)
      for (const client of [server.client, key]) {
        const { reason, message } = refused(await client.post(path, {}), 'UNIMPLEMENTED')
        assert.equal(reason, 'operation_not_implemented')
        assert.equal(message, `${path} is not offered. ${why}`)
      }
  })

  it('is not a path of an operation, and applies to POST', async () => {
    const offered = new Set(OPERATIONS.flatMap(pathsOf))
    for (const family of Object.keys(FAMILIES_NOT_OFFERED)) {
      assert.match(family, /^\/v2(\/[a-z_-]+)+$/)
      refused(await call(`${family}/get`), 'NOT_FOUND')
      for (const path of offered) assert.ok(!path.startsWith(`${family}/`), path)
      refused(await server.client.post(`${family}s/get`, {}), 'NOT_FOUND')
    }
  })
})

describe('operators', () => {
  it('see that the server is alive and ready, and its version', async () => {
    assert.deepEqual((await call('/healthz')).body, { status: 'ok' })
    assert.deepEqual((await call('/readyz')).body, { status: 'ready' })
    const { version, engine, node } = (await call('/version')).body
    assert.match(version, /^\d+\.\d+\.\d+/)
    assert.equal(engine, ENGINE)
    assert.equal(node, process.versions.node)
  })

  it('see that the server is not ready with an unknown schema', async () => {
    const own = await startServer()
    await own.home.query(`insert into schema_migrations (version, name) values (9999, 'from the future')`)
    const response = await fetch(`${own.url}/readyz`)
    assert.equal(response.status, 503)
    const { status, why } = (await response.json()) as { status: string; why: string }
    assert.equal(status, 'not ready')
    assert.match(why, /schema of the database does not match/)
    assert.equal((await fetch(`${own.url}/healthz`)).status, 200)
  })
})

describe('/reference', () => {
  it('is a page that loads nothing from other sites', async () => {
    const response = await fetch(`${server.url}/reference`)
    assert.equal(response.status, 200)
    const page = await response.text()
    assert.match(page, /Commonhold/)
    const loaded = [...page.matchAll(/(?:src|href)\s*=\s*["']([^"']+)["']/g)].map(([, target]) => target ?? '')
    const scripts = loaded.filter((target) => target.endsWith('.js'))
    assert.ok(scripts.length > 0)
    for (const target of loaded) assert.doesNotMatch(target, /^(https?:)?\/\//)
    assert.doesNotMatch(page, /https?:\/\/|@import|cdn\./)
    for (const script of scripts) assert.equal((await fetch(new URL(script, response.url))).status, 200, script)
  })

  it('is the redirect target of the root', async () => {
    const { status, headers } = await fetch(server.url, { redirect: 'manual' })
    assert.deepEqual([status, headers.get('location')], [302, '/reference'])
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const browser = await fetch(`${server.url}/`, { redirect: 'manual', headers: { accept } })
    assert.deepEqual([browser.status, browser.headers.get('location')], [302, '/console/'])
  })
})

describe('rate limits', () => {
  const limitOf = (headers: Headers) => [headers.get('ratelimit-policy'), headers.get('ratelimit')]

  it('have only the time of the database unless configured, and can be off', async () => {
    const [policy, rest] = limitOf((await (await server.newKey()).post(getOrganizations.path, {})).headers)
    assert.equal(policy, '"database";q=120000;w=60')
    assert.match(rest ?? '', /^"database";r=\d+;t=0$/)
    const unlimited = await startServer({ DATABASE_MS_PER_KEY: '0' })
    assert.deepEqual(limitOf((await (await unlimited.newKey()).post(getOrganizations.path, {})).headers), [null, null])
  })

  it('limit the requests per second of each API key, separately', async () => {
    const { url } = await startServer({ RATE_LIMIT_PER_KEY: '3', DATABASE_MS_PER_KEY: '0' })
    const [mine, other] = [await newCallers(url), await newCallers(url)]
    const answers = []
    for (let count = 0; count < 4; count++) answers.push(await mine.apiKey.post(getOrganizations.path, {}))
    assert.deepEqual(
      answers.map(({ http }) => http),
      [200, 200, 200, 429],
    )
    assert.deepEqual(limitOf(answers[0]?.headers ?? new Headers()), ['"key";q=3;w=1', '"key";r=2;t=1'])
    const [last] = answers.slice(-1)
    assert.ok(last)
    assert.equal(refused(last, 'RESOURCE_EXHAUSTED').reason, 'rate_limited')
    assert.equal(last.headers.get('retry-after'), '1')
    assert.deepEqual(limitOf(last.headers), ['"key";q=3;w=1', '"key";r=0;t=1'])
    assert.equal((await other.apiKey.post(getOrganizations.path, {})).http, 200)
    await sleep(1_050)
    assert.equal((await mine.apiKey.post(getOrganizations.path, {})).http, 200)
  })

  it('are not used up by calls with wrong credentials', async () => {
    const { url } = await startServer({ RATE_LIMIT_PER_KEY: '2' })
    const { apiKey } = await newCallers(url)
    const wrong = createClient(url, { ...apiKey.headers, 'x-service-auth-token': 'nonsense' })
    for (let count = 0; count < 5; count++) refused(await wrong.post(getOrganizations.path, {}), 'UNAUTHENTICATED')
    assert.equal((await apiKey.post(getOrganizations.path, {})).http, 200)
  })

  it('limit the public calls per minute of each address', async () => {
    const { url } = await startServer({ RATE_LIMIT_PUBLIC: '2', TRUST_PROXY: 'loopback' })
    const from = (address: string) => createClient(url, { 'x-forwarded-for': address })
    const signUp = (address: string) => from(address).post(createWorkspace.path, { ownerEmail: 'nonsense' })
    const first = await signUp('203.0.113.7')
    assert.deepEqual(limitOf(first.headers), ['"address";q=2;w=60', '"address";r=1;t=60'])
    refused(first, 'INVALID_ARGUMENT')
    await signUp('203.0.113.7:51224') // some proxies add the port, which differs for each connection
    const third = await signUp('203.0.113.7:51225')
    refused(third, 'RESOURCE_EXHAUSTED')
    assert.equal(third.headers.get('retry-after'), '60')
    refused(await signUp('203.0.113.8'), 'INVALID_ARGUMENT')
    const keys = await fetch(`${url}/v2/auth/jwks/x`, { headers: { 'x-forwarded-for': '203.0.113.7' } })
    assert.equal(keys.status, 429)
  })

  it('use the address of the socket if no proxy is trusted', async () => {
    const { url } = await startServer({ RATE_LIMIT_PUBLIC: '1' })
    const from = (address: string) => createClient(url, { 'x-forwarded-for': address })
    await from('203.0.113.7').post(createWorkspace.path, {})
    refused(await from('203.0.113.8').post(createWorkspace.path, {}), 'RESOURCE_EXHAUSTED')
  })
})

describe('input that is not HTTP', () => {
  /** Sends bytes on a connection of its own and returns what it receives until it is closed. */
  const responseTo = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(bytes))
      let answer = ''
      socket.on('data', (chunk) => {
        answer += chunk
      })
      socket.on('end', () => resolve(answer))
      socket.on('error', reject)
    })

  it('gets the envelope, with the request id in header and body', async () => {
    const answer = await responseTo('FOO BAR\r\n\r\n')
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    assert.match(head, /^HTTP\/1\.1 400 /)
    const { error } = JSON.parse(body)
    assert.equal(error.status, 'INVALID_ARGUMENT')
    assert.match(head, new RegExp(`x-request-id: ${error.requestId}`))
  })

  it('is reported if the headers are too long', async () => {
    const answer = await responseTo(`POST / HTTP/1.1\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`)
    assert.match(answer, /The headers are too long\./)
  })
})

describe('bodies', () => {
  it('are refused when they are encoded', async () => {
    const answer = await server.client.raw('/v2/workspace/create', '{"data":{}}', { 'content-encoding': 'gzip' })
    assert.equal(answer.http, 400)
    assert.match(answer.body.error.message, /content-encoding gzip is not supported/)
  })

  it('are refused if a number in them is beyond the range of a double', async () => {
    const key = await server.newKey()
    const body = '{"data":{"organizations":[{"organizationId":"acme","n":1e400}]}}'
    const answer = await key.raw('/v2/organizations/add', body)
    assert.equal(answer.http, 400)
    assert.match(answer.body.error.message, /organizations\[0\]\.n must not be a number beyond/)
  })
})
