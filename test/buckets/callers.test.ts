/**
 * Callers have credentials of one database and name an API key of another one: no bucket answers for a key of another
 * bucket (ADR 0066).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { createApiKey, deleteApiKey, disableApiKey, getApiKeys, updateApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken, getAuthTokens, revokeAuthToken } from '#contract/keys/auth-tokens.ts'
import { copyKeyConfig, getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import { getWebhookConfig, updateWebhookConfig } from '#contract/keys/service-configs.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { testWebhook } from '#contract/webhooks/messages.ts'
import type { Client } from '#testing/client.ts'
import { openLivePage } from '#testing/live-stream.ts'
import { parseMetrics, total } from '#testing/prometheus.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { signIn, signInAs } from '../conformance/support/console-session.ts'
import { refused, withoutRequestId } from '../conformance/support/refused.ts'
import { startWithBuckets } from './server-with-buckets.ts'

const METRICS_TOKEN = 'the-token-of-these-tests'
const server = await startWithBuckets(['one', 'two'], { METRICS_TOKEN, WEBHOOK_ALLOW_PRIVATE: 'true' })
const { newKey, newOwner } = server
const PLACES = ['home', 'one', 'two'] as const

const owner = await newOwner()
const stranger = await newOwner()
const keys = await inEach(owner)
const theirs = await inEach(stranger)

async function inEach(by: Client, settings: object = {}): Promise<Client[]> {
  const made: Client[] = []
  for (const where of PLACES) made.push(await newKey(by, where, settings))
  return made
}

const pairs = [...keys, ...theirs].flatMap((one) =>
  [...keys, ...theirs].flatMap((other) => (one === other ? [] : [[one, other] as const])),
)

it('an auth token has access only to its own key, wherever both are', async () => {
  for (const [one, other] of pairs) {
    const mixed = other.with({ ...other.headers, 'x-service-api-key': apiKeyOf(one) })
    assert.equal(refused(await mixed.post(getOrganizations.path, {}), 'UNAUTHENTICATED').reason, 'credentials_invalid')
  }
  for (const key of [...keys, ...theirs]) assert.equal((await key.post(getOrganizations.path, {})).http, 200)
})

it('wrong credentials of a workspace are refused as such, whatever API key the call names', async () => {
  for (const key of keys) {
    const beside = { ...owner.headers, 'x-service-api-key': apiKeyOf(key) }
    assert.equal((await owner.with(beside).post(getApiKeys.path, {})).http, 200)
    const wrong = owner.with({ ...beside, 'x-service-auth-token': key.headers['x-service-auth-token'] ?? '' })
    assert.equal(refused(await wrong.post(getApiKeys.path, {}), 'UNAUTHENTICATED').reason, 'credentials_invalid')
  }
})

const CHECK = { checks: [{ userId: 'ada', resource: { type: 'organization', id: 'acme' } }] }

describe('a user token', () => {
  const bearing = (token: string, headers: Record<string, string> = {}) =>
    server.client.with({ authorization: `Bearer ${token}`, ...headers }).post(checkPermissions.path, CHECK)

  it('has access to the key that signed it, and to no key that a forged audience or a header names', async () => {
    for (const [one, other] of pairs) {
      const { token } = await one.call(generateToken, { userId: 'ada' })
      assert.equal((await bearing(token)).http, 200)
      refused(await bearing(token, { 'x-service-api-key': apiKeyOf(other) }), 'UNAUTHENTICATED')
      refused(await bearing(withAudience(token, apiKeyOf(other))), 'UNAUTHENTICATED')
      refused(
        await bearing(withAudience(token, apiKeyOf(other)), { 'x-service-api-key': apiKeyOf(one) }),
        'UNAUTHENTICATED',
      )
    }
  })

  it('with an audience of any kind is refused', async () => {
    const { token } = await (keys[1] as Client).call(generateToken, { userId: 'ada' })
    for (const audience of ['', '\0', 'x'.repeat(4_000), 7, null, [apiKeyOf(keys[2] as Client)], { a: 1 }])
      refused(await bearing(withAudience(token, audience)), 'UNAUTHENTICATED')
  })
})

/** Replaces the audience of a token, and keeps its signature. */
function withAudience(token: string, aud: unknown): string {
  const [head, claims = '', signature] = token.split('.')
  const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), aud }
  return [head, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.')
}

describe('a session of the console', () => {
  it('of a key has access to this key alone', async () => {
    for (const [one, other] of pairs) {
      const session = await signIn(server.client, { apiKey: apiKeyOf(one), token: one.headers['x-service-auth-token'] })
      assert.equal((await session.post(getOrganizations.path, {})).http, 200)
      const naming = session.with({ ...session.headers, 'x-service-api-key': apiKeyOf(other) })
      refused(await naming.post(getOrganizations.path, {}), 'UNAUTHENTICATED')
      refused(await naming.post('/console/overview/get', {}), 'UNAUTHENTICATED')
    }
    const mixed = { apiKey: apiKeyOf(keys[1] as Client), token: keys[2]?.headers['x-service-auth-token'] }
    refused(
      await server.client.with({ 'x-service-session': 'console' }).post('/console/session/start', mixed),
      'UNAUTHENTICATED',
    )
  })

  it('of a workspace has access to its keys in all databases, and to no others', async () => {
    const { headers } = owner
    const session = await signIn(server.client, {
      workspaceId: headers['x-service-workspace-id'],
      token: headers['x-service-auth-token'],
    })
    const naming = (key: Client) => session.with({ ...session.headers, 'x-service-api-key': apiKeyOf(key) })
    for (const key of keys) assert.equal((await naming(key).post(getOrganizations.path, {})).http, 200)
    for (const key of theirs) refused(await naming(key).post(getOrganizations.path, {}), 'UNAUTHENTICATED')
  })
})

/** Calls of a workspace about one of its keys. */
const ABOUT = (apiKey: string, source: string): [path: string, data: object][] => [
  [updateApiKey.path, { apiKey, apiKeyName: 'New' }],
  [disableApiKey.path, { apiKey }],
  [deleteApiKey.path, { apiKey, apiKeyName: 'ada@example.com (production)' }],
  [getAuthTokens.path, { apiKey }],
  [createAuthToken.path, { apiKey, name: 'New' }],
  [revokeAuthToken.path, { apiKey, authTokenId: '00000000-0000-4000-8000-000000000000' }],
  [copyKeyConfig.path, { sourceApiKey: source, targetApiKey: apiKey }],
]

describe('an operator', () => {
  it('whose role is sufficient only for testing keys changes no production key in any database', async () => {
    const developer = await signInAs(owner, 'developer')
    const production = await inEach(owner, { type: 'production', planInfo: { type: 'production' } })
    for (const [nth, key] of production.entries()) {
      for (const [path, data] of ABOUT(apiKeyOf(key), apiKeyOf(keys[nth] as Client)))
        assert.equal(refused(await developer.post(path, data), 'PERMISSION_DENIED').reason, 'role_missing', path)
      const naming = developer.with({ ...developer.headers, 'x-service-api-key': apiKeyOf(key) })
      const config = { defaultAccessRole: 'viewer' }
      assert.equal(refused(await naming.post(updateKeyConfig.path, config), 'PERMISSION_DENIED').reason, 'role_missing')
    }
    for (const key of keys)
      assert.equal((await developer.post(updateApiKey.path, { apiKey: apiKeyOf(key), apiKeyName: 'New' })).http, 200)
  })

  it('learns nothing about a key of another workspace: it is refused like one that does not exist', async () => {
    const admin = await signInAs(owner, 'owner')
    const unknown = `${apiKeyOf(theirs[0] as Client).slice(0, -1)}_`
    for (const by of [admin, owner])
      for (const key of theirs) {
        const expected = ABOUT(unknown, apiKeyOf(keys[0] as Client))
        for (const [nth, [path, data]] of ABOUT(apiKeyOf(key), apiKeyOf(keys[0] as Client)).entries()) {
          const answer = await by.post(path, data)
          assert.equal(withoutRequestId(answer), withoutRequestId(await by.post(path, expected[nth]?.[1])), path)
          assert.notEqual(answer.http, 200, path)
        }
        const copied = { sourceApiKey: apiKeyOf(key), targetApiKey: apiKeyOf(keys[1] as Client) }
        assert.equal((await by.post(copyKeyConfig.path, copied)).body.error.status, 'NOT_FOUND')
      }
  })
})

describe('the settings of a key', () => {
  it('are copied between databases, without secrets', async () => {
    const copied = await inEach(owner)
    for (const [nth, source] of keys.entries()) {
      await source.call(updateKeyConfig, { defaultAccessRole: 'viewer', userTokenLifetimeSeconds: 600 + nth })
      await source.call(updateWebhookConfig, { webhookServiceConfig: { authToken: 'secret', encodeData: true } })
      for (const target of copied) {
        if (nth > 0) await target.call(updateWebhookConfig, { webhookServiceConfig: { encodeData: false } })
        await owner.call(copyKeyConfig, { sourceApiKey: apiKeyOf(source), targetApiKey: apiKeyOf(target) })
        const { defaultAccessRole, userTokenLifetimeSeconds } = await target.call(getKeyConfig, {})
        assert.deepEqual(
          { defaultAccessRole, userTokenLifetimeSeconds },
          { defaultAccessRole: 'viewer', userTokenLifetimeSeconds: 600 + nth },
        )
        const { webhookServiceConfig: webhooks } = await target.call(getWebhookConfig, {})
        assert.deepEqual([webhooks.encodeData, webhooks.authToken], [true, ''])
      }
    }
  })
})

describe('a region', () => {
  const create = (persistenceDBRegion: string | null) =>
    owner.post(createApiKey.path, { ownerEmail: 'ada@example.com', type: 'testing', persistenceDBRegion })

  it('is refused if no bucket has it, and is not implemented if no bucket has a region', async () => {
    for (const region of ['', null]) assert.equal((await create(region)).http, 200)
    assert.equal(refused(await create('eu'), 'UNIMPLEMENTED').reason, 'field_not_implemented')
    await server.home.query(`update buckets set region = 'eu', takes_keys = true where name = 'two'`)
    const { body } = await create('eu')
    const place = await server.home.query('select bucket from key_places where api_key_id = $1', [
      body.result.data.apiKey,
    ])
    assert.deepEqual(place.rows, [{ bucket: 'two' }])
    assert.equal(refused(await create('us'), 'INVALID_ARGUMENT').reason, 'region_unknown')
    await server.home.query('update buckets set region = null')
    const { rows } = await server.home.query('select count(*)::int as kept from api_keys')
    assert.equal((rows[0] as { kept: number }).kept > 0, true)
    assert.equal((await owner.post(getApiKeys.path, {})).http, 200)
  })
})

describe('pages behind a link', () => {
  it('are not found with a key of another kind or bucket, or with several keys', async () => {
    for (const key of ['%00', 'x'.repeat(5_000), ...keys.map(apiKeyOf), `a&key=${apiKeyOf(keys[1] as Client)}`])
      assert.equal((await fetch(`${server.url}/mail/subscription?token=a&key=${key}`)).status, 404, key.slice(0, 100))
    const jwks = await fetch(`${server.url}/v2/auth/jwks/%00`)
    assert.ok(jwks.status < 500, `${jwks.status}`)
  })
})

it('a test message of a webhook arrives, wherever the key is', async () => {
  for (const key of keys) {
    const receiver = await startReceiver()
    await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const { id: endpointId } = await key.call(createWebhookEndpoint, { url: receiver.url })
    const { messageId } = await key.call(testWebhook, { endpointId })
    const [message] = await receiver.until(1, ({ json }) => json.event === 'webhook.test')
    assert.equal(message?.headers['webhook-id'], messageId)
    receiver.close()
  }
})

it('the metrics of a bucket are read by its name', async () => {
  await (keys[1] as Client).post(getOrganizations.path, {})
  const read = (query: string) =>
    fetch(`${server.url}/metrics${query}`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  const runs = async (query: string) => {
    const answer = await read(query)
    assert.equal(answer.status, 200)
    const families = parseMetrics(await answer.text())
    return total(families, 'http_request_duration_seconds_count', { operation: 'organizations.get' })
  }
  const [before] = [await runs('?bucket=one')]
  await (keys[1] as Client).post(getOrganizations.path, {})
  await (keys[2] as Client).post(getOrganizations.path, {})
  assert.equal((await runs('?bucket=one')) - before, 1)
  assert.equal((await read('?bucket=three')).status, 404)
})

it('a stop ends the streams of all databases', async () => {
  const stopping = await startWithBuckets(['one'])
  const key = await stopping.newKey(await stopping.newOwner(), 'one')
  await key.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
  const { token } = await key.call(generateToken, { userId: 'ada' })
  const page = await openLivePage(stopping.url, token, { organizationId: 'acme', inbox: true })
  assert.equal(page.http, 200, page.refusal)
  await page.received('ready')
  stopping.app.announceStop()
  const { headers } = await fetch(`${stopping.url}${getOrganizations.path}`, {
    method: 'POST',
    headers: { ...key.headers, 'content-type': 'application/json' },
    body: '{"data":{}}',
  })
  assert.equal(headers.get('connection'), 'close')
  await stopping.stop()
  assert.deepEqual(await page.received('end'), [{ reason: 'stopping' }])
})
