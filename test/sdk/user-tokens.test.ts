/** Verifies user tokens with the public keys: genuine tokens are accepted, forged ones are refused. */
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose'
import { afterAll, afterEach, beforeEach, describe, it, vi } from 'vitest'
import { rotateSigningKeys } from '#contract/keys/signing-keys.ts'
import { generateToken, verifyToken } from '#contract/users/user-tokens.ts'
import { CommonholdError, type UserTokenFault, VerificationError, verifyUserToken } from '#sdk/index.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { signedToken } from '../conformance/support/signed-token.ts'

const server = await startServer()

/** Serves the public keys under any path prefix, and counts the requests. */
let fetches = 0
let isDown = false
const counting = createServer(async (request, response) => {
  fetches++
  if (isDown) {
    request.destroy()
    return
  }
  const { pathname } = new URL(String(request.url).replace(/^.*\/v2\//, '/v2/'), server.url)
  response.end(await (await fetch(server.url + pathname)).text())
})
await new Promise<void>((resolve) => counting.listen(0, '127.0.0.1', resolve))
afterAll(() => counting.close().closeAllConnections())
const { port } = counting.address() as { port: number }
const url = `http://127.0.0.1:${port}`

let key: Client
/** The offset added to `performance.now`. */
let aheadMs = 0
const realNow = performance.now.bind(performance)
beforeEach(async () => {
  key = await server.newKey()
  fetches = 0
  aheadMs = 0
  isDown = false
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + aheadMs)
})
afterEach(() => {
  vi.restoreAllMocks()
  server.clock.set(null)
})

const signIn = async (client: Client = key, userProperties: object = {}) =>
  (await client.call(generateToken, { userId: 'ada', userProperties })).token
const verify = (token: string, client: Client = key) =>
  verifyUserToken(token, { url, apiKey: apiKeyOf(client), issuer: server.url })
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

async function assertRefused(token: string, reason: UserTokenFault, client: Client = key): Promise<void> {
  await assert.rejects(verify(token, client), (error: unknown) => {
    assert.ok(error instanceof VerificationError, String(error))
    assert.equal(error.reason, reason, `${error.message}: ${token}`)
    return true
  })
}

describe('verifyUserToken', () => {
  it('returns the claims that the server verifies', async () => {
    const token = await signIn(key, { name: 'Ada “é”', email: 'ada@example.com', isAdmin: true })
    const { active: _, ...said } = await key.call(verifyToken, { token })
    assert.deepEqual(await verify(token), { ...said, sinceMs: decodeJwt(token).since_ms })
    assert.equal(fetches, 1)
  })

  it('uses the address of the server as the issuer by default', async () => {
    const token = await signIn()
    const options = { apiKey: apiKeyOf(key) }
    assert.equal((await verifyUserToken(token, { ...options, url: `${server.url}/` })).userId, 'ada')
    await assert.rejects(verifyUserToken(token, { ...options, url }), {
      reason: 'other_issuer',
      message: `The token was issued by ${server.url}, not by ${url}: is issuer the PUBLIC_URL of the server?`,
    })
  })

  it('refuses tokens that the server did not sign', async () => {
    const token = await signIn()
    const claims = decodeJwt(token)
    const { kid = '' } = decodeProtectedHeader(token)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const jwks = await (await fetch(`${server.url}/v2/auth/jwks/${apiKeyOf(key)}`)).text()
    const hmac = (head: string, secret: string) =>
      `${head}.${payload}.${createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url')}`
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const forged = sign('sha256', Buffer.from(`${header}.${payload}`), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    const refusals: [string, UserTokenFault][] = [
      ['', 'malformed'],
      ['nonsense', 'malformed'],
      ['a.b.c', 'malformed'],
      [`${header}.${payload}`, 'malformed'],
      [`${token}.${signature}`, 'malformed'],
      [`${part({ alg: 'none', kid })}.${payload}.`, 'malformed'],
      [`${part({ alg: 'None', kid })}.${payload}.${signature}`, 'malformed'],
      [hmac(part({ alg: 'HS256', kid }), jwks), 'malformed'],
      [hmac(part({ alg: 'HS256', kid }), JSON.stringify(JSON.parse(jwks).keys[0])), 'malformed'],
      [hmac(header, jwks), 'signature_wrong'],
      [`${part({ alg: ['ES256'], kid })}.${payload}.${signature}`, 'malformed'],
      [`${part({ alg: 'ES384', kid })}.${payload}.${signature}`, 'malformed'],
      [`${part({ alg: 'ES256' })}.${payload}.${signature}`, 'malformed'],
      [`${part([])}.${payload}.${signature}`, 'malformed'],
      [`${header}.${part([])}.${signature}`, 'malformed'],
      [`${header}.${Buffer.from('null').toString('base64url')}.${signature}`, 'malformed'],
      [`${part({ alg: 'ES256', kid: 'unknown' })}.${payload}.${signature}`, 'signing_key_unknown'],
      [`${part({ alg: 'ES256', kid: '__proto__' })}.${payload}.${signature}`, 'signing_key_unknown'],
      [`${header}.${part({ ...claims, sub: 'eve' })}.${signature}`, 'signature_wrong'],
      [`${header}.${payload}.${signature.slice(0, -4)}AAAA`, 'signature_wrong'],
      [`${header}.${payload}.`, 'signature_wrong'],
      [`${header}.${payload}.${'A'.repeat(86)}`, 'signature_wrong'],
      [`${header}.${payload}.${forged.toString('base64url')}`, 'signature_wrong'],
      [
        `${part({ alg: 'ES256', kid, jwk: privateKey.export({ format: 'jwk' }) })}.${payload}.${forged.toString('base64url')}`,
        'signature_wrong',
      ],
    ]
    for (const [wrong, reason] of refusals) await assertRefused(wrong, reason)
    assert.equal((await verify(token)).userId, 'ada')
  })

  it('refuses tokens of another API key, issuer or time', async () => {
    const token = await signIn()
    const claims = decodeJwt(token)
    const of = (changes: JWTPayload, header = {}) => signedToken(server.db, key, { ...claims, ...changes }, header)
    const seconds = Math.floor(Date.now() / 1000)
    const refusals: [string, UserTokenFault][] = [
      [await of({ aud: 'another' }), 'other_api_key'],
      [await of({ aud: [apiKeyOf(key)] }), 'other_api_key'],
      [await of({ aud: undefined }), 'other_api_key'],
      [await of({ iss: 'https://elsewhere.example' }), 'other_issuer'],
      [await of({ iss: undefined }), 'other_issuer'],
      [await of({ exp: seconds - 1 }), 'expired'],
      [await of({ exp: 0 }), 'expired'],
      [await of({ exp: undefined }), 'malformed'],
      [await of({ iat: undefined }), 'malformed'],
      [await of({ sub: undefined }), 'malformed'],
      [await of({ jti: undefined }), 'malformed'],
      [await of({ nbf: seconds + 60 }), 'not_yet_valid'],
      [await of({}, { crit: ['b64'], b64: true }), 'malformed'],
    ]
    for (const [wrong, reason] of refusals) await assertRefused(wrong, reason)
    assert.equal((await verify(await of({ nbf: seconds - 60 }))).userId, 'ada')
    const other = await server.newKey()
    await assertRefused(await signIn(other), 'other_api_key')
    assert.equal((await verify(await signIn(other), other)).userId, 'ada')
  })

  it('refuses a token of another key that claims to be of this one', async () => {
    const other = await server.newKey()
    const claims = { ...decodeJwt(await signIn(other)), aud: apiKeyOf(key) }
    await assertRefused(await signedToken(server.db, other, claims), 'signing_key_unknown')
  })

  it('refuses an expired token', async () => {
    server.clock.set(new Date(Date.now() - 49 * 60 * 60 * 1000))
    await assertRefused(await signIn(), 'expired')
  })

  it('caches the keys for a minute, and fetches them once for concurrent calls', async () => {
    const token = await signIn()
    await Promise.all(Array.from({ length: 20 }, () => verify(token)))
    assert.equal(fetches, 1)
    aheadMs += 59_000
    await verify(token)
    assert.equal(fetches, 1)
    aheadMs += 2_000
    await Promise.all(Array.from({ length: 20 }, () => verify(token)))
    assert.equal(fetches, 2)
  })

  it('accepts a new key at once, and a removed key for at most a minute', async () => {
    const before = await signIn()
    await verify(before)
    await key.call(rotateSigningKeys, { gracePeriodSeconds: 0 })
    assert.equal((await verify(await signIn())).userId, 'ada')
    assert.equal(fetches, 2)
    aheadMs += 61_000
    await assertRefused(before, 'signing_key_unknown')
  })

  it('refreshes the keys for unknown key ids at most every five seconds', async () => {
    const token = await signIn()
    const [, payload, signature] = token.split('.')
    const unknown = (kid: number) => `${part({ alg: 'ES256', kid: `k${kid}` })}.${payload}.${signature}`
    for (let kid = 0; kid < 20; kid++) await assertRefused(unknown(kid), 'signing_key_unknown')
    await Promise.all(Array.from({ length: 20 }, (_, kid) => assertRefused(unknown(kid), 'signing_key_unknown')))
    assert.equal(fetches, 2)
    aheadMs += 5_100
    await Promise.all(Array.from({ length: 20 }, (_, kid) => assertRefused(unknown(kid), 'signing_key_unknown')))
    assert.equal(fetches, 3)
    assert.equal((await verify(token)).userId, 'ada')
    assert.equal(fetches, 3)
  })

  it('continues with the cached keys if a refresh fails', async () => {
    const token = await signIn()
    const [, payload, signature] = token.split('.')
    const unknown = `${part({ alg: 'ES256', kid: 'unknown' })}.${payload}.${signature}`
    await verify(token)
    isDown = true
    await assert.rejects(verify(unknown), { name: 'CommonholdError', reason: 'unreachable' })
    await assertRefused(unknown, 'signing_key_unknown')
    assert.equal((await verify(token)).userId, 'ada')
    assert.equal(fetches, 2)
    aheadMs += 61_000
    await assert.rejects(verify(token), { name: 'CommonholdError', reason: 'unreachable' })
  })

  it('caches the keys of at most a hundred addresses, and drops the oldest', async () => {
    const token = await signIn()
    const at = (path: number) =>
      verifyUserToken(token, { url: `${url}/${path}`, apiKey: apiKeyOf(key), issuer: server.url })
    for (let path = 0; path < 101; path++) await at(path)
    assert.equal(fetches, 101)
    await at(100)
    assert.equal(fetches, 101)
    await at(0)
    assert.equal(fetches, 102)
  })

  it('reports that the keys cannot be fetched, and fetches them again for the next token', async () => {
    const token = await signIn()
    const nowhere = { apiKey: apiKeyOf(key), url: 'http://127.0.0.1:2' }
    const elsewhere = { apiKey: apiKeyOf(key), url: `${server.url}/elsewhere` }
    for (const options of [nowhere, nowhere, elsewhere])
      await assert.rejects(verifyUserToken(token, options), (error: unknown) => {
        assert.ok(error instanceof CommonholdError)
        assert.deepEqual([error.status, error.reason, error.retryable], ['UNAVAILABLE', 'unreachable', true])
        assert.match(
          error.message,
          /^verifyUserToken: Cannot fetch the public keys from http:\S+ \((ECONNREFUSED|404)\)\. Is the server running/,
        )
        return true
      })
    await assert.rejects(verifyUserToken(token, { ...nowhere, url: 'nowhere' }), { name: 'TypeError' })
  })
})
