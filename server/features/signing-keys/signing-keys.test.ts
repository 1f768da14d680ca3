/** The key pairs that sign user tokens: rotation with and without a grace period, and the public keys (rules/keys.md#signing-keys). */
import assert from 'node:assert/strict'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { listSigningKeys, rotateSigningKeys } from '#contract/keys/signing-keys.ts'
import { generateToken, verifyToken } from '#contract/users/user-tokens.ts'
import type { Client } from '#testing/client.ts'
import { assertRecent } from '#testing/recent.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await startServer()
let key: Client
beforeEach(async () => {
  key = await server.newKey()
})
afterEach(() => server.clock.set(null))

const DAY_MS = 24 * 60 * 60 * 1000

const signIn = async () => (await key.call(generateToken, { userId: 'ada' })).token
const kidOf = (token: string) => decodeProtectedHeader(token).kid
const rotate = async (data: object = {}) => (await key.call(rotateSigningKeys, data)).signingKeys
const list = async () => (await key.call(listSigningKeys, {})).signingKeys
const reasonOf = async (token: string) => (await key.call(verifyToken, { token })).reason
const jwksOf = async () => {
  const response = await fetch(`${server.url}/v2/auth/jwks/${apiKeyOf(key)}`)
  return (await response.json()) as Parameters<typeof createLocalJWKSet>[0]
}
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

describe('signing-keys.rotate', () => {
  it('signs with the new pair immediately, and keeps tokens of the old pair valid', async () => {
    const before = await signIn()
    const signingKeys = await rotate()
    const after = await signIn()
    assert.deepEqual(
      signingKeys.map(({ kid }) => kid),
      [kidOf(after), kidOf(before)],
    )
    assert.notEqual(kidOf(after), kidOf(before))
    for (const token of [before, after]) {
      assert.equal(await reasonOf(token), undefined)
      await jwtVerify(token, createLocalJWKSet(await jwksOf()))
    }
  })

  it("keeps the old pair for the lifetime of the key's tokens by default", async () => {
    const now = inSeconds(0)
    server.clock.set(new Date(now * 1_000))
    const lifetimeOf = async (data: object = {}) =>
      ((await rotate(data)).find(({ expiresAt }) => expiresAt)?.expiresAt ?? 0) - now
    assert.equal(await lifetimeOf(), 172_800)
    key = await server.newKey()
    await key.call(updateKeyConfig, { userTokenLifetimeSeconds: 60 })
    assert.equal(await lifetimeOf(), 60)
    key = await server.newKey()
    assert.equal(await lifetimeOf({ gracePeriodSeconds: 600 }), 600)
  })

  it('invalidates tokens of the old pair after the grace period', async () => {
    const token = await signIn()
    await rotate({ gracePeriodSeconds: 3_600 })
    const { now } = { now: Date.now() }
    server.clock.set(new Date(now + 3_590_000))
    assert.equal(await reasonOf(token), undefined)
    assert.equal((await jwksOf()).keys.length, 2)
    server.clock.set(new Date(now + 3_610_000))
    assert.equal(await reasonOf(token), 'signing_key_unknown')
    assert.equal((await jwksOf()).keys.length, 1)
    assert.equal((await list()).length, 1)
  })

  it('invalidates every token immediately with gracePeriodSeconds: 0, including those in a grace period', async () => {
    const tokens = [await signIn()]
    await rotate()
    tokens.push(await signIn())
    assert.equal((await rotate({ gracePeriodSeconds: 0 })).length, 1)
    for (const token of tokens) assert.equal(await reasonOf(token), 'signing_key_unknown')
    assert.equal((await jwksOf()).keys.length, 1)
    assert.equal(await reasonOf(await signIn()), undefined)
  })

  it('never extends an earlier expiry', async () => {
    const [, first] = await rotate({ gracePeriodSeconds: 60 })
    const [, , again] = await rotate({ gracePeriodSeconds: 600 })
    assert.deepEqual(again, first)
  })

  it('keeps only the private key of the signing pair, and deletes expired pairs', async () => {
    const rows = async () =>
      (
        await server.db.query(
          `select retired_at is null as signs, private_key_sealed is not null as private from signing_keys
            where api_key_id = $1 order by created_at`,
          [apiKeyOf(key)],
        )
      ).rows
    await rotate({ gracePeriodSeconds: 60 })
    const [old, signing] = [
      { signs: false, private: false },
      { signs: true, private: true },
    ]
    assert.deepEqual(await rows(), [old, signing])
    server.clock.set(new Date(Date.now() + DAY_MS))
    await rotate({ gracePeriodSeconds: 60 })
    assert.deepEqual(await rows(), [old, signing])
  })

  it('creates one pair for each of several concurrent calls, one of which signs', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => rotate()))
    const made = answers.map(([newest]) => newest?.kid)
    assert.equal(new Set(made).size, 5)
    const live = await list()
    assert.equal(live.length, 6)
    assert.deepEqual(
      live.map(({ expiresAt }) => expiresAt === undefined),
      [true, false, false, false, false, false],
    )
    assert.equal(kidOf(await signIn()), live[0]?.kid)
  })

  it('does not break concurrent sign-ins', async () => {
    const [tokens] = await Promise.all([
      Promise.all(Array.from({ length: 30 }, signIn)),
      rotate().then(() => rotate()),
      rotate(),
    ])
    for (const token of tokens) assert.equal(await reasonOf(token), undefined)
  })

  it(`has ${LIMITS.signingKeysPerKeyMax} live pairs at most; a rotation without a grace period always works`, async () => {
    for (let live = 2; live <= LIMITS.signingKeysPerKeyMax; live++) assert.equal((await rotate()).length, live)
    const before = await list()
    assert.equal(
      refused(await key.post(rotateSigningKeys.path, {}), 'RESOURCE_EXHAUSTED').reason,
      'too_many_signing_keys',
    )
    assert.deepEqual(await list(), before)
    assert.equal((await rotate({ gracePeriodSeconds: 0 })).length, 1)
  })

  it('writes one event with the ids of the pairs, without keys', async () => {
    const [old] = await list()
    const [event, ...more] = await eventsDuring(server.db, apiKeyOf(key), () => rotate({ gracePeriodSeconds: 60 }))
    assert.equal(more.length, 0)
    const [signing, verifying] = await list()
    assert.equal(event?.type, 'signing_key.rotated')
    assert.equal(verifying?.kid, old?.kid)
    assert.deepEqual(event?.after, { kid: signing?.kid, verifying: [verifying] })
  })

  it('limits the grace period', async () => {
    for (const gracePeriodSeconds of [-1, 1.5, LIMITS.userTokenLifetimeSecondsMax + 1])
      refusedField(await key.post(rotateSigningKeys.path, { gracePeriodSeconds }), 'gracePeriodSeconds')
  })
})

describe('signing-keys.list', () => {
  it('lists the pairs of the JWKS, without the keys', async () => {
    const [first, ...more] = await list()
    assert.equal(more.length, 0)
    assert.deepEqual(Object.keys(first ?? {}), ['kid', 'createdAt'])
    assertRecent(first?.createdAt ?? 0)
    await rotate()
    const { keys } = await jwksOf()
    assert.deepEqual(
      (await list()).map(({ kid }) => kid),
      keys.map(({ kid }) => kid),
    )
  })
})

describe('signing-keys.jwks', () => {
  it('contains only public keys', async () => {
    const { token } = await key.call(generateToken, { userId: 'ada' })
    const response = await fetch(`${server.url}/v2/auth/jwks/${apiKeyOf(key)}`)
    assert.equal(response.headers.get('cache-control'), 'public, max-age=60')
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    const set = (await response.json()) as Parameters<typeof createLocalJWKSet>[0]
    assert.equal(set.keys.length, 1)
    const [jwk] = set.keys
    assert.deepEqual(Object.keys(jwk ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    assert.equal(jwk?.kid, decodeProtectedHeader(token).kid)
    await jwtVerify(token, createLocalJWKSet(set))
  })

  it('returns an empty set for an unknown key', async () => {
    for (const name of ['chk_test_unknown', '__proto__', '%00', 'a%00b', '%20', 'x'.repeat(90)]) {
      const response = await fetch(`${server.url}/v2/auth/jwks/${name}`)
      assert.equal(response.status, 200, name)
      assert.deepEqual(await response.json(), { keys: [] }, name)
    }
  })
})
