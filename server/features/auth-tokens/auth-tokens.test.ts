/** Reading and replacing the secrets of an API key (decisions B5). */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApiKey } from '#contract/api-keys.ts'
import { getAuthTokens, resetAuthToken } from '#contract/auth-tokens.ts'
import { getOrganizations } from '#contract/organizations.ts'
import { newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'
import type { Client } from '../../../test/support/client.ts'
import { startServer } from '../../../test/support/server.ts'

const server = await startServer()
let owner: Client
before(async () => {
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

describe('auth-tokens.get', () => {
  it('answers the tokens of the key in full', async () => {
    assert.deepEqual(await owner.call(getAuthTokens, { apiKey }), {
      apiKey,
      authTokens: [{ token: first, name: 'Default Auth Token', domains: [] }],
    })
  })

  it('answers NOT_FOUND for a key that the workspace does not have', async () => {
    const answer = await owner.post(getAuthTokens.path, { apiKey: 'chk_test_unknown' })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'api_key_does_not_exist')
  })
})

describe('auth-tokens.reset', () => {
  it('replaces the token at once', async () => {
    const { newAuthToken, ...rest } = await owner.call(resetAuthToken, { apiKey })
    assert.deepEqual(rest, { apiKey })
    assert.deepEqual(newAuthToken, { token: newAuthToken.token, name: 'Default Auth Token', domains: [] })
    assert.match(newAuthToken.token, /^cht_[0-9A-Za-z]{33}$/)
    assert.deepEqual([await works(first), await works(newAuthToken.token)], [false, true])
    assert.deepEqual(await tokens(), [newAuthToken.token])
  })

  it('gives a key without a token its first one', async () => {
    const made = await owner.call(createApiKey, { ownerEmail: 'ada@example.com', type: 'testing' })
    apiKey = made.apiKey
    assert.ok(await works(await reset()))
  })

  it('keeps the old tokens for the time of grace, to the second', async () => {
    const second = await reset({ gracePeriodSeconds: 3_600 })
    assert.deepEqual(await tokens(), [first, second])
    assert.deepEqual([await works(first), await works(second)], [true, true])
    const now = Date.now()
    server.clock.set(new Date(now + 3_590_000))
    assert.equal(await works(first), true)
    server.clock.set(new Date(now + 3_610_000))
    assert.deepEqual([await works(first), await works(second)], [false, true])
    server.clock.set(null)
  })

  it('no longer shows a token whose time of grace is over', async () => {
    const second = await reset({ gracePeriodSeconds: 1 })
    await sleep(1_100)
    assert.deepEqual(await tokens(), [second])
    assert.equal(await works(first), false)
  })

  it('ends tokens in their time of grace when it is called again without one, and never gives them more', async () => {
    const second = await reset({ gracePeriodSeconds: 1 })
    await reset({ gracePeriodSeconds: 604_800 })
    await sleep(1_100)
    assert.deepEqual([await works(first), await works(second)], [false, true])
    await reset()
    assert.deepEqual([await works(first), await works(second)], [false, false])
  })

  it('leaves exactly one token when many calls race', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => reset()))
    const left = await tokens()
    assert.equal(left.length, 1)
    assert.ok(made.includes(left[0] ?? ''))
  })

  it('writes one event, without the token', async () => {
    const [event, ...more] = await eventsDuring(server.db, apiKey, () => reset({ gracePeriodSeconds: 60 }))
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'auth_token.reset')
    assert.deepEqual(event?.after, { name: 'Default Auth Token', gracePeriodSeconds: 60 })
  })

  it('bounds the time of grace', async () => {
    for (const gracePeriodSeconds of [-1, 604_801, 1.5])
      refusedField(await owner.post(resetAuthToken.path, { apiKey, gracePeriodSeconds }), 'gracePeriodSeconds')
  })

  it('answers NOT_FOUND for a key that the workspace does not have', async () => {
    refused(await owner.post(resetAuthToken.path, { apiKey: 'chk_test_unknown' }), 'NOT_FOUND')
  })
})
