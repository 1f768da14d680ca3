/** An endpoint whose URL changes: what the old address responds, and how long it has failed, says nothing about the new one. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { updateWebhookConfig } from '#contract/keys/service-configs.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint, getWebhookEndpoints, updateWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { listWebhookAttempts } from '#contract/webhooks/messages.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { startServer } from '#testing/server.ts'
import { type Received, type Receiver, type Reply, startReceiver } from '#testing/stand-ins/receiver.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { eventsOf } from '../../../../test/conformance/support/events.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { clock, db } = server
let key: Client
let old: Receiver
let young: Receiver
beforeEach(async () => {
  key = await server.newKey()
  old = await startReceiver()
  young = await startReceiver()
  await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
})
afterEach(() => {
  old.close()
  young.close()
  clock.set(null)
})

const isOf =
  (organizationId: string) =>
  ({ json }: Received) =>
    (json.data ?? json).organizationId === organizationId
const addOrganization = (organizationId: string) =>
  key.call(addOrganizations, { organizations: [{ organizationId, organizationName: organizationId }] })

async function listen(): Promise<string> {
  const { id } = await key.call(createWebhookEndpoint, { url: old.url, filterTypes: ['organization.added'] })
  return id
}

const health = async () => (await key.call(getWebhookEndpoints, {})).endpoints[0]
const isFailing = async () => {
  const { rows } = await db.query(
    `select failing_since is not null as failing, paced_until is not null as paced from webhook_endpoints where api_key_id = $1`,
    [apiKeyOf(key)],
  )
  return rows[0]
}

/** Waits until the log has this many attempts; returns them, first attempt first. */
const logged = (endpointId: string, count: number) =>
  eventually(`log of ${count} attempts`, async () => {
    const { attempts } = await key.call(listWebhookAttempts, { endpointId })
    return attempts.length >= count ? attempts.reverse() : undefined
  })

/** Lets a message wait for its response at the old address; returns a function that gives it. */
async function underWay(): Promise<(reply: Reply) => void> {
  const reply = Promise.withResolvers<Reply>()
  old.answer = () => reply.promise
  await addOrganization('under-way')
  await old.until(1, isOf('under-way'))
  return reply.resolve
}

describe('a request that is under way when the URL changes', () => {
  for (const [what, reply] of [
    ['says that the old address is gone', { status: 410 }],
    ['fails', { status: 500 }],
    ['asks for a pause', { status: 503, headers: { 'retry-after': '3600' } }],
    ['loses its connection', 'break'],
  ] as const)
    it(`and ${what} leaves the new address alone: it gets the message at once`, async () => {
      const id = await listen()
      const respond = await underWay()
      await key.call(updateWebhookEndpoint, { endpointId: id, url: young.url })
      respond(reply)
      const [first, second] = await logged(id, 2)
      const [message] = await young.until(1, isOf('under-way'))
      assert.equal(message?.headers['webhook-id'], old.received[0]?.headers['webhook-id'])
      assert.deepEqual([first?.success, second?.success, second?.attempt], [false, true, 1])
      assert.deepEqual([(await health())?.disabled, await isFailing()], [false, { failing: false, paced: false }])
      await addOrganization('later')
      await young.until(1, isOf('later'))
      assert.ok(!(await eventsOf(db, apiKeyOf(key))).some(({ type }) => type === 'webhook_endpoint.disabled'))
    })

  it('and succeeds has delivered the message', async () => {
    const id = await listen()
    const respond = await underWay()
    await key.call(updateWebhookEndpoint, { endpointId: id, url: young.url })
    respond({ status: 204 })
    await logged(id, 1)
    await addOrganization('later')
    await young.until(1, isOf('later'))
    assert.equal(young.received.length, 1)
  })

  it('leaves a new basic URL alone too', async () => {
    const set = (rawNotificationUrl: string) =>
      key.call(updateWebhookConfig, { useWebhookService: true, webhookServiceConfig: { rawNotificationUrl } })
    await set(old.url)
    const respond = await underWay()
    await set(young.url)
    respond({ status: 410 })
    await young.until(1, isOf('under-way'))
    await addOrganization('later')
    await young.until(1, isOf('later'))
  })
})

describe('a new URL', () => {
  it('has its own days of failures and no pause of the old one', async () => {
    const begin = Date.now()
    clock.set(new Date(begin))
    const id = await listen()
    old.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } })
    await addOrganization('one')
    await logged(id, 1)
    clock.set(new Date(begin + 6 * DAY_MS))
    await key.call(updateWebhookEndpoint, { endpointId: id, url: young.url })
    assert.deepEqual(await isFailing(), { failing: false, paced: false })
    young.answer = () => ({ status: 500 })
    await addOrganization('two')
    await logged(id, 2)
    assert.equal((await health())?.disabled, false)
  })

  it('gets new messages while the old one has asked for a pause', async () => {
    const id = await listen()
    old.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } })
    await addOrganization('one')
    await logged(id, 1)
    await key.call(updateWebhookEndpoint, { endpointId: id, url: young.url })
    await addOrganization('two')
    await young.until(1, isOf('two'))
  })
})
