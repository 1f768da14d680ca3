/** The delivery of events to webhooks: complete, signed or with the key's token, retried, and filtered. */
import assert from 'node:assert/strict'
import { constants, createDecipheriv, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { updateWebhookConfig } from '#contract/keys/service-configs.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUsers } from '#contract/users/users.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoints,
  updateWebhookEndpoint,
} from '#contract/webhooks/endpoints.ts'
import { listWebhookAttempts } from '#contract/webhooks/messages.ts'
import { getWebhookSecret, rotateWebhookSecret } from '#contract/webhooks/secrets.ts'
import type { Client } from '#testing/client.ts'
import { eventually, until } from '#testing/eventually.ts'
import { assertRecent } from '#testing/recent.ts'
import { startServer } from '#testing/server.ts'
import { type Received, type Receiver, type Reply, startReceiver } from '#testing/stand-ins/receiver.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { eventsOf } from '../../../../test/conformance/support/events.ts'
import { signature } from './request.ts'

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { clock, db } = server
let key: Client
let receiver: Receiver
beforeEach(async () => {
  key = await server.newKey()
  receiver = await startReceiver()
})
afterEach(() => {
  receiver.close()
  clock.set(null)
})

type NewEndpoint = Partial<DataOf<typeof createWebhookEndpoint>>

/** Creates a signed endpoint for the receiver; returns it with its secret. */
async function listen(more: NewEndpoint = {}): Promise<{ id: string; secret: string }> {
  await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
  const { id } = await key.call(createWebhookEndpoint, { url: receiver.url, ...more })
  return { id, secret: (await key.call(getWebhookSecret, { endpointId: id })).secret }
}

const addOrganization = (organizationId = 'acme', organizationName = 'Acme Corp') =>
  key.call(addOrganizations, { organizations: [{ organizationId, organizationName }] })

const attempts = async (endpointId: string) => (await key.call(listWebhookAttempts, { endpointId })).attempts
const isType = (type: string) => (received: Received) => received.json.event === type
const organizationAdded = isType('organization.added')

/** Counts the pending messages of an endpoint. */
async function waiting(endpointId: string): Promise<number> {
  const { rows } = await db.query(
    `select from webhook_deliveries d join webhook_endpoints e on e.endpoint_key = d.endpoint_key where e.endpoint_id = $1`,
    [endpointId],
  )
  return rows.length
}

/** Waits until the log has this many attempts; returns them, first attempt first. */
const logged = (endpointId: string, count: number) =>
  eventually(`log of ${count} attempts`, async () => {
    const log = await attempts(endpointId)
    return log.length >= count ? log.reverse() : undefined
  })

describe('a signed endpoint', () => {
  it('gets messages also if it became active before the clock was set back', async () => {
    const { id } = await listen({ filterTypes: ['organization.added'] })
    await db.query(
      `update webhook_endpoints set active_since = clock_timestamp() + interval '1 hour' where endpoint_id = $1`,
      [id],
    )
    await addOrganization()
    assert.equal((await receiver.until(1)).filter(organizationAdded).length, 1)
  })

  it('with a rate limit gets new messages also if it paused until a time after which the clock was set back', async () => {
    const { id } = await listen({ filterTypes: ['organization.added'], rateLimit: 5 })
    await db.query(
      `update webhook_endpoints set paced_until = clock_timestamp() + interval '3 hours', due_at = clock_timestamp() + interval '3 hours'
        where endpoint_id = $1`,
      [id],
    )
    await addOrganization()
    assert.equal((await receiver.until(1)).filter(organizationAdded).length, 1)
  })

  it('receives each event as a message that Standard Webhooks verifies', async () => {
    const { secret } = await listen({ filterTypes: ['organization.added'] })
    await addOrganization()
    const [message] = await receiver.until(1)
    assert.ok(message)
    const { headers, body } = message
    assert.deepEqual(new Webhook(secret).verify(body, headers as Record<string, string>), message.json)
    assert.equal(headers['content-type'], 'application/json')
    assert.match(headers['user-agent'] ?? '', /^Commonhold\//)
    assert.equal(headers.authorization, undefined)
    const { data, ...head } = message.json
    assert.deepEqual(head, {
      event: 'organization.added',
      actionType: 'added',
      source: 'organization',
      webhookId: headers['webhook-id'],
    })
    const [event] = (await eventsOf(db, apiKeyOf(key))).filter(({ type }) => type === 'organization.added')
    assert.deepEqual([data.organizationId, data.actor, data.after], ['acme', event?.actor, event?.after])
    assertRecent(data.changedAt)
    assert.throws(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>))
  })

  it('matches the test vector of the signature scheme', () => {
    const envelope = { id: 'msg_test_0001', timestamp: 1_700_000_000, body: '{"a":1}' }
    assert.equal(
      signature('whsec_MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1u', envelope),
      'v1,7U+9lTKuGNVblEsJz9HZ1duVVFQn4sOvqDBHP2Tj9ec=',
    )
  })

  it('receives only events of its types and organizations, or all events without filters', async () => {
    await listen({ filterTypes: ['organization.added'], channels: ['acme'] })
    const all = await startReceiver()
    await key.call(createWebhookEndpoint, { url: all.url })
    await addOrganization('other')
    await addOrganization('acme')
    await addOrganization('acme', 'Another name')
    await addOrganization('last')
    const got = await all.until(5)
    assert.deepEqual(
      got.map(({ json }) => [json.event, json.data.organizationId]),
      [
        ['webhook_endpoint.created', undefined],
        ['organization.added', 'other'],
        ['organization.added', 'acme'],
        ['organization.updated', 'acme'],
        ['organization.added', 'last'],
      ],
    )
    assert.deepEqual(
      (await receiver.until(1)).map(({ json }) => json.data.organizationId),
      ['acme'],
    )
    assert.equal(new Set(got.map(({ headers }) => headers['webhook-id'])).size, 5)
  })

  it('receives nothing of another API key, and no events from before it was created', async () => {
    await addOrganization('before')
    await listen()
    const stranger = await server.newKey()
    await stranger.call(addOrganizations, { organizations: [{ organizationId: 'theirs' }] })
    await addOrganization('after')
    await receiver.until(1, organizationAdded)
    await sleep(300)
    const organizations = receiver.received.filter(organizationAdded).map(({ json }) => json.data.organizationId)
    assert.deepEqual(organizations, ['after'])
  })

  it('is also signed for with the previous secret until the grace period after a rotation ends', async () => {
    const { id: endpointId, secret: before } = await listen({ filterTypes: ['organization.added'] })
    const { secret: after } = await key.call(rotateWebhookSecret, { endpointId })
    assert.notEqual(after, before)
    await addOrganization('one')
    const [message] = await receiver.until(1)
    const headers = message?.headers as Record<string, string>
    for (const secret of [before, after]) new Webhook(secret).verify(message?.body ?? '', headers)
    assert.equal(headers['webhook-signature']?.split(' ').length, 2)
    await db.query(`update webhook_endpoints set previous_secret_until = now() where endpoint_id = $1`, [endpointId])
    await addOrganization('two')
    const [, later] = await receiver.until(2)
    const laterHeaders = later?.headers as Record<string, string>
    new Webhook(after).verify(later?.body ?? '', laterHeaders)
    assert.throws(() => new Webhook(before).verify(later?.body ?? '', laterHeaders))
    await key.call(rotateWebhookSecret, { endpointId, gracePeriodSeconds: 0 })
    await addOrganization('three')
    const [, , last] = await receiver.until(3)
    assert.throws(() => new Webhook(after).verify(last?.body ?? '', last?.headers as Record<string, string>))
  })

  it('receives nothing while it or signed webhooks are disabled, and pending messages are deleted', async () => {
    const { id: endpointId } = await listen({ filterTypes: ['organization.added'] })
    receiver.answer = () => ({ status: 500 })
    await addOrganization('waits')
    await receiver.until(1)
    await logged(endpointId, 1)
    await key.call(updateWebhookEndpoint, { endpointId, disabled: true })
    assert.equal(await waiting(endpointId), 0)
    await addOrganization('unheard')
    receiver.answer = () => ({ status: 204 })
    await key.call(updateWebhookEndpoint, { endpointId, disabled: false })
    await addOrganization('heard')
    await receiver.until(2)
    await key.call(updateAdvancedWebhookConfig, { isEnabled: false })
    await addOrganization('unheard too')
    await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    await addOrganization('heard again')
    await receiver.until(3)
    assert.deepEqual(
      receiver.received.map(({ json }) => json.data.organizationId),
      ['waits', 'heard', 'heard again'],
    )
  })

  it('receives no more than its rate limit', async () => {
    await listen({ filterTypes: ['organization.added'], rateLimit: 10 })
    const organizations = Array.from({ length: 25 }, (_, nth) => ({ organizationId: `o${nth}` }))
    const began = performance.now()
    await key.call(addOrganizations, { organizations })
    await receiver.until(25)
    const tookMs = performance.now() - began
    assert.ok(tookMs > 1_500, `${tookMs} ms`)
  })

  it('receives a message once if its lease expires while the request is under way', async () => {
    const { id: endpointId } = await listen({ filterTypes: ['organization.added'] })
    receiver.answer = () => ({ status: 204, afterMs: 1_000 })
    await addOrganization()
    await receiver.until(1)
    // As after a database that hung for longer than the lease.
    await until('second claim', async () => {
      const expire = 'update webhook_deliveries set due_at = now() where claims = 1'
      await db.query(
        `${expire} and endpoint_key in (select endpoint_key from webhook_endpoints where endpoint_id = $1)`,
        [endpointId],
      )
      await db.query('update webhook_endpoints set due_at = now() where endpoint_id = $1', [endpointId])
      const { rows } = await db.query(
        'select claims from webhook_deliveries where endpoint_key in (select endpoint_key from webhook_endpoints where endpoint_id = $1)',
        [endpointId],
      )
      return (rows as { claims: number }[])[0]?.claims !== 1
    })
    await until('its result', async () => (await waiting(endpointId)) === 0)
    assert.equal(receiver.received.length, 1)
    assert.equal((await attempts(endpointId)).length, 1)
  })

  it('receives nothing after it was deleted', async () => {
    const { id: endpointId } = await listen({ filterTypes: ['organization.added'] })
    receiver.answer = () => ({ status: 500 })
    await addOrganization()
    await logged(endpointId, 1)
    assert.equal(await waiting(endpointId), 1)
    await key.call(deleteWebhookEndpoint, { endpointId })
    clock.set(new Date(Date.now() + 60_000))
    await sleep(300)
    assert.equal(receiver.received.length, 1)
  })
})

describe('a message that fails', () => {
  const failing = async (reply: Reply) => {
    clock.set(new Date('2026-03-01T00:00:00Z'))
    const endpoint = await listen({ filterTypes: ['organization.added', 'message.attempt.exhausted'] })
    receiver.answer = () => reply
    return endpoint
  }
  const pass = (seconds: number) => clock.set(new Date((clock.now()?.getTime() ?? 0) + seconds * 1_000))
  const HOUR = 3_600
  const SCHEDULE = [5, 300, 1_800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]

  it('is tried eight times under one id, with delays counted from the previous failure, and then reported', async () => {
    const { id, secret } = await failing({ status: 500, body: 'no\0t now' })
    await addOrganization()
    for (const [nth, seconds] of SCHEDULE.entries()) {
      await logged(id, nth + 1)
      pass(seconds - 1)
      await sleep(300)
      assert.equal(receiver.received.length, nth + 1, `before attempt ${nth + 2}`)
      pass(1)
      await receiver.until(nth + 2)
    }
    const log = await logged(id, 8)
    assert.deepEqual(
      log.map(({ attempt, success, httpStatus }) => [attempt, success, httpStatus]),
      SCHEDULE.concat(0).map((_, nth) => [nth + 1, false, 500]),
    )
    const waits = log.slice(0, 7).map(({ attemptedAt, nextAttemptAt }) => ((nextAttemptAt ?? 0) - attemptedAt) / 1_000)
    assert.deepEqual(waits, SCHEDULE)
    assert.equal(log.at(-1)?.nextAttemptAt, null)
    assert.equal(log[0]?.excerpt, 'no\ufffdt now')
    const [told] = await receiver.until(1, isType('message.attempt.exhausted'))
    const ids = new Set(receiver.received.filter(organizationAdded).map(({ headers }) => headers['webhook-id']))
    assert.equal(ids.size, 1)
    assert.deepEqual(told?.json.data.after, {
      endpointId: id,
      messageId: [...ids][0],
      eventType: 'organization.added',
      attempts: 8,
      httpStatus: 500,
      error: null,
    })
    assert.deepEqual(told?.json.data.actor, { system: 'webhooks' })
    const signed = receiver.received.at(-1)
    assert.ok(signed?.headers['webhook-signature'] && secret)
  })

  for (const [what, reply, seen] of [
    ['is redirected', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, { httpStatus: 302, error: null }],
    ['loses its connection', 'break', { httpStatus: null, error: 'UND_ERR_SOCKET' }],
    ['is not modified', { status: 304 }, { httpStatus: 304, error: null }],
  ] as const)
    it(`is retried if it ${what}`, async () => {
      const { id } = await failing(reply)
      await addOrganization()
      const [first] = await logged(id, 1)
      assert.deepEqual({ httpStatus: first?.httpStatus, error: first?.error }, seen)
      receiver.answer = () => ({ status: 200, body: 'thanks' })
      pass(5)
      const [, second] = await logged(id, 2)
      assert.deepEqual([second?.success, second?.attempt, second?.excerpt], [true, 2, 'thanks'])
    })

  it('fails if nobody listens', async () => {
    const { id } = await failing({ status: 200 })
    receiver.close()
    await addOrganization()
    const [first] = await logged(id, 1)
    assert.equal(first?.error, 'ECONNREFUSED')
  })

  it('waits as long as the endpoint requests, within limits, like all its other messages', async () => {
    const { id } = await failing({ status: 429, headers: { 'retry-after': '120' } })
    await addOrganization('one')
    const [first] = await logged(id, 1)
    assert.equal((first?.nextAttemptAt ?? 0) - (first?.attemptedAt ?? 0), 120_000)
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '99999999999' } })
    await addOrganization('two')
    pass(119)
    await sleep(300)
    assert.equal(receiver.received.length, 1)
    pass(1)
    const log = await logged(id, 2)
    const last = log.at(-1)
    assert.equal((last?.nextAttemptAt ?? 0) - (last?.attemptedAt ?? 0), 3_600_000)
  })

  it('immediately disables an endpoint that responds 410', async () => {
    const { id } = await failing({ status: 410 })
    await addOrganization()
    await logged(id, 1)
    const { endpoints } = await key.call(getWebhookEndpoints, {})
    assert.equal(endpoints[0]?.disabled, true)
    const last = (await eventsOf(db, apiKeyOf(key))).at(-1)
    assert.equal(last?.type, 'webhook_endpoint.disabled')
    assert.deepEqual([last?.actor, last?.after.reason, last?.after.endpointId], [{ system: 'webhooks' }, 'gone', id])
  })

  it('disables an endpoint after five days of failures only; one success restarts them', async () => {
    const { id } = await failing({ status: 500 })
    const failOnce = async (name: string, count: number) => {
      await addOrganization(name)
      return logged(id, count)
    }
    await failOnce('a', 1)
    pass(4 * 24 * HOUR)
    receiver.answer = ({ json }) => ({ status: json.data.organizationId === 'b' ? 200 : 500 })
    await failOnce('b', 3)
    pass(4 * 24 * HOUR)
    await failOnce('c', 4)
    const isDisabled = async () => (await key.call(getWebhookEndpoints, {})).endpoints[0]?.disabled
    assert.equal(await isDisabled(), false)
    pass(5 * 24 * HOUR)
    await failOnce('d', 5)
    await until('disabled endpoint', async () => (await isDisabled()) === true)
    const disabled = (await eventsOf(db, apiKeyOf(key))).filter(({ type }) => type === 'webhook_endpoint.disabled')
    assert.deepEqual(
      disabled.map(({ after }) => after.reason),
      ['failing'],
    )
    await key.call(updateWebhookEndpoint, { endpointId: id, disabled: false })
    await failOnce('e', 6)
    assert.equal(await isDisabled(), false)
  })
})

describe('the basic URLs', () => {
  const basic = (webhookServiceConfig: object) =>
    key.call(updateWebhookConfig, { useWebhookService: true, webhookServiceConfig })

  it('receive each event with the token of the key: raw, and processed with names and a sentence', async () => {
    const base = receiver.url.replace('/hook', '')
    await basic({ rawNotificationUrl: `${base}/raw`, processedNotificationUrl: `${base}/people`, authToken: 'a:b' })
    await addOrganization()
    await key.call(addUsers, {
      organizationId: 'acme',
      users: [{ userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' }],
    })
    await key.call(addDocuments, { organizationId: 'acme', documents: [{ documentId: 'd', documentName: 'Plan' }] })
    const resources = [{ type: 'document' as const, id: 'd', organizationId: 'acme', accessRole: 'viewer' as const }]
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources } })
    const isGrant = ({ json }: Received) => json.event === 'permission.added' && json.resource?.type === 'document'
    const both = await receiver.until(2, isGrant)
    const raw = both.find(({ path }) => path === '/raw')
    const people = both.find(({ path }) => path === '/people')
    for (const message of [raw, people]) {
      assert.equal(message?.headers.authorization, 'Basic a:b')
      assert.equal(message?.headers['webhook-signature'], undefined)
      assert.equal(message?.headers['webhook-id'], message?.json.webhookId)
    }
    assert.equal(raw?.json.sentence, undefined)
    assert.deepEqual(raw?.json.resource, { type: 'document', id: 'd' })
    assert.equal(people?.json.sentence, 'The token Default Auth Token gave Ada Lovelace viewer on Plan.')
    assert.deepEqual(people?.json.user, { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' })
    assert.deepEqual(people?.json.organization, { organizationId: 'acme', organizationName: 'Acme Corp' })
    assert.deepEqual(people?.json.resource, { type: 'document', id: 'd', name: 'Plan' })
    assert.equal(people?.json.notificationSource, 'permission')
  })

  it('receive nothing while disabled, and the attempts of each are listed', async () => {
    await basic({ rawNotificationUrl: receiver.url })
    await addOrganization('one')
    await receiver.until(1, organizationAdded)
    await key.call(updateWebhookConfig, { useWebhookService: false })
    await addOrganization('two')
    await basic({})
    await addOrganization('three')
    await receiver.until(2, organizationAdded)
    const organizations = receiver.received.filter(organizationAdded).map(({ json }) => json.organizationId)
    assert.deepEqual(organizations, ['one', 'three'])
    const log = await logged('raw', 2)
    assert.ok(log.every(({ success }) => success))
  })

  it('are enabled again by any update after they were disabled', async () => {
    await basic({ rawNotificationUrl: receiver.url })
    receiver.answer = () => ({ status: 410 })
    await addOrganization('one')
    await logged('raw', 1)
    receiver.answer = () => ({ status: 204 })
    const count = receiver.received.length
    await addOrganization('unheard')
    await sleep(400)
    assert.equal(receiver.received.length, count)
    await basic({})
    await addOrganization('heard')
    const [heard] = await receiver.until(1, ({ json }) => json.organizationId === 'heard')
    assert.ok(heard)
    const types = (await eventsOf(db, apiKeyOf(key))).map(({ type }) => type)
    assert.ok(types.indexOf('webhook_endpoint.enabled') > types.indexOf('webhook_endpoint.disabled'))
  })

  it('take effect immediately if a key is created with them', async () => {
    const made = await server.client.newKey({
      useWebhookService: true,
      webhookServiceConfig: { rawNotificationUrl: receiver.url },
    })
    await made.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    await receiver.until(1, organizationAdded)
  })
})

describe('encodeData and encryptData', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const plain = pem.replace(/-----.*-----|\s/g, '')

  function decrypt({ encryptedData, encryptedKey, iv }: Record<string, string>): string {
    const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    const aes = privateDecrypt({ key: privateKey, ...padding }, Buffer.from(encryptedKey ?? '', 'base64'))
    const decipher = createDecipheriv('aes-256-cbc', aes, Buffer.from(iv ?? '', 'base64'))
    return Buffer.concat([decipher.update(encryptedData ?? '', 'base64'), decipher.final()]).toString()
  }
  const decode = (json: { encodedPayload: string }) => JSON.parse(Buffer.from(json.encodedPayload, 'base64').toString())

  it('wrap the payload for basic URLs: encoded, encrypted, or encoded and then encrypted', async () => {
    const set = (webhookServiceConfig: object) =>
      key.call(updateWebhookConfig, { useWebhookService: true, webhookServiceConfig })
    /** Returns the message about a new organization, decoded by `open`; messages about the settings have other forms. */
    const next = async (name: string, open: (json: Received['json']) => { organizationId: string }) => {
      await addOrganization(name)
      const tells = ({ json }: Received) => {
        try {
          return open(json).organizationId === name
        } catch {
          return false
        }
      }
      return (await receiver.until(1, tells))[0]?.json
    }
    await set({ rawNotificationUrl: receiver.url })
    await set({ encodeData: true })
    assert.deepEqual(Object.keys(await next('encoded', decode)), ['encodedPayload'])
    await set({ encodeData: false, encryptData: true, publicKey: pem })
    const encrypted = await next('encrypted', (json) => JSON.parse(decrypt(json)))
    assert.deepEqual(Object.keys(encrypted), ['encryptedData', 'encryptedKey', 'iv'])
    assert.equal(Buffer.from(encrypted.iv, 'base64').length, 16)
    await set({ encodeData: true })
    const both = await next('both', (json) => decode(JSON.parse(decrypt(json))))
    assert.deepEqual(Object.keys(both), ['encryptedData', 'encryptedKey', 'iv'])
  })

  it('wrap the payload for signed endpoints, and the signature covers the sent body', async () => {
    const { secret } = await listen({ filterTypes: ['organization.added'] })
    await key.call(updateAdvancedWebhookConfig, { encryptData: true, publicKey: plain })
    await addOrganization()
    const [message] = await receiver.until(1)
    assert.ok(message)
    new Webhook(secret).verify(message.body, message.headers as Record<string, string>)
    assert.equal(JSON.parse(decrypt(message.json)).data.organizationId, 'acme')
  })
})
