/** Settings of signed webhooks, their endpoints and secrets: values, refusals and events. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { beforeEach, describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { getWebhookConfig, updateWebhookConfig } from '#contract/keys/service-configs.ts'
import { getAdvancedWebhookConfig, updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoints,
  updateWebhookEndpoint,
} from '#contract/webhooks/endpoints.ts'
import { getWebhookSecret, rotateWebhookSecret } from '#contract/webhooks/secrets.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../../test/conformance/support/events.ts'
import { refused, refusedField, withoutRequestId } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const { db } = server
const url = 'https://receiver.invalid/hooks'
let key: Client
beforeEach(async () => {
  key = await server.newKey()
})
const enable = () => key.call(updateAdvancedWebhookConfig, { isEnabled: true })
const create = (more: object = {}) => key.call(createWebhookEndpoint, { url, ...more })
const events = (work: () => Promise<unknown>) => eventsDuring(db, apiKeyOf(key), work)
const OFF = { isEnabled: false, encodeData: false, encryptData: false, publicKey: '', enableDataProtection: false }
const rsa = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ type: 'spki', format: 'pem' }).toString()
const PEM = rsa(2_048)
const PLAIN = PEM.replace(/-----.*-----|\s/g, '')

describe('advanced-webhook-config', () => {
  it('is disabled at first, must be enabled first, and then merges fields', async () => {
    assert.deepEqual(await key.call(getAdvancedWebhookConfig, {}), OFF)
    const first = await key.post(updateAdvancedWebhookConfig.path, { encodeData: true })
    assert.equal(refused(first, 'FAILED_PRECONDITION').reason, 'advanced_webhooks_disabled')
    assert.deepEqual(await enable(), { ...OFF, isEnabled: true })
    const encoding = await key.call(updateAdvancedWebhookConfig, { encodeData: true, publicKey: PEM })
    assert.deepEqual(encoding, { ...OFF, isEnabled: true, encodeData: true, publicKey: PLAIN })
    assert.deepEqual(await key.call(updateAdvancedWebhookConfig, { isEnabled: false }), {
      ...encoding,
      isEnabled: false,
    })
    assert.deepEqual(await key.call(getAdvancedWebhookConfig, {}), { ...encoding, isEnabled: false })
    refusedField(await key.post(updateAdvancedWebhookConfig.path, {}), 'data')
    const field = await key.post(updateAdvancedWebhookConfig.path, { enableDataProtection: true })
    assert.equal(refused(field, 'UNIMPLEMENTED').reason, 'field_not_implemented')
  })

  it('writes an event for a change, and none if nothing changes', async () => {
    const [event, ...more] = await events(enable)
    assert.deepEqual([event?.type, more.length], ['api_key.updated', 0])
    assert.equal(event?.after.advancedWebhookConfig.isEnabled, true)
    assert.deepEqual(await events(enable), [])
  })

  it('accepts valid public keys of at least 2048 bits, and encryption only with one', async () => {
    await enable()
    const update = (data: object) => key.post(updateAdvancedWebhookConfig.path, data)
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' })
    for (const publicKey of ['nonsense', rsa(1_024), ec.toString(), PLAIN.slice(8)])
      refusedField(await update({ publicKey }), 'publicKey', /^publicKey must be the base64 text of an RSA public key/)
    refusedField(await update({ encryptData: true }), 'publicKey', 'publicKey is required while encryptData is true')
    await key.call(updateAdvancedWebhookConfig, { encryptData: true, publicKey: PLAIN })
    refusedField(await update({ publicKey: '' }), 'publicKey')
    const pkcs1 = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey.export({
      type: 'pkcs1',
      format: 'pem',
    })
    assert.equal((await update({ publicKey: pkcs1.toString() })).http, 200)
  })
})

describe('webhook-endpoints', () => {
  it('refuse every operation while signed webhooks are disabled', async () => {
    const calls = [
      [createWebhookEndpoint, { url }],
      [getWebhookEndpoints, {}],
      [updateWebhookEndpoint, { endpointId: 'ep_any', disabled: true }],
      [deleteWebhookEndpoint, { endpointId: 'ep_any' }],
      [getWebhookSecret, { endpointId: 'ep_any' }],
      [rotateWebhookSecret, { endpointId: 'ep_any' }],
    ] as const
    const refuse = async (message: RegExp) => {
      for (const [{ path }, data] of calls)
        assert.match(refused(await key.post(path, data), 'FAILED_PRECONDITION').message, message)
    }
    await refuse(/were never enabled/)
    await enable()
    await key.call(updateAdvancedWebhookConfig, { isEnabled: false })
    await refuse(/are disabled/)
  })

  it('are created with null for absent fields, and without their secret in the response', async () => {
    await enable()
    const endpoint = await create()
    assert.match(endpoint.id, /^ep_[0-9A-Za-z]{27}$/)
    assert.match(endpoint.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const { id, createdAt, updatedAt, ...fields } = endpoint
    const unset = { description: null, filterTypes: null, channels: null, rateLimit: null, uid: null }
    assert.deepEqual(fields, { url, disabled: false, ...unset })
    assert.equal(createdAt, updatedAt)
    const given = { description: 'd', filterTypes: ['a.b'], channels: ['acme'], disabled: true, rateLimit: 5, uid: 'u' }
    const full = await create({ ...given, metadata: { team: 'search' } })
    assert.deepEqual({ ...full, ...given }, full)
  })

  it('refuse URLs with private addresses or credentials', async () => {
    await enable()
    for (const bad of [
      ...['http://localhost/', 'http://127.0.0.1/', 'http://2130706433/', 'http://[::1]/', 'http://0x7f.1/x'],
      ...[
        'http://169.254.169.254/latest',
        'http://10.1.2.3/',
        'http://a.localhost./',
        'http://[fd00::1]/',
        'https://[::ffff:a00:1]/',
      ],
      ...[
        'https://user@example.com/',
        'https://user:password@example.com/',
        'ftp://example.com/',
        'example.com',
        'https://',
      ],
    ]) {
      refusedField(await key.post(createWebhookEndpoint.path, { url: bad }), 'url')
      const basic = { webhookServiceConfig: { rawNotificationUrl: bad } }
      refusedField(await key.post(updateWebhookConfig.path, basic), 'webhookServiceConfig.rawNotificationUrl')
    }
    const { workspace } = await newCallers(server.url)
    const webhookServiceConfig = { processedNotificationUrl: 'http://127.1/' }
    const data = { ownerEmail: 'ada@example.com', type: 'testing', webhookServiceConfig }
    refusedField(await workspace.post(createApiKey.path, data), 'webhookServiceConfig.processedNotificationUrl')
  })

  it('are listed in id order, forwards and backwards, with any page size', async () => {
    await enable()
    const ids: string[] = []
    for (let nth = 0; nth < 5; nth++) ids.push((await create({ uid: `u${nth}` })).id)
    ids.sort()
    for (const limit of [1, 2, 5, 250]) {
      const pages: string[][] = []
      let page = await key.call(getWebhookEndpoints, { limit })
      assert.equal(page.prevIterator, null)
      for (;;) {
        pages.push(page.endpoints.map(({ id }) => id))
        assert.equal(page.done, page.iterator === null)
        if (page.iterator === null) break
        page = await key.call(getWebhookEndpoints, { limit, iterator: page.iterator })
      }
      assert.deepEqual(pages.flat(), ids)
      const back: string[][] = [pages.at(-1) ?? []]
      while (page.prevIterator !== null) {
        page = await key.call(getWebhookEndpoints, { limit, iterator: page.prevIterator })
        back.unshift(page.endpoints.map(({ id }) => id))
        assert.equal(page.done, false)
      }
      assert.deepEqual(back.flat(), ids)
    }
    const bad = await key.post(getWebhookEndpoints.path, { iterator: 'nonsense' })
    refusedField(bad, 'iterator')
    assert.equal(bad.body.error.reason, 'page_token_invalid')
  })

  it('change the given fields; null clears a field', async () => {
    await enable()
    const { id: endpointId, ...before } = await create({
      filterTypes: ['a.b'],
      channels: ['acme'],
      rateLimit: 5,
      description: 'd',
    })
    const changed = await key.call(updateWebhookEndpoint, { endpointId, url: `${url}/2`, rateLimit: 9 })
    const { updatedAt } = changed
    assert.deepEqual(changed, { id: endpointId, ...before, url: `${url}/2`, rateLimit: 9, updatedAt })
    const nulls = { filterTypes: null, channels: null, rateLimit: null, description: null }
    const cleared = await key.call(updateWebhookEndpoint, { endpointId, ...nulls })
    assert.deepEqual({ ...cleared, ...nulls }, cleared)
    refusedField(await key.post(updateWebhookEndpoint.path, { endpointId }), 'data')
    refusedField(await key.post(updateWebhookEndpoint.path, { endpointId, filterTypes: [] }), 'filterTypes')
    for (const [path, more] of [
      [createWebhookEndpoint.path, { url }],
      [updateWebhookEndpoint.path, { endpointId }],
    ] as const) {
      const family = await key.post(path, { ...more, filterTypes: ['permission.*'] })
      refusedField(
        family,
        'filterTypes[0]',
        /must be one type of event, .*; only lists of events take families such as/,
      )
    }
    assert.match((await key.post(updateWebhookEndpoint.path, { endpointId, uid: 'x' })).body.error.message, /uid/)
  })

  it('write an event without secrets for each change, and none if nothing changes', async () => {
    await enable()
    let id = ''
    const types = async (work: () => Promise<unknown>) => (await events(work)).map(({ type }) => type)
    assert.deepEqual(
      await types(async () => {
        id = (await create({ metadata: { team: 'search' } })).id
      }),
      ['webhook_endpoint.created'],
    )
    const update = () => key.call(updateWebhookEndpoint, { endpointId: id, description: 'new' })
    const [event] = await events(update)
    assert.deepEqual(
      [event?.type, event?.before.description, event?.after.description],
      ['webhook_endpoint.updated', null, 'new'],
    )
    assert.deepEqual(event?.after.metadata, { team: 'search' })
    assert.deepEqual(await types(update), [])
    const [rotated] = await events(() => key.call(rotateWebhookSecret, { endpointId: id }))
    assert.deepEqual(
      [rotated?.type, rotated?.after],
      ['webhook_endpoint.secret_rotated', { endpointId: id, gracePeriodSeconds: 86_400 }],
    )
    assert.deepEqual(await types(() => key.call(deleteWebhookEndpoint, { endpointId: id })), [
      'webhook_endpoint.deleted',
    ])
  })

  it('are not found if missing or of another key', async () => {
    await enable()
    const stranger = await server.newKey()
    await stranger.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const theirs = await stranger.call(createWebhookEndpoint, { url })
    for (const { path } of [updateWebhookEndpoint, deleteWebhookEndpoint, getWebhookSecret, rotateWebhookSecret]) {
      const more = path === updateWebhookEndpoint.path ? { disabled: true } : {}
      const answers = await Promise.all(
        [theirs.id, 'ep_nobody', 'raw'].map((endpointId) => key.post(path, { endpointId, ...more })),
      )
      for (const answer of answers) {
        assert.equal(refused(answer, 'NOT_FOUND').reason, 'webhook_endpoint_does_not_exist')
        assert.equal(withoutRequestId(answer), withoutRequestId(answers[0] ?? answer))
      }
    }
    assert.equal((await stranger.call(getWebhookEndpoints, {})).endpoints[0]?.disabled, false)
  })

  it('have a unique uid within the key', async () => {
    await enable()
    await create({ uid: 'search' })
    const again = await key.post(createWebhookEndpoint.path, { url, uid: 'search' })
    assert.equal(refused(again, 'ALREADY_EXISTS').reason, 'webhook_endpoint_uid_taken')
    key = await server.newKey()
    await enable()
    await create({ uid: 'search' })
  })

  it('are limited in number, also for concurrent calls', async () => {
    await enable()
    await create()
    await db.query(
      `insert into webhook_endpoints (api_key_id, endpoint_id, kind, url, active)
       select $1, 'ep_' || n, 'signed', 'https://receiver.invalid/', false from generate_series(1, $2::int) n`,
      [apiKeyOf(key), LIMITS.webhookEndpointsPerKeyMax - 3],
    )
    const answers = await Promise.all(Array.from({ length: 5 }, () => key.post(createWebhookEndpoint.path, { url })))
    const full = answers.filter(({ http }) => http !== 200)
    assert.equal(full.length, 3)
    for (const answer of full) assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'too_many_webhook_endpoints')
  })

  it('have a sealed secret, which a rotation replaces', async () => {
    await enable()
    const { id: endpointId } = await create()
    const { secret } = await key.call(getWebhookSecret, { endpointId })
    assert.match(secret, /^whsec_[0-9A-Za-z+/]{43}=$/)
    const rotated = await key.call(rotateWebhookSecret, { endpointId })
    assert.deepEqual(await key.call(getWebhookSecret, { endpointId }), rotated)
    assert.notEqual(rotated.secret, secret)
    const { rows } = await db.query('select * from webhook_endpoints where endpoint_id = $1', [endpointId])
    for (const one of [secret, rotated.secret]) assert.ok(!JSON.stringify(rows).includes(one.slice(6)))
  })
})

describe('webhook-config.update', () => {
  it('accepts the flags and the public key for payloads', async () => {
    const webhookServiceConfig = { encodeData: true, encryptData: true, publicKey: PEM }
    const answer = await key.call(updateWebhookConfig, { webhookServiceConfig })
    const after = { ...answer.webhookServiceConfig, ...webhookServiceConfig, publicKey: PLAIN }
    assert.deepEqual(answer.webhookServiceConfig, after)
    assert.deepEqual((await key.call(getWebhookConfig, {})).webhookServiceConfig, after)
    const without = await key.post(updateWebhookConfig.path, { webhookServiceConfig: { publicKey: '' } })
    refusedField(without, 'webhookServiceConfig.publicKey')
  })
})

describe('types of events that are never sent', () => {
  const WARNING = {
    code: 'event_type_never_sent',
    message:
      'filterTypes: there are no events of type "huddle.join", so nothing is sent for it; the reference lists all types',
  }

  it('are stored, and the response has a warning', async () => {
    await enable()
    const filterTypes = ['permission.added', 'huddle.join']
    const { body } = await key.post(createWebhookEndpoint.path, { url, filterTypes })
    assert.deepEqual(body.result.data.filterTypes, filterTypes)
    assert.deepEqual(body.result.warnings, [WARNING])
    const { id: endpointId } = body.result.data
    const changed = await key.post(updateWebhookEndpoint.path, { endpointId, filterTypes: ['permision.added'] })
    assert.match(changed.body.result.warnings[0].message, /did you mean "permission.added"\?$/)
    const described = await key.post(updateWebhookEndpoint.path, { endpointId, description: 'changed' })
    assert.equal('warnings' in described.body.result, false)
  })

  it('cause no warning if they are sent', async () => {
    await enable()
    const { body } = await key.post(createWebhookEndpoint.path, { url, filterTypes: ['permission.added'] })
    assert.equal('warnings' in body.result, false)
  })
})
