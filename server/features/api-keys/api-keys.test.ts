/** Creating, renaming, disabling and listing API keys (rules/keys.md#api-keys, rules/keys.md#disabling-and-deleting-keys). */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import {
  createApiKey,
  disableApiKey,
  enableApiKey,
  getApiKeys,
  UNIMPLEMENTED_KEY_FIELDS,
  updateApiKey,
} from '#contract/keys/api-keys.ts'
import { getAuthTokens } from '#contract/keys/auth-tokens.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import { newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsDuring, eventsOf } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let owner: Client
beforeAll(async () => {
  owner = (await newCallers(server.url)).workspace
})

const ownerEmail = 'ada.l@example.com'
const minimal = { ownerEmail, type: 'testing', createAuthToken: true } as const
const create = (data: object) => owner.post(createApiKey.path, data)

/** Returns the row of a key; no operation returns its settings. */
async function stored(apiKey: string): Promise<Record<string, unknown>> {
  const { rows } = await server.db.query('select * from api_keys where api_key_id = $1', [apiKey])
  return rows[0] as Record<string, unknown>
}

describe('api-keys.create', () => {
  describe('success', () => {
    it('creates a key and a token that work immediately, with the minimal request', async () => {
      const answer = await create(minimal)
      assert.equal(answer.http, 200, answer.text)
      const { result } = answer.body
      assert.deepEqual(Object.keys(result), ['status', 'message', 'data', 'warnings'])
      assert.deepEqual([result.status, result.message], ['success', 'API key created successfully.'])
      const { apiKey, authToken } = result.data
      assert.match(apiKey, /^chk_test_[0-9A-Za-z]{33}$/)
      assert.match(authToken, /^cht_[0-9A-Za-z]{33}$/)
      const key = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
      assert.deepEqual(await key.call(getOrganizations, {}), [])
    })

    it('creates no auth token by default', async () => {
      for (const data of [{}, { createAuthToken: false }]) {
        const made = await owner.call(createApiKey, { ownerEmail, type: 'testing', ...data })
        assert.deepEqual(Object.keys(made), ['apiKey'])
        assert.deepEqual((await owner.call(getAuthTokens, { apiKey: made.apiKey })).authTokens, [])
      }
    })

    it('names the key after the e-mail and the type by default', async () => {
      const nameOf = async (data: object) =>
        (await stored((await create({ ...minimal, ...data })).body.result.data.apiKey)).name
      assert.equal(await nameOf({}), 'Ada.l Test API Key')
      assert.equal(await nameOf({ type: 'production', customPlanInfo: true }), 'Ada.l Production API Key')
      assert.equal(await nameOf({ apiKeyName: 'Mine' }), 'Mine')
    })

    it('stores every field, the secrets sealed', async () => {
      const { apiKey } = await owner.call(createApiKey, {
        ownerEmail,
        type: 'production',
        apiKeyName: 'Everything',
        planInfo: { type: 'sdk test' },
        customPlanInfo: true,
        customPlanInfoData: { seats: 3, nested: { list: [1, 'two', null] } },
        allowedDomains: ['https://WWW.Example.com:8443/x', '*.example.org', 'example.com', 'münchen.example'],
        addLocalHostToAllowedDomains: true,
        useEmailService: true,
        useWebhookService: true,
        emailServiceConfig: {
          type: 'sendgrid',
          apiKey: 'SG.secret',
          fromEmail: 'mail@example.com',
          fromCompany: 'Example',
          commentTemplateId: 'd-1',
          tagTemplateId: 'd-2',
        },
        webhookServiceConfig: {
          authToken: 'webhook-secret',
          rawNotificationUrl: 'https://example.com/raw',
          processedNotificationUrl: 'https://example.com/processed',
        },
        defaultDocumentAccessType: 'restricted',
        defaultAccessRole: 'viewer',
        requireKnownResources: true,
      })
      assert.match(apiKey, /^chk_live_/)
      const row = await stored(apiKey)
      assert.equal(row.name, 'Everything')
      assert.equal(row.type, 'production')
      assert.equal(row.owner_email, ownerEmail)
      assert.deepEqual(row.plan, {
        planInfo: { type: 'sdk test' },
        customPlanInfo: true,
        customPlanInfoData: { seats: 3, nested: { list: [1, 'two', null] } },
      })
      assert.deepEqual(row.allowed_domains, [
        'example.com',
        '*.example.org',
        'xn--mnchen-3ya.example',
        'localhost',
        '127.0.0.1',
      ])
      assert.deepEqual(
        [row.use_email_service, row.use_webhook_service, row.require_known_resources],
        [true, true, true],
      )
      assert.deepEqual([row.default_access_type, row.default_access_role], ['restricted', 'viewer'])
      assert.deepEqual(row.email_service_config, {
        type: 'sendgrid',
        fromEmail: 'mail@example.com',
        fromCompany: 'Example',
        commentTemplateId: 'd-1',
        tagTemplateId: 'd-2',
      })
      assert.deepEqual(row.webhook_service_config, {
        rawNotificationUrl: 'https://example.com/raw',
        processedNotificationUrl: 'https://example.com/processed',
      })
      assert.ok(Buffer.isBuffer(row.email_service_key_sealed) && Buffer.isBuffer(row.webhook_service_token_sealed))
    })

    it('accepts empty configuration values, which can be set later', async () => {
      const { apiKey } = await owner.call(createApiKey, {
        ...minimal,
        emailServiceConfig: { type: 'default', apiKey: '', fromEmail: '', fromCompany: '' },
        webhookServiceConfig: { authToken: '', rawNotificationUrl: '', processedNotificationUrl: '' },
      })
      const row = await stored(apiKey)
      assert.deepEqual([row.email_service_key_sealed, row.webhook_service_token_sealed], [null, null])
    })

    it('writes the events of the key and its token', async () => {
      const { apiKey } = await owner.call(createApiKey, { ...minimal, apiKeyName: 'Seen', allowedDomains: ['a.com'] })
      const [created, token, ...more] = await eventsOf(server.db, apiKey)
      assert.equal(more.length, 0)
      assert.equal(created?.type, 'api_key.created')
      assert.deepEqual(created?.after, {
        name: 'Seen',
        type: 'testing',
        ownerEmail,
        allowedDomains: ['a.com'],
        defaultDocumentAccessType: 'public',
        defaultAccessRole: 'editor',
      })
      assert.deepEqual(created?.actor, { token: 'workspace', address: '127.0.0.1' })
      assert.equal(token?.type, 'auth_token.created')
      const [{ id } = { id: '' }] = (await owner.call(getAuthTokens, { apiKey })).authTokens
      assert.deepEqual(token?.after, { id, name: 'Default Auth Token', scopes: ['read', 'write', 'admin'] })
    })
  })

  describe('INVALID_ARGUMENT', () => {
    it('requires ownerEmail', async () => {
      const { ownerEmail: _left, ...rest } = minimal
      assert.equal(refused(await create(rest), 'INVALID_ARGUMENT').message, 'ownerEmail is required')
    })

    it('lists the valid types', async () => {
      refusedField(await create({ ...minimal, type: 'staging' }), 'type', 'type must be one of "testing", "production"')
      refusedField(await create({ ownerEmail }), 'type', 'type is required')
    })

    it('refuses a production key without a plan', async () => {
      const production = { ownerEmail, type: 'production' }
      for (const plan of [
        {},
        { planInfo: {} },
        { customPlanInfo: false },
        { planInfo: {}, customPlanInfo: false },
        { customPlanInfoData: { seats: 3 } },
      ])
        refusedField(await create({ ...production, ...plan }), 'planInfo')
      refusedField(await create({ ...production, planInfo: { type: '' } }), 'planInfo.type')
      for (const plan of [
        { planInfo: { type: 'production' } },
        { customPlanInfo: true },
        { customPlanInfo: true, planInfo: {} },
        { customPlanInfo: true, customPlanInfoData: { seats: 3 } },
      ])
        assert.equal((await create({ ...production, ...plan })).http, 200)
    })

    it('accepts only the workspace id of the caller, and names that later clients send', async () => {
      const names = { platform: 'sdk', isSuperWorkspace: false }
      const own = owner.headers['x-service-workspace-id']
      assert.equal((await create({ ...minimal, ...names, workspaceId: own })).http, 200)
      const other = (await newCallers(server.url)).workspace.headers['x-service-workspace-id']
      refusedField(
        await create({ ...minimal, workspaceId: other }),
        'workspaceId',
        'workspaceId must be equal to the workspace id of the credentials',
      )
    })

    it('names a domain that is not a host', async () => {
      refusedField(await create({ ...minimal, allowedDomains: ['a.com', '*'] }), 'allowedDomains[1]', /must be a host/)
    })

    it('refuses URLs that are not http or https', async () => {
      for (const url of ['ftp://example.com', 'example.com', 'https://', 'javascript:alert(1)'])
        refusedField(
          await create({ ...minimal, webhookServiceConfig: { rawNotificationUrl: url } }),
          'webhookServiceConfig.rawNotificationUrl',
        )
    })

    it('limits the depth and size of custom plan data', async () => {
      const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
      const body = JSON.stringify({ data: { ...minimal, customPlanInfo: true, customPlanInfoData: { a: 'DEEP' } } })
      refused(await owner.raw(createApiKey.path, body.replace('"DEEP"', deep)), 'INVALID_ARGUMENT')
      refusedField(
        await create({ ...minimal, customPlanInfo: true, customPlanInfoData: { a: 'x'.repeat(70_000) } }),
        'customPlanInfoData',
      )
    })
  })

  describe('UNIMPLEMENTED', () => {
    it('names fields of features that are not implemented', async () => {
      for (const field of UNIMPLEMENTED_KEY_FIELDS) {
        const error = refused(await create({ ...minimal, [field]: true }), 'UNIMPLEMENTED')
        assert.equal(error.reason, 'field_not_implemented')
        assert.deepEqual(error.details[0].field, field)
        assert.ok(error.message.startsWith(field))
      }
    })
  })

  describe('STRICT_FIELDS=false', () => {
    it('ignores unknown and unimplemented fields of nested settings too, and still checks the known ones', async () => {
      const { url } = await startServer({ STRICT_FIELDS: 'false' })
      const { workspace } = await newCallers(url)
      const data = {
        ...minimal,
        useNotificationService: true,
        ownerEmial: 'x',
        constructor: 1,
        toString: 'x',
        emailServiceConfig: { type: 'default', region: 'eu' },
      }
      const answer = await workspace.raw(createApiKey.path, JSON.stringify({ data, beside: 1 }))
      assert.equal(answer.http, 200, answer.text)
      refusedField(await workspace.post(createApiKey.path, { ...data, type: 'x' }), 'type')
    })
  })

  describe('a production key without a plan', () => {
    it('is created with STRICT_FIELDS=false', async () => {
      const lax = await sharedServer({ STRICT_FIELDS: 'false' })
      const { workspace } = await newCallers(lax.url)
      assert.equal((await workspace.post(createApiKey.path, { ownerEmail, type: 'production' })).http, 200)
    })
  })

  describe('RESOURCE_EXHAUSTED', () => {
    it('enforces PRODUCTION_KEYS_PER_WORKSPACE, also for concurrent calls', async () => {
      const { url } = await startServer({ PRODUCTION_KEYS_PER_WORKSPACE: '3' })
      const { workspace } = await newCallers(url)
      const production = { ownerEmail, type: 'production', customPlanInfo: true } as const
      const raced = await Promise.all(Array.from({ length: 8 }, () => workspace.post(createApiKey.path, production)))
      assert.equal(raced.filter(({ http }) => http === 200).length, 3)
      for (const answer of raced.filter(({ http }) => http !== 200))
        assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'too_many_production_keys')
      assert.equal((await workspace.post(createApiKey.path, minimal)).http, 200)
      const other = await newCallers(url)
      assert.equal((await other.workspace.post(createApiKey.path, production)).http, 200)
    })
  })
})

describe('api-keys.update', () => {
  it('renames a key, with one event, and none if nothing changes', async () => {
    const { apiKey } = await owner.call(createApiKey, { ...minimal, apiKeyName: 'Before' })
    const rename = () => owner.call(updateApiKey, { apiKey, apiKeyName: 'After' })
    const [event, ...more] = await eventsDuring(server.db, apiKey, rename)
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'api_key.updated')
    assert.deepEqual([event?.before, event?.after], [{ name: 'Before' }, { name: 'After' }])
    assert.equal((await stored(apiKey)).name, 'After')
    assert.deepEqual(await eventsDuring(server.db, apiKey, rename), [])
  })

  it('responds NOT_FOUND for a key that the workspace does not have', async () => {
    const answer = await owner.post(updateApiKey.path, { apiKey: 'chk_test_unknown', apiKeyName: 'x' })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'api_key_does_not_exist')
  })
})

describe('api-keys.disable and enable', () => {
  const isDisabled = async (apiKey: string) =>
    (await owner.call(getApiKeys, { apiKeys: [apiKey] })).map(({ disabled }) => disabled)

  it('refuse and accept calls with the key from the next one on; the workspace can still manage it', async () => {
    const { apiKey, authToken = '' } = await owner.call(createApiKey, minimal)
    const key = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
    await owner.call(disableApiKey, { apiKey })
    assert.equal(refused(await key.post(getOrganizations.path, {}), 'PERMISSION_DENIED').reason, 'api_key_disabled')
    assert.deepEqual(await isDisabled(apiKey), [true])
    assert.equal((await owner.call(getAuthTokens, { apiKey })).authTokens.length, 1)
    await owner.call(enableApiKey, { apiKey })
    assert.deepEqual(await key.call(getOrganizations, {}), [])
    assert.deepEqual(await isDisabled(apiKey), [false])
  })

  it('write one event each, and none if nothing changes', async () => {
    const { apiKey } = await owner.call(createApiKey, minimal)
    const types = async (operation: typeof disableApiKey) =>
      (await eventsDuring(server.db, apiKey, () => owner.call(operation, { apiKey }))).map(({ type }) => type)
    assert.deepEqual(await types(enableApiKey), [])
    assert.deepEqual(await types(disableApiKey), ['api_key.disabled'])
    assert.deepEqual(await types(disableApiKey), [])
    assert.deepEqual(await types(enableApiKey), ['api_key.enabled'])
  })

  it('respond NOT_FOUND for a key that the workspace does not have', async () => {
    for (const { path } of [disableApiKey, enableApiKey])
      assert.equal(
        refused(await owner.post(path, { apiKey: 'chk_test_unknown' }), 'NOT_FOUND').reason,
        'api_key_does_not_exist',
      )
  })
})

describe('api-keys.get', () => {
  let client: Client
  let ids: string[]
  beforeAll(async () => {
    client = (await newCallers(server.url)).workspace
    for (let index = 0; index < 5; index++) await client.call(createApiKey, minimal)
    ids = (await client.call(getApiKeys, {})).map(({ id }) => id)
  })

  it('lists the keys of the workspace in id order', () => {
    assert.equal(ids.length, 7)
    assert.deepEqual(ids, [...ids].sort())
  })

  it('finds keys by a part of their name, without regard to case and accents, and by the beginning of their id', async () => {
    const { apiKey } = await owner.call(createApiKey, { ...minimal, apiKeyName: 'Café staging' })
    const found = async (query: string) => (await owner.call(getApiKeys, { query })).map(({ id }) => id)
    assert.deepEqual(await found('CAFE'), [apiKey])
    assert.deepEqual(await found('é Stag'), [apiKey])
    assert.deepEqual(await found(apiKey.slice(0, 20)), [apiKey])
    assert.deepEqual(await found('unknown'), [])
    assert.deepEqual((await client.call(getApiKeys, { query: 'cafe' })).length, 0)
  })

  it('lists them by name, without regard to case and accents, from either end', async () => {
    const { workspace } = await newCallers(server.url)
    const names = ['Äpfel', 'emile', 'Emilia', 'zoë']
    for (const apiKeyName of names.toReversed()) await workspace.call(createApiKey, { ...minimal, apiKeyName })
    const listed = async (data: { orderBy: 'name' | 'name desc'; pageToken?: string; pageSize: number }) => {
      const { body } = await workspace.post(getApiKeys.path, data)
      const found: string[] = body.result.data.map(({ apiKeyName }: { apiKeyName: string }) => apiKeyName)
      return { found: found.filter((name) => names.includes(name)), pageToken: body.result.nextPageToken as string }
    }
    assert.deepEqual((await listed({ orderBy: 'name', pageSize: 100 })).found, names)
    assert.deepEqual((await listed({ orderBy: 'name desc', pageSize: 100 })).found, names.toReversed())
    const first = await listed({ orderBy: 'name', pageSize: 2 })
    const second = await listed({ orderBy: 'name', pageSize: 2, pageToken: first.pageToken })
    assert.deepEqual([...first.found, ...second.found], names.slice(0, first.found.length + second.found.length))
  })

  it('returns the same set with any page size', async () => {
    for (const pageSize of [1, 2, 3, 6, 7, 100]) {
      const seen: string[] = []
      for await (const { data } of pagesOf((pageToken) => client.post(getApiKeys.path, { pageSize, pageToken }))) {
        assert.ok(data.length <= pageSize)
        seen.push(...data.map(({ id }: { id: string }) => id))
      }
      assert.deepEqual(seen, ids)
    }
  })

  it('returns only the named keys, and omits those of other workspaces', async () => {
    const named = [ids[2] ?? '', 'chk_test_unknown', ids[0] ?? '']
    const answer = await client.call(getApiKeys, { apiKeys: named })
    assert.deepEqual(
      answer.map(({ id }) => id),
      [ids[0], ids[2]],
    )
  })

  it('accepts a page token only for its query', async () => {
    const { body } = await client.post(getApiKeys.path, { pageSize: 1 })
    const pageToken = body.result.nextPageToken
    const answer = await client.post(getApiKeys.path, { pageSize: 1, pageToken, apiKeys: ids })
    refusedField(answer, 'pageToken')
    assert.equal(answer.body.error.reason, 'page_token_invalid')
    assert.equal((await client.post(getApiKeys.path, { pageSize: 5, pageToken })).http, 200)
  })
})
