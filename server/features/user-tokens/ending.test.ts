/** Revoking and verifying user tokens (rules/keys.md#user-tokens). */
import assert from 'node:assert/strict'
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { generateToken, revokeTokens, verifyToken } from '#contract/users/user-tokens.ts'
import { addUsers, updateUsers } from '#contract/users/users.ts'
import { type Client, createClient } from '#testing/client.ts'
import { completeErasure } from '#testing/jobs.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused, withoutRequestId } from '../../../test/conformance/support/refused.ts'
import { signedToken } from '../../../test/conformance/support/signed-token.ts'

const server = await startServer()
let key: Client
beforeEach(async () => {
  key = await server.newKey()
})
afterEach(() => server.clock.set(null))

const signIn = async (userId = 'ada', client: Client = key) => (await client.call(generateToken, { userId })).token
const verify = (token: string, client: Client = key) => client.call(verifyToken, { token })
const revoke = (userId = 'ada') => key.call(revokeTokens, { userId })
const ask = { organizationId: 'acme', skipResourceExistenceValidation: true }
const use = (token: string) =>
  createClient(server.url, { authorization: `Bearer ${token}` }).post(getPermissions.path, ask)

const signed = (claims: JWTPayload) => signedToken(server.db, key, claims)

async function assertEnded(token: string): Promise<void> {
  assert.deepEqual(await verify(token), { active: false, reason: 'revoked' })
  refused(await use(token), 'UNAUTHENTICATED')
}

async function assertActive(token: string): Promise<void> {
  assert.equal((await verify(token)).active, true)
  assert.equal((await use(token)).http, 200)
}

describe('user-tokens.verify', () => {
  it('returns the claims of a valid token', async () => {
    const userProperties = { name: 'Ada', email: 'ada@example.com', isAdmin: true }
    const { token } = await key.call(generateToken, { userId: 'ada', userProperties })
    const { iat, exp, jti } = decodeJwt(token)
    assert.deepEqual(await verify(token), {
      active: true,
      userId: 'ada',
      ...userProperties,
      issuedAt: iat,
      expiresAt: exp,
      jti,
    })
  })

  it('omits claims that the token does not have', async () => {
    assert.deepEqual(Object.keys(await verify(await signIn())).sort(), [
      'active',
      'expiresAt',
      'isAdmin',
      'issuedAt',
      'jti',
      'userId',
    ])
  })

  it('verifies the longest token', async () => {
    const userProperties = { name: '\u0001'.repeat(500), email: `${'"'.repeat(252)}@a` }
    const { token } = await key.call(generateToken, { userId: '\u{1f511}'.repeat(128), userProperties })
    assert.ok(token.length > 4_000)
    assert.equal((await verify(token)).name, userProperties.name)
  })

  it('returns only the reason for an inactive token', async () => {
    const token = await signIn()
    const claims = decodeJwt(token)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { kid } = decodeProtectedHeader(token)
    const { sub: _sub, ...nobody } = claims
    const { jti: _jti, ...nameless } = claims
    const { since_ms: _since, ...timeless } = claims
    const reasons: [string, string][] = [
      ['nonsense', 'malformed'],
      ['a.b.c', 'malformed'],
      [`${header}.${payload}`, 'malformed'],
      [`${part({ alg: 'none', kid })}.${payload}.`, 'malformed'],
      [`${part({ alg: 'HS256', kid })}.${payload}.${signature}`, 'malformed'],
      [`${part({ alg: 'ES256' })}.${payload}.${signature}`, 'malformed'],
      [`${part({ alg: 'ES256', kid: 'a\0' })}.${payload}.${signature}`, 'malformed'],
      [`${header}.${part({ ...claims, sub: 'a\0' })}.${signature}`, 'malformed'],
      [`${header}.${part({ ...claims, sub: 'a\ud800' })}.${signature}`, 'malformed'],
      [`${header}.${part({ ...claims, sub: 'a'.repeat(257) })}.${signature}`, 'malformed'],
      [await signed(nobody), 'malformed'],
      [await signed(nameless), 'malformed'],
      [await signed({ ...claims, aud: [apiKeyOf(key)] }), 'malformed'],
      [await signed({ ...claims, aud: 'another' }), 'other_api_key'],
      [`${part({ alg: 'ES256', kid: 'unknown' })}.${payload}.${signature}`, 'signing_key_unknown'],
      [`${header}.${part({ ...claims, sub: 'eve' })}.${signature}`, 'signature_wrong'],
      [`${header}.${payload}.${signature.slice(0, -4)}AAAA`, 'signature_wrong'],
      [await signed({ ...claims, iss: 'https://elsewhere.example' }), 'other_issuer'],
      [await signed({ ...claims, exp: 1 }), 'expired'],
      [await signed(timeless), 'revoked'],
      [await signed({ ...timeless, sub: 'nobody' }), 'revoked'],
      [await signed({ ...claims, since_ms: Number(claims.since_ms) + 1 }), 'revoked'],
      [await signed({ ...claims, since_ms: String(claims.since_ms) }), 'revoked'],
      [await signed({ ...claims, sub: 'nobody' }), 'revoked'],
    ]
    for (const [wrong, reason] of reasons) {
      assert.deepEqual(await verify(wrong), { active: false, reason }, `${wrong} is ${reason}`)
      refused(await use(wrong), 'UNAUTHENTICATED')
    }
    await assertActive(await signed(claims))
  })

  it('uses the clock of the database', async () => {
    const token = await signIn()
    const { exp = 0 } = decodeJwt(token)
    server.clock.set(new Date((exp - 1) * 1000))
    assert.equal((await verify(token)).active, true)
    server.clock.set(new Date(exp * 1000))
    assert.deepEqual(await verify(token), { active: false, reason: 'expired' })
  })

  it('returns the same result for a token of another API key, whether that key exists or not', async () => {
    const theirs = await signIn('ada', await server.newKey())
    const [header, , signature] = theirs.split('.')
    const nowhere = Buffer.from(JSON.stringify({ ...decodeJwt(theirs), aud: 'chk_test_nowhere' })).toString('base64url')
    const [one, other] = await Promise.all(
      [theirs, `${header}.${nowhere}.${signature}`].map((token) => key.post(verifyToken.path, { token })),
    )
    assert.deepEqual(one?.body.result.data, { active: false, reason: 'other_api_key' })
    assert.equal(other && withoutRequestId(other), one && withoutRequestId(one))
  })
})

describe('user-tokens.revoke', () => {
  it('revokes all tokens of the user, and of nobody else', async () => {
    const tokens = [await signIn(), await signIn()]
    const theirs = [await signIn('bob'), await signIn('Ada')]
    await revoke()
    for (const token of tokens) await assertEnded(token)
    for (const token of theirs) await assertActive(token)
  })

  it('does not affect a user with the same id under another API key', async () => {
    const other = await server.newKey()
    const theirs = await signIn('ada', other)
    await revoke()
    assert.equal((await verify(theirs, other)).active, true)
  })

  it('keeps the next sign-in valid, repeatedly, even in the same millisecond or if the clock goes back', async () => {
    const moment = Date.now()
    const ended: string[] = []
    for (const passed of [0, 0, 0, 1, 1, -5_000, -5_000, 0]) {
      server.clock.set(new Date(moment + passed))
      const token = await signIn()
      await assertActive(token)
      await revoke()
      ended.push(token)
      for (const each of ended) await assertEnded(each)
      await assertActive(await signIn())
    }
  })

  it('does not change grants or profile', async () => {
    const resources = [{ type: 'organization' as const, id: 'acme' }]
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources } })
    await signIn()
    const look = () => key.call(getPermissions, { organizationId: 'acme', userIds: ['ada'] })
    const before = await look()
    await revoke()
    assert.deepEqual(await look(), before)
  })

  it('is not undone by later changes of the user', async () => {
    const token = await signIn()
    await revoke()
    await key.call(addUsers, { organizationId: 'acme', users: [{ userId: 'ada', name: 'Ada' }] })
    await key.call(updateUsers, { organizationId: 'acme', users: [{ userId: 'ada', name: 'Lovelace' }] })
    await signIn()
    await assertEnded(token)
  })

  it('succeeds for an unknown user, writes nothing, and keeps the first sign-in valid', async () => {
    assert.deepEqual(await eventsDuring(server.db, apiKeyOf(key), () => revoke('nobody')), [])
    await assertActive(await signIn('nobody'))
  })

  it('writes one event about the user', async () => {
    const token = await signIn()
    const [event, ...more] = await eventsDuring(server.db, apiKeyOf(key), () => revoke())
    assert.equal(more.length, 0)
    assert.deepEqual([event?.type, event?.userId], ['user_token.revoked', 'ada'])
    assert.deepEqual(Object.keys(event?.after), ['tokensSince'])
    assert.ok(event?.after.tokensSince > Number(decodeJwt(token).since_ms))
    assert.equal(decodeJwt(await signIn()).since_ms, event?.after.tokensSince)
  })
})

describe('the erasure of a user', () => {
  it('revokes the tokens, which stay invalid if the user is added again', async () => {
    const callers = await newCallers(server.url)
    key = callers.apiKey
    const token = await signIn()
    await completeErasure(callers.apiKey, { userIds: ['ada'] })
    await assertEnded(token)
    await key.call(addUsers, { organizationId: 'acme', users: [{ userId: 'ada' }] })
    await assertEnded(token)
    await assertActive(await signIn())
    await assertEnded(token)
  })
})
