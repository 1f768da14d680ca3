/** Listing, creating, resetting and revoking the tokens of a workspace (rules/keys.md#workspace-tokens). */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import { listAccountEvents } from '#contract/events/events.ts'
import { createApiKey, getApiKeys } from '#contract/keys/api-keys.ts'
import { createAuthToken, resetAuthToken } from '#contract/keys/auth-tokens.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { updateSsoConfig } from '#contract/workspace/sso-config.ts'
import {
  createWorkspaceToken,
  getCurrentWorkspaceToken,
  getWorkspaceTokens,
  resetWorkspaceToken,
  revokeWorkspaceToken,
  type WorkspaceToken,
} from '#contract/workspace/workspace-tokens.ts'
import { createWorkspace, getWorkspace } from '#contract/workspace/workspaces.ts'
import { IN_BUCKETS } from '#testing/buckets.ts'
import type { Client } from '#testing/client.ts'
import { assertRecent } from '#testing/recent.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { signIn } from '../../../test/conformance/support/console-session.ts'
import { eventsOfWorkspace } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await startServer()
/** With the single connection of the embedded engine, no call reaches the lock while it is held. */
const needsConnections = { skip: ENGINE === 'embedded' }

let workspaceId: string
let first: string
let owner: Client
let signups = 0
beforeEach(async () => {
  const made = await server.client.call(createWorkspace, { ownerEmail: `tokens${++signups}@example.com` })
  workspaceId = made.id
  first = made.authToken
  owner = by(first)
})

const by = (token: string): Client =>
  server.client.with({ 'x-service-workspace-id': workspaceId, 'x-service-auth-token': token })

const works = async (token: string): Promise<boolean> => {
  const { http } = await by(token).post(getApiKeys.path, {})
  assert.ok(http === 200 || http === 401)
  return http === 200
}

const list = async (client = owner): Promise<WorkspaceToken[]> => (await client.call(getWorkspaceTokens, {})).tokens
const names = async (client = owner): Promise<string[]> => (await list(client)).map(({ name }) => name)
const create = (name = 'deployment', fields: { expiresAt?: number } = {}) =>
  owner.call(createWorkspaceToken, { name, ...fields })
const revoke = (tokenId: string, client = owner) => client.post(revokeWorkspaceToken.path, { tokenId })
const eventsSince = async (count: number) => (await eventsOfWorkspace(server.db, workspaceId)).slice(count)
const eventCount = async (): Promise<number> => (await eventsOfWorkspace(server.db, workspaceId)).length

describe('current-workspace-token.get', () => {
  it('returns the token of the call, creates none, and writes an event', async () => {
    const { token } = await create()
    const events = await eventCount()
    for (const authToken of [first, token, first])
      assert.deepEqual(await by(authToken).call(getCurrentWorkspaceToken, {}), { authToken })
    assert.equal((await list()).length, 2)
    assert.deepEqual(
      (await eventsSince(events)).map(({ type }) => type),
      Array(3).fill('workspace_token.shown'),
    )
    await owner.call(resetWorkspaceToken, {})
    refused(await by(token).post(getCurrentWorkspaceToken.path, {}), 'UNAUTHENTICATED')
  })
})

describe('workspace-tokens.get', () => {
  it('lists the token that the workspace was created with, without any secret', async () => {
    const tokens = await list()
    assert.equal(JSON.stringify(tokens).includes(first), false)
    const [{ id, createdAt, lastUsedAt = 0, ...rest } = assert.fail(), ...others] = tokens
    const prefix = first.slice(0, 8)
    assert.deepEqual(
      [rest, others],
      [{ name: 'workspace', current: true, prefix, origin: { how: 'with_workspace' } }, []],
    )
    assert.match(id, /^[0-9a-f-]{36}$/)
    for (const at of [createdAt, lastUsedAt]) assertRecent(at)
  })

  it('marks the token of the call', async () => {
    const { token } = await create()
    assert.deepEqual(
      (await list(by(token))).map(({ name, current }) => [name, current]),
      [
        ['workspace', false],
        ['deployment', true],
      ],
    )
  })

  it('shows the last use to the minute, and none for a token that was never used', async () => {
    const { token } = await create()
    assert.equal((await list())[1]?.lastUsedAt, undefined)
    const start = Date.now()
    for (const [at, shown] of [
      [start, start],
      [start + 59_000, start],
      [start + 61_000, start + 61_000],
    ] as const) {
      server.clock.set(new Date(at))
      assert.equal(await works(token), true)
      assert.equal((await list())[1]?.lastUsedAt, shown)
    }
    server.clock.set(null)
  })
})

describe('workspace-tokens.create', () => {
  it('adds a token with the rights of the others, which stay valid', async () => {
    const { id, createdAt, token, ...rest } = await create()
    const prefix = token.slice(0, 8)
    assert.deepEqual(rest, { name: 'deployment', prefix, origin: { how: 'created', workspaceToken: 'workspace' } })
    assert.match(token, /^chw_[0-9A-Za-z]{33}$/)
    assertRecent(createdAt)
    assert.deepEqual([await works(first), await works(token)], [true, true])
    assert.equal((await list())[1]?.id, id)
    await by(token).call(createApiKey, { ownerEmail: 'ada@example.com', type: 'testing' })
  })

  it('creates a token that expires exactly at expiresAt', async () => {
    const now = Math.floor(Date.now() / 1000)
    const { token, expiresAt } = await create('short', { expiresAt: now + 1_000 })
    assert.equal(expiresAt, now + 1_000)
    server.clock.set(new Date((now + 999) * 1000))
    assert.equal(await works(token), true)
    server.clock.set(new Date((now + 1_000) * 1000))
    assert.equal(await works(token), false)
    assert.deepEqual(await names(), ['workspace'])
    server.clock.set(null)
  })

  it('writes one event, without the token', async () => {
    const before = await eventCount()
    const { id } = await create('short', { expiresAt: 9e9 })
    const [event, ...more] = await eventsSince(before)
    assert.deepEqual([event?.type, more], ['workspace_token.created', []])
    assert.deepEqual(event?.after, { id, name: 'short', expiresAt: 9e9 })
  })

  it('limits the number of valid tokens, also for concurrent calls', async () => {
    const race = () =>
      Promise.all(Array.from({ length: 20 }, () => owner.post(createWorkspaceToken.path, { name: 'x' })))
    let made = 1
    for (let round = 0; made < LIMITS.workspaceTokensMax && round < 20; round++) {
      const answers = await race()
      made += answers.filter(({ http }) => http === 200).length
      for (const answer of answers.filter(({ http }) => http !== 200))
        assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'too_many_workspace_tokens')
    }
    assert.equal((await list()).length, LIMITS.workspaceTokensMax)
    refused((await race())[0] ?? assert.fail(), 'RESOURCE_EXHAUSTED')
    await owner.call(resetWorkspaceToken, { gracePeriodSeconds: 60 })
  })
})

describe('workspace-tokens.reset', () => {
  it('replaces all tokens immediately', async () => {
    const { token: second } = await create()
    const { token, ...rest } = await owner.call(resetWorkspaceToken, {})
    assert.equal(rest.name, 'workspace')
    assert.deepEqual([await works(first), await works(second), await works(token)], [false, false, true])
    assert.deepEqual(await names(by(token)), ['workspace'])
  })

  it('keeps the old tokens valid for the grace period, to the second, and never extends it', async () => {
    const { token: second } = await owner.call(resetWorkspaceToken, { gracePeriodSeconds: 3_600 })
    const { token: third } = await by(second).call(resetWorkspaceToken, { gracePeriodSeconds: 604_800 })
    const now = Date.now()
    const valid = async () => [await works(first), await works(second), await works(third)]
    assert.deepEqual(await valid(), [true, true, true])
    server.clock.set(new Date(now + 3_590_000))
    assert.deepEqual(await valid(), [true, true, true])
    server.clock.set(new Date(now + 3_610_000))
    assert.deepEqual(await valid(), [false, true, true])
    server.clock.set(null)
  })

  it('leaves exactly one token after concurrent calls of one token, and refuses late ones', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => owner.post(resetWorkspaceToken.path, {})))
    const [made, ...others] = answers.filter(({ http }) => http === 200)
    assert.deepEqual(others, [])
    for (const answer of answers.filter(({ http }) => http !== 200)) refused(answer, 'UNAUTHENTICATED')
    assert.deepEqual(await names(by(made?.body.result.data.token)), ['workspace'])
  })

  it('leaves no access to a stolen token that creates others at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const stolen = (await create('stolen')).token
      const thief = Array.from({ length: 8 }, () => by(stolen).post(createWorkspaceToken.path, { name: 'thief' }))
      const [{ token }, ...made] = await Promise.all([owner.call(resetWorkspaceToken, {}), ...thief])
      for (const { http, body } of made) if (http === 200) assert.equal(await works(body.result.data.token), false)
      owner = by(token)
      assert.deepEqual(await names(), ['workspace'])
    }
  })

  it('leaves the replaced tokens no access beyond their grace period, also in concurrent calls and in console sessions', async () => {
    const { token: second, id: ofSecond } = await create()
    const session = await signIn(server.client, { workspaceId, token: second })
    const { token } = await owner.call(resetWorkspaceToken, { gracePeriodSeconds: 3_600 })
    const replaced = [owner, by(second), session]
    const calls: [string, object][] = [
      [createWorkspaceToken.path, { name: 'lasting' }],
      [createWorkspaceToken.path, { name: 'short', expiresAt: Math.floor(Date.now() / 1000) + 60 }],
      [resetWorkspaceToken.path, {}],
      [resetWorkspaceToken.path, { gracePeriodSeconds: 604_800 }],
      [revokeWorkspaceToken.path, { tokenId: ofSecond }],
      [inviteOperator.path, { email: 'thief@example.com', role: 'owner' }],
      [updateSsoConfig.path, { enabled: false }],
    ]
    for (const client of replaced)
      for (const [path, data] of calls)
        assert.equal(
          refused(await client.post(path, data), 'PERMISSION_DENIED').reason,
          'workspace_token_replaced',
          path,
        )
    assert.deepEqual(await names(by(token)), ['workspace', 'deployment', 'workspace'])
    assert.equal((await owner.post(createApiKey.path, { ownerEmail: 'ada@example.com', type: 'testing' })).http, 200)
    assert.equal((await revoke(ofSecond, by(token))).http, 200, 'the new token manages the old ones')
  })

  it('lets one of several calls with a grace period replace the tokens', async () => {
    const others = Array.from({ length: 4 }, () => owner.post(createWorkspaceToken.path, { name: 'other' }))
    const resets = Array.from({ length: 4 }, () => owner.post(resetWorkspaceToken.path, { gracePeriodSeconds: 60 }))
    const answers = await Promise.all([...resets, ...others])
    const [{ token: kept } = assert.fail(), ...more] = answers
      .slice(0, resets.length)
      .flatMap(({ http, body }) => (http === 200 ? [body.result.data] : []))
    assert.deepEqual(more, [])
    const lasting = (await list(by(kept))).filter(({ expiresAt }) => expiresAt === undefined)
    assert.deepEqual([lasting.length, lasting[0]?.current], [1, true])
  })

  it('can be repeated with its Idempotency-Key by the token that it replaced', async () => {
    const repeated = owner.with({ ...owner.headers, 'idempotency-key': 'reset-1' })
    const { token } = await repeated.call(resetWorkspaceToken, { gracePeriodSeconds: 60 })
    assert.equal((await repeated.call(resetWorkspaceToken, { gracePeriodSeconds: 60 })).token, token)
  })

  it('refuses calls under way that would add or reset secrets of an API key', needsConnections, async () => {
    const { apiKey } = await owner.call(createApiKey, { ownerEmail: 'ada@example.com', type: 'testing' })
    const stolen = by((await create('stolen')).token)
    const waiting: ReturnType<Client['post']>[] = []
    const { resetting } = await server.db.transaction(async (session) => {
      await session.query('select from api_keys where api_key_id = $1 for no key update', [apiKey])
      waiting.push(stolen.post(createAuthToken.path, { apiKey, name: 'thief' }))
      waiting.push(stolen.post(resetAuthToken.path, { apiKey }))
      await sleep(200) // both have been authenticated, and wait for the key
      const resetting = owner.call(resetWorkspaceToken, {})
      // With the key in a bucket, the calls hold the workspace before the key: the reset comes after them.
      if (!IN_BUCKETS) await resetting
      return { resetting }
    })
    await resetting
    for (const answer of await Promise.all(waiting))
      if (IN_BUCKETS) assert.equal(answer.http, 200)
      else refused(answer, 'UNAUTHENTICATED')
    refused(await stolen.post(createAuthToken.path, { apiKey, name: 'thief' }), 'UNAUTHENTICATED')
  })

  it('does not change the tokens of API keys', async () => {
    const { apiKey, authToken = '' } = await owner.call(createApiKey, {
      ownerEmail: 'ada@example.com',
      type: 'testing',
      createAuthToken: true,
    })
    await owner.call(resetWorkspaceToken, {})
    const key = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
    await key.call(getOrganizations, {})
  })

  it('ends the console sessions of the old tokens', async () => {
    const session = await signIn(server.client, { workspaceId, token: first })
    assert.equal((await session.post(getApiKeys.path, {})).http, 200)
    const { token } = await owner.call(resetWorkspaceToken, {})
    refused(await session.post(getApiKeys.path, {}), 'UNAUTHENTICATED')
    const next = await signIn(server.client, { workspaceId, token })
    assert.equal((await next.post(getApiKeys.path, {})).http, 200)
  })

  it('writes one event, without the token', async () => {
    const before = await eventCount()
    const { id, token } = await owner.call(resetWorkspaceToken, { gracePeriodSeconds: 60 })
    const [event, ...more] = await eventsSince(before)
    assert.deepEqual([event?.type, more], ['workspace_token.reset', []])
    assert.deepEqual(event?.after, { id, name: 'workspace', gracePeriodSeconds: 60 })
    assert.equal(JSON.stringify(event).includes(token), false)
  })

  it('limits the grace period', async () => {
    for (const gracePeriodSeconds of [-1, 604_801, 1.5])
      refusedField(await owner.post(resetWorkspaceToken.path, { gracePeriodSeconds }), 'gracePeriodSeconds')
  })
})

describe('workspace-tokens.revoke', () => {
  it('revokes only the named token, immediately', async () => {
    const { id, token } = await create()
    assert.equal((await revoke(id)).http, 200)
    assert.deepEqual([await works(first), await works(token)], [true, false])
    assert.deepEqual(await names(), ['workspace'])
  })

  it('revokes the token of the call, if another one stays', async () => {
    const { token } = await create()
    const [{ id } = assert.fail()] = await list()
    assert.equal((await revoke(id)).http, 200)
    assert.deepEqual([await works(first), await works(token)], [false, true])
  })

  it('keeps the last token without an expiry, also for concurrent calls', async () => {
    await create('expires', { expiresAt: Math.floor(Date.now() / 1000) + 1_000 })
    const ids = await Promise.all([owner.call(createWorkspaceToken, { name: 'other' }), list()])
    const [{ id: other }, [{ id: own } = assert.fail()]] = ids
    const answers = await Promise.all([revoke(own), revoke(other)])
    const kept = answers.filter(({ http }) => http !== 200)
    assert.equal(kept.length, 1)
    const { error } = kept[0]?.body ?? {}
    assert.ok(['last_workspace_token', 'credentials_invalid'].includes(error.reason), JSON.stringify(error))
  })

  it('refuses to lock the workspace out', async () => {
    const [{ id } = assert.fail()] = await list()
    const error = refused(await revoke(id), 'FAILED_PRECONDITION')
    assert.equal(error.reason, 'last_workspace_token')
    assert.equal(await works(first), true)
    await create('expires', { expiresAt: Math.floor(Date.now() / 1000) + 1_000 })
    refused(await revoke(id), 'FAILED_PRECONDITION')
  })

  it('writes one event, and none for a token that is no longer valid', async () => {
    const { id } = await create()
    const before = await eventCount()
    assert.equal((await revoke(id)).http, 200)
    assert.equal((await revoke(id)).http, 200)
    const [event, ...more] = await eventsSince(before)
    assert.deepEqual([event?.type, event?.before, more], ['workspace_token.revoked', { id, name: 'deployment' }, []])
  })

  it('responds NOT_FOUND for a token that the workspace does not have', async () => {
    const other = await server.client.call(createWorkspace, { ownerEmail: `other${signups}@example.com` })
    const theirs = server.client.with({
      'x-service-workspace-id': other.id,
      'x-service-auth-token': other.authToken,
    })
    const [foreign] = await list(theirs)
    for (const id of [foreign?.id ?? '', crypto.randomUUID(), 'nonsense', first])
      assert.equal(refused(await revoke(id), 'NOT_FOUND').reason, 'workspace_token_does_not_exist')
  })
})

describe('a call with one of several tokens', () => {
  it('gets its own token from workspaces.get, and none of the others', async () => {
    const { token } = await create()
    assert.equal((await owner.call(getWorkspace, {})).authToken, first)
    assert.equal((await by(token).call(getWorkspace, {})).authToken, token)
  })

  it('is named in the events it causes', async () => {
    const { token } = await create()
    await by(token).call(createApiKey, { ownerEmail: 'ada@example.com', type: 'testing' })
    const { events } = await owner.call(listAccountEvents, { types: ['api_key.created'] })
    assert.deepEqual(
      events.map(({ actor }) => actor.token),
      ['deployment', undefined],
      'the key of the sign-up was created without a token',
    )
  })

  it('is refused with the token of another workspace', async () => {
    const other = await server.client.call(createWorkspace, { ownerEmail: `other${signups}@example.com` })
    assert.equal(await works(other.authToken), false)
  })
})
