/** Listing, creating, resetting and revoking the auth tokens of an API key (rules/keys.md#auth-tokens, rules/keys.md#scopes). */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import {
  type AuthToken,
  createAuthToken,
  getAuthTokens,
  listAuthTokens,
  resetAuthToken,
  revokeAuthToken,
} from '#contract/keys/auth-tokens.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import type { Client } from '#testing/client.ts'
import { assertRecent } from '#testing/recent.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const needsConnections = { skip: ENGINE === 'embedded' }
const server = await startServer()
let owner: Client
beforeAll(async () => {
  owner = (await newCallers(server.url)).workspace
})

let apiKey: string
let first: string
beforeEach(async () => {
  const made = await owner.call(createApiKey, { ownerEmail: 'ada@example.com', type: 'testing', createAuthToken: true })
  apiKey = made.apiKey
  first = made.authToken ?? ''
})

const works = async (token: string): Promise<boolean> => {
  const key = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': token })
  const { http } = await key.post(getOrganizations.path, {})
  assert.ok(http === 200 || http === 401)
  return http === 200
}
const tokens = async (): Promise<string[]> =>
  (await owner.call(getAuthTokens, { apiKey })).authTokens.map(({ token }) => token)
const reset = async (data: object = {}): Promise<string> =>
  (await owner.call(resetAuthToken, { apiKey, ...data })).newAuthToken.token

const DEFAULT = { name: 'Default Auth Token', domains: [], scopes: ['read', 'write', 'admin'] }
/** Removes the fields that depend on the time or on how the token was created. */
const shown = ({ id: _id, createdAt: _createdAt, prefix: _prefix, origin: _origin, ...rest }: AuthToken) => rest
const create = async (data: Partial<DataOf<typeof createAuthToken>> = {}): Promise<AuthToken> =>
  (await owner.call(createAuthToken, { apiKey, name: 'more', ...data })).authToken
const revoke = (authTokenId: string) => owner.post(revokeAuthToken.path, { apiKey, authTokenId })

describe('auth-tokens.get', () => {
  it('returns the tokens of the key in full', async () => {
    const { authTokens, ...rest } = await owner.call(getAuthTokens, { apiKey })
    assert.deepEqual(rest, { apiKey })
    assert.deepEqual(authTokens.map(shown), [{ ...DEFAULT, token: first }])
    const [{ id, createdAt } = assert.fail()] = authTokens
    assert.match(id, /^[0-9a-f-]{36}$/)
    assertRecent(createdAt)
  })

  it('writes auth_token.shown, with the ids of the tokens', async () => {
    const { authTokens } = await owner.call(getAuthTokens, { apiKey })
    const events = await eventsDuring(server.db, apiKey, () => owner.call(getAuthTokens, { apiKey }))
    const ids = authTokens.map(({ id }) => id)
    assert.deepEqual(
      events.map(({ type, after }) => [type, after]),
      [['auth_token.shown', { ids }]],
    )
  })

  it('responds NOT_FOUND for a key that the workspace does not have', async () => {
    const answer = await owner.post(getAuthTokens.path, { apiKey: 'chk_test_unknown' })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'api_key_does_not_exist')
  })
})

describe('auth-tokens.list', () => {
  const listed = async () => (await owner.call(listAuthTokens, { apiKey })).authTokens

  it('returns the prefix of each token and how it was created', async () => {
    await create()
    const workspaceToken = 'workspace'
    const [made, added, ...others] = await listed()
    assert.deepEqual([made?.origin, made?.prefix], [{ how: 'with_api_key', workspaceToken }, first.slice(0, 8)])
    assert.deepEqual([added?.origin, others], [{ how: 'created', workspaceToken }, []])
    await reset()
    assert.deepEqual(
      (await listed()).map(({ origin }) => origin),
      [{ how: 'replaced_others', workspaceToken }],
    )
    await server.db.query('update auth_tokens set origin = null where api_key_id = $1', [apiKey])
    assert.deepEqual(
      (await listed()).map((token) => 'origin' in token),
      [false],
    )
  })

  it('shows the last use to the minute, and none for a token that was never used', async () => {
    assert.equal((await listed())[0]?.lastUsedAt, undefined)
    const start = Date.now()
    for (const [at, used] of [
      [start, start],
      [start + 59_000, start],
      [start + 61_000, start + 61_000],
      [start + 86_400_000, start + 86_400_000],
      [start + 62_000, start + 62_000], // the clock was set back
    ] as const) {
      server.clock.set(new Date(at))
      assert.equal(await works(first), true)
      assert.equal((await listed())[0]?.lastUsedAt, used)
    }
    server.clock.set(null)
  })

  it('does not delay a call while its token is being changed', needsConnections, async () => {
    await server.db.transaction(async (session) => {
      await session.query('select from auth_tokens where api_key_id = $1 for update', [apiKey])
      assert.equal(await works(first), true)
    })
    assert.equal((await listed())[0]?.lastUsedAt, undefined)
  })

  it('returns the same without the secrets, and writes no event', async () => {
    const { authTokens } = await owner.call(getAuthTokens, { apiKey })
    const events = await eventsDuring(server.db, apiKey, async () => {
      const { text, body } = await owner.post(listAuthTokens.path, { apiKey })
      assert.deepEqual(body.result.data, { apiKey, authTokens: authTokens.map(({ token: _, ...rest }) => rest) })
      assert.ok(!text.includes(first))
    })
    assert.deepEqual(events, [])
  })
})

describe('auth-tokens.reset', () => {
  it('replaces the token immediately', async () => {
    const { newAuthToken, ...rest } = await owner.call(resetAuthToken, { apiKey })
    assert.deepEqual(rest, { apiKey })
    assert.deepEqual(shown(newAuthToken), { ...DEFAULT, token: newAuthToken.token })
    assert.deepEqual((await owner.call(getAuthTokens, { apiKey })).authTokens, [newAuthToken])
    assert.match(newAuthToken.token, /^cht_[0-9A-Za-z]{33}$/)
    assert.deepEqual([await works(first), await works(newAuthToken.token)], [false, true])
    assert.deepEqual(await tokens(), [newAuthToken.token])
  })

  it('creates the first token of a key without one', async () => {
    const made = await owner.call(createApiKey, { ownerEmail: 'ada@example.com', type: 'testing' })
    apiKey = made.apiKey
    assert.ok(await works(await reset()))
  })

  it('keeps the old tokens valid for the grace period, to the second', async () => {
    const second = await reset({ gracePeriodSeconds: 3_600 })
    assert.deepEqual(await tokens(), [first, second])
    assert.deepEqual([await works(first), await works(second)], [true, true])
    const now = Date.now()
    server.clock.set(new Date(now + 3_590_000))
    assert.equal(await works(first), true)
    server.clock.set(new Date(now + 3_610_000))
    assert.deepEqual([await works(first), await works(second)], [false, true])
    assert.deepEqual(await tokens(), [second])
    server.clock.set(null)
  })

  it('no longer lists a token after its grace period', async () => {
    const second = await reset({ gracePeriodSeconds: 1 })
    await sleep(1_100)
    assert.deepEqual(await tokens(), [second])
    assert.equal(await works(first), false)
  })

  it('revokes tokens in their grace period if called again without one, and never extends it', async () => {
    const second = await reset({ gracePeriodSeconds: 1 })
    await reset({ gracePeriodSeconds: 604_800 })
    await sleep(1_100)
    assert.deepEqual([await works(first), await works(second)], [false, true])
    await reset()
    assert.deepEqual([await works(first), await works(second)], [false, false])
  })

  it('leaves exactly one token after concurrent calls', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => reset()))
    const left = await tokens()
    assert.equal(left.length, 1)
    assert.ok(made.includes(left[0] ?? ''))
  })

  it('writes one event, without the token', async () => {
    const [event, ...more] = await eventsDuring(server.db, apiKey, () => reset({ gracePeriodSeconds: 60 }))
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'auth_token.reset')
    const { id, ...after } = event?.after ?? {}
    assert.deepEqual(after, { name: 'Default Auth Token', gracePeriodSeconds: 60 })
    assert.equal(id, (await owner.call(getAuthTokens, { apiKey })).authTokens.at(-1)?.id)
  })

  it('limits the grace period', async () => {
    for (const gracePeriodSeconds of [-1, 604_801, 1.5])
      refusedField(await owner.post(resetAuthToken.path, { apiKey, gracePeriodSeconds }), 'gracePeriodSeconds')
  })

  it('responds NOT_FOUND for a key that the workspace does not have', async () => {
    refused(await owner.post(resetAuthToken.path, { apiKey: 'chk_test_unknown' }), 'NOT_FOUND')
  })
})

describe('auth-tokens.create', () => {
  it('adds a token to the existing ones, with all scopes by default', async () => {
    const added = await create()
    assert.deepEqual(shown(added), { ...DEFAULT, name: 'more', token: added.token })
    assert.deepEqual([await works(first), await works(added.token)], [true, true])
    assert.deepEqual(await tokens(), [first, added.token])
    const { lastUsedAt: _used, ...last } = (await owner.call(getAuthTokens, { apiKey })).authTokens.at(-1) ?? added
    assert.deepEqual(last, added)
  })

  it('sets the requested scopes, without duplicates', async () => {
    assert.deepEqual((await create({ scopes: ['admin', 'read', 'admin'] })).scopes, ['read', 'admin'])
  })

  it('creates a token that expires exactly at expiresAt', async () => {
    const now = Math.floor(Date.now() / 1000)
    const { token, expiresAt } = await create({ expiresAt: now + 1_000 })
    assert.equal(expiresAt, now + 1_000)
    server.clock.set(new Date((now + 999) * 1000))
    assert.equal(await works(token), true)
    assert.deepEqual(await tokens(), [first, token])
    server.clock.set(new Date((now + 1_000) * 1000))
    assert.equal(await works(token), false)
    assert.deepEqual(await tokens(), [first])
    server.clock.set(null)
  })

  it('accepts an expiry in the past: the token is created expired', async () => {
    assert.equal(await works((await create({ expiresAt: 1 })).token), false)
    assert.deepEqual(await tokens(), [first])
  })

  it('writes one event, without the token', async () => {
    const [event, ...more] = await eventsDuring(server.db, apiKey, () => create({ scopes: ['read'], expiresAt: 9e9 }))
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'auth_token.created')
    const { id, ...after } = event?.after ?? {}
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.deepEqual(after, { name: 'more', scopes: ['read'], expiresAt: 9e9 })
  })

  it('limits the number of valid tokens, also for concurrent calls', async () => {
    const race = () =>
      Promise.all(Array.from({ length: 10 }, () => owner.post(createAuthToken.path, { apiKey, name: 'x' })))
    let made = 1
    for (let round = 0; made < LIMITS.authTokensPerKeyMax && round < 20; round++) {
      const answers = await race()
      made += answers.filter(({ http }) => http === 200).length
      for (const answer of answers.filter(({ http }) => http !== 200))
        assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'too_many_auth_tokens')
    }
    const valid = (await owner.call(getAuthTokens, { apiKey })).authTokens
    assert.equal(valid.length, LIMITS.authTokensPerKeyMax)
    refused((await race())[0] ?? assert.fail(), 'RESOURCE_EXHAUSTED')
    await revoke(valid[0]?.id ?? '')
    await create()
  })

  it('lists the valid scopes, and requires at least one', async () => {
    const post = (scopes: unknown) => owner.post(createAuthToken.path, { apiKey, name: 'x', scopes })
    refusedField(await post(['write', 'all']), 'scopes[1]', /must be one of "read", "write", "admin"/)
    refusedField(await post([]), 'scopes')
  })

  it('responds NOT_FOUND for a key that the workspace does not have', async () => {
    const answer = await owner.post(createAuthToken.path, { apiKey: 'chk_test_unknown', name: 'x' })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'api_key_does_not_exist')
  })
})

describe('auth-tokens.revoke', () => {
  it('revokes only the named token, immediately', async () => {
    const { id, token } = await create()
    assert.equal((await revoke(id)).http, 200)
    assert.deepEqual([await works(first), await works(token)], [true, false])
    assert.deepEqual(await tokens(), [first])
  })

  it('writes one event, and none for a token that is no longer valid', async () => {
    const { id } = await create()
    const [event, ...more] = await eventsDuring(server.db, apiKey, () => revoke(id))
    assert.equal(more.length, 0)
    assert.deepEqual([event?.type, event?.before], ['auth_token.revoked', { id, name: 'more' }])
    const past = await create({ expiresAt: 1 })
    for (const ended of [id, past.id])
      assert.deepEqual(
        await eventsDuring(server.db, apiKey, async () => assert.equal((await revoke(ended)).http, 200)),
        [],
      )
  })

  it('responds NOT_FOUND for a token that the key does not have', async () => {
    const other = await owner.call(createApiKey, {
      ownerEmail: 'ada@example.com',
      type: 'testing',
      createAuthToken: true,
    })
    const [foreign] = (await owner.call(getAuthTokens, { apiKey: other.apiKey })).authTokens
    for (const id of [foreign?.id ?? '', crypto.randomUUID(), 'nonsense', first])
      assert.equal(refused(await revoke(id), 'NOT_FOUND').reason, 'auth_token_does_not_exist')
    const answer = await owner.post(revokeAuthToken.path, { apiKey: 'chk_test_unknown', authTokenId: 'x' })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'api_key_does_not_exist')
  })
})

describe('a lone check, which begins while its token is looked up', () => {
  const organizationId = 'acme'
  const resource = { type: 'document', id: 'plan', organizationId } as const
  const QUESTION = JSON.stringify({ data: { checks: [{ userId: 'ada', resource }] } })
  const ask = (body = QUESTION) =>
    server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': first }).raw(checkPermissions.path, body)
  /** Checks begin early once several in a row have been alone. */
  async function askAlone(): Promise<boolean> {
    let allowed: boolean | undefined
    for (let nth = 0; nth < 10; nth++) {
      const answer = await ask()
      allowed = answer.body.result.data.checks[0].allowed
    }
    return allowed ?? assert.fail()
  }

  it('is refused for a token that is no longer valid, whatever the body', async () => {
    for (const body of [QUESTION, '{"data":', '{}']) {
      await askAlone()
      const next = await reset()
      refused(await ask(body), 'UNAUTHENTICATED')
      first = next
    }
  })

  it('is refused for a token that was revoked after it began', needsConnections, async () => {
    await askAlone()
    const decided = Promise.withResolvers<void>()
    server.db.observe(({ name }) => {
      if (name.startsWith('permissions.decide')) decided.resolve()
    })
    const answer = await server.db.transaction(async (session) => {
      await session.query('lock table auth_tokens in access exclusive mode')
      const asked = ask()
      await decided.promise
      await session.query('update auth_tokens set revoked_at = now() where api_key_id = $1', [apiKey])
      return { asked }
    })
    refused(await answer.asked, 'UNAUTHENTICATED')
  })

  it('is decided with the settings that its key has now', async () => {
    const key = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': first })
    await key.call(addDocuments, { organizationId, createOrganization: true, documents: [{ documentId: resource.id }] })
    for (const [type, isAllowed] of [
      ['public', true],
      ['restricted', false],
      ['public', true],
    ] as const) {
      await key.call(updateKeyConfig, { defaultDocumentAccessType: type })
      assert.equal((await ask()).body.result.data.checks[0].allowed, isAllowed)
      assert.equal(await askAlone(), isAllowed)
    }
  })
})
