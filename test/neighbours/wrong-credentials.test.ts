/**
 * Wrong credentials are limited for each address and all calls together; valid credentials from the same address
 * continue to work (rules/contract.md#wrong-credentials).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { AUTHZEN_PATHS } from '#contract/access/authzen.ts'
import { createAuthToken, revokeAuthToken } from '#contract/keys/auth-tokens.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { getWorkspace } from '#contract/workspace/workspaces.ts'
import { createToken } from '#platform/secrets/tokens.ts'
import { startServer } from '#testing/server.ts'
import { newCallers } from '../conformance/support/callers.ts'
import { refused } from '../conformance/support/refused.ts'

const MAX = 5
const METRICS_TOKEN = 'metrics-token-of-this-test'
const server = await startServer({ RATE_LIMIT_PUBLIC: String(MAX), TRUST_PROXY: 'loopback', METRICS_TOKEN })
const callers = await newCallers(server.url)
const { 'x-service-api-key': apiKey = '', 'x-service-auth-token': authToken = '' } = callers.apiKey.headers

type Headers = Record<string, string>

let addresses = 0
const newAddress = (): Headers => ({ 'x-forwarded-for': `203.0.113.${++addresses}` })

/** Sends a call over HTTP, and returns its status and the reason of its error. */
async function send(path: string, headers: Headers, method = 'POST'): Promise<{ http: number; reason: string }> {
  const body = method === 'POST' ? '{"data":{}}' : undefined
  const answer = await fetch(server.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body }),
  })
  const text = await answer.text()
  if (answer.status === 429) assert.ok(Number(answer.headers.get('retry-after')) >= 1, text)
  return { http: answer.status, reason: text.startsWith('{') ? JSON.parse(text).error?.reason : '' }
}

const asKey = (token: string, key = apiKey): Headers => ({ 'x-service-api-key': key, 'x-service-auth-token': token })
const SESSION = { 'x-service-session': 'console', cookie: 'commonhold-console=wrong' }

/** A call with wrong credentials of each kind, new ones each time. */
const WAYS: Record<string, (address: Headers) => Promise<{ http: number }>> = {
  'the token of an API key': (from) => send(getOrganizations.path, { ...from, ...asKey(createToken('cht_')) }),
  'an unknown API key': (from) =>
    send(getOrganizations.path, { ...from, ...asKey(createToken('cht_'), createToken('chk_test_')) }),
  'the token of a workspace': (from) =>
    send(getWorkspace.path, { ...from, 'x-service-workspace-id': 'w', 'x-service-auth-token': createToken('chw_') }),
  'nonsense for a token': (from) => send(getOrganizations.path, { ...from, ...asKey('nonsense') }),
  'a token of a user': (from) => send(getOrganizations.path, { ...from, ...asKey('chs_nonsense') }),
  'the session of a command line': (from) => send(getOrganizations.path, { ...from, ...asKey(createToken('chs_')) }),
  'the session of a console': (from) => send(getOrganizations.path, { ...from, ...SESSION }),
  'a session that asks for its passkeys': (from) => send('/console/passkeys/list', { ...from, ...SESSION }),
  'a command line that asks who it is': (from) =>
    send('/console/command-line/get', { ...from, 'x-service-auth-token': createToken('chs_') }),
  AuthZEN: (from) => send(AUTHZEN_PATHS.evaluation, { ...from, ...asKey(createToken('cht_')) }),
  'the token of the metrics': (from) => send('/metrics', { ...from, authorization: 'Bearer wrong' }, 'GET'),
}

describe('wrong credentials', () => {
  for (const [what, call] of Object.entries(WAYS))
    it(`are refused above the limit of their address: ${what}`, async () => {
      const from = newAddress()
      for (let nth = 0; nth < MAX; nth++) assert.equal((await call(from)).http, 401)
      assert.equal((await call(from)).http, 429)
      assert.equal((await call(newAddress())).http, 401)
    })

  it('share one limit for all calls', async () => {
    const from = newAddress()
    const calls = Object.values(WAYS)
    for (let nth = 0; nth < MAX; nth++) await calls[nth % calls.length]?.(from)
    for (const { http } of await Promise.all(calls.map((call) => call(from)))) assert.equal(http, 429)
  })

  it('count in the call that asks who is signed in, and when signing out', async () => {
    for (const path of ['/console/session/get', '/console/session/end']) {
      const from = newAddress()
      for (let nth = 0; nth < MAX; nth++) assert.equal((await send(path, { ...from, ...SESSION })).http, 200)
      assert.equal((await send(path, { ...from, ...SESSION })).http, 429)
      const { cookie: _, ...none } = SESSION
      assert.equal((await send(path, { ...from, ...none })).http, 200)
    }
  })

  it('are not looked up above the limit, however many there are', async () => {
    const from = newAddress()
    await exhaust(from)
    const before = await lookUps()
    const wrong = () => server.client.with({ ...from, ...asKey(createToken('cht_')) }).post(getOrganizations.path, {})
    const answers = await Promise.all(Array.from({ length: 300 }, wrong))
    assert.ok(answers.every(({ http }) => http === 429))
    const looked = (await lookUps()) - before
    assert.ok(looked <= 30, `${looked} look-ups`)
  })

  it('do not count as calls without credentials, nor the other way round', async () => {
    const from = newAddress()
    await exhaust(from)
    assert.equal((await send('/.well-known/authzen-configuration', from, 'GET')).http, 200)
    const other = newAddress()
    for (let nth = 0; nth <= MAX; nth++) await send('/.well-known/authzen-configuration', other, 'GET')
    assert.equal((await send('/.well-known/authzen-configuration', other, 'GET')).http, 429)
    assert.equal((await WAYS['the token of an API key']?.(other))?.http, 401)
  })
})

describe('valid credentials of an address with wrong ones', () => {
  it('continue, all at once, if they were used before', async () => {
    const from = newAddress()
    assert.equal((await send(getOrganizations.path, { ...from, ...asKey(authToken) })).http, 200)
    const flood = floodFrom(from)
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => send(getOrganizations.path, { ...from, ...asKey(authToken) })),
    )
    assert.ok(answers.every(({ http }) => http === 200))
    await flood
  })

  it('are accepted if they are new here, and wrong ones name another key', async () => {
    const from = newAddress()
    await exhaust(from)
    const fresh = await newToken('fresh')
    const wrong = createToken('chk_test_')
    const flood = Array.from({ length: 100 }, () =>
      send(getOrganizations.path, { ...from, ...asKey(createToken('cht_'), wrong) }),
    )
    const answers = Array.from({ length: 30 }, () => send(getOrganizations.path, { ...from, ...asKey(fresh.token) }))
    assert.deepEqual([...new Set((await Promise.all(answers)).map(({ http }) => http))], [200])
    assert.ok((await Promise.all(flood)).every(({ http }) => http === 429))
  })

  it('are looked up with each call: a revoked token is refused at once', async () => {
    const from = newAddress()
    const { token, id } = await newToken('revoked')
    assert.equal((await send(getOrganizations.path, { ...from, ...asKey(token) })).http, 200)
    await exhaust(from)
    assert.equal((await send(getOrganizations.path, { ...from, ...asKey(token) })).http, 200)
    await callers.workspace.call(revokeAuthToken, { apiKey, authTokenId: id })
    assert.equal((await send(getOrganizations.path, { ...from, ...asKey(token) })).http, 429)
    assert.equal((await send(getOrganizations.path, { ...newAddress(), ...asKey(token) })).http, 401)
  })

  it('are distinguished from wrong ones by the message', async () => {
    const from = newAddress()
    await exhaust(from)
    const error = refused(
      await callers.apiKey.with({ ...from, ...asKey('wrong') }).post(getOrganizations.path, {}),
      'RESOURCE_EXHAUSTED',
    )
    assert.equal(error.reason, 'rate_limited')
    assert.match(
      error.message,
      /^Too many calls with wrong credentials from this address: the limit is 5 in 60 seconds\.$/,
    )
  })
})

async function newToken(name: string) {
  const { authToken: created } = await callers.workspace.call(createAuthToken, { apiKey, name })
  return created
}

async function exhaust(from: Headers): Promise<void> {
  await Promise.all(Array.from({ length: MAX }, () => WAYS['nonsense for a token']?.(from)))
}

async function floodFrom(from: Headers): Promise<void> {
  await Promise.all(Array.from({ length: 100 }, () => WAYS['the token of an API key']?.(from)))
}

/** Returns how often tokens of API keys were looked up. */
async function lookUps(): Promise<number> {
  const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  const line = /commonhold_statement_duration_seconds_count\{statement="auth-tokens.check"\} (\d+)/.exec(
    await answer.text(),
  )
  return Number(line?.[1])
}
