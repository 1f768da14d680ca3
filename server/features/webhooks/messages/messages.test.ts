/** The log of attempts, and resending messages: a single one, all since a time, and tests. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { updateWebhookConfig } from '#contract/keys/service-configs.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint, updateWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import {
  listWebhookAttempts,
  replayWebhookMessages,
  resendWebhookMessage,
  testWebhook,
} from '#contract/webhooks/messages.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { startServer } from '#testing/server.ts'
import { type Receiver, startReceiver } from '#testing/stand-ins/receiver.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { eventsOf } from '../../../../test/conformance/support/events.ts'
import { refused, withoutRequestId } from '../../../../test/conformance/support/refused.ts'
import { messageId, placeOfMessage } from './message.ts'

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_ATTEMPTS_KEPT_DAYS: '7' })
const { db, clock } = server
let key: Client
let receiver: Receiver
let endpointId: string
beforeEach(async () => {
  key = await server.newKey()
  receiver = await startReceiver()
  await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
  endpointId = (await key.call(createWebhookEndpoint, { url: receiver.url, filterTypes: ['organization.added'] })).id
})
afterEach(() => {
  receiver.close()
  clock.set(null)
})

const add = (...ids: string[]) =>
  key.call(addOrganizations, { organizations: ids.map((organizationId) => ({ organizationId })) })
const idsOf = (receiver: Receiver) => receiver.received.map(({ headers }) => headers['webhook-id'] as string)
const list = (more: Partial<DataOf<typeof listWebhookAttempts>> = {}) =>
  key.call(listWebhookAttempts, { endpointId, ...more })

const listed = (count: number) =>
  eventually(`list of ${count} attempts`, async () => {
    const { attempts } = await list()
    return attempts.length >= count ? attempts : undefined
  })

describe('the id of a message', () => {
  it('identifies its event; other texts are not ids', () => {
    const place = { stream: '0123abcd-4567-89ab-cdef-0123456789ab', sequence: 987_654_321_012 }
    for (const isAct of [false, true])
      assert.deepEqual(placeOfMessage(messageId({ ...place, isAct })), { ...place, isAct })
    const id = messageId({ ...place, isAct: false })
    for (const text of ['', 'msg_', 'msg_short', `${id}x`, `MSG_${id.slice(4)}`, `msg_${'_'.repeat(32)}`])
      assert.equal(placeOfMessage(text), undefined, text)
  })
})

describe('webhook-attempts.list', () => {
  it('lists all attempts, or those of one message, latest first, in pages', async () => {
    await add('a', 'b', 'c')
    await listed(3)
    const { attempts } = await list()
    assert.deepEqual(attempts.map(({ messageId }) => messageId).toSorted(), idsOf(receiver).toSorted())
    for (const { eventType, attempt, success, httpStatus, error, nextAttemptAt } of attempts)
      assert.deepEqual(
        [eventType, attempt, success, httpStatus, error, nextAttemptAt],
        ['organization.added', 1, true, 204, null, null],
      )
    const paged = []
    for await (const { data } of pagesOf((pageToken) =>
      key.post(listWebhookAttempts.path, { endpointId, pageSize: 2, pageToken }),
    ))
      paged.push(...data.attempts)
    assert.deepEqual(paged, attempts)
    const one = attempts[1]?.messageId ?? ''
    assert.deepEqual((await list({ messageId: one })).attempts, [attempts[1]])
    assert.deepEqual((await list({ messageId: 'msg_unknown' })).attempts, [])
  })

  it('keeps attempts for the configured number of days', async () => {
    await add('a')
    await listed(1)
    await db.query(`update webhook_attempts set attempted_at = attempted_at - interval '6 days'`)
    await sleep(100)
    assert.equal((await list()).attempts.length, 1)
  })
})

describe('webhook-messages.resend', () => {
  it('resends a message under its id, to any endpoint and regardless of its filters', async () => {
    await add('a')
    await listed(1)
    const [id = ''] = idsOf(receiver)
    await key.call(resendWebhookMessage, { endpointId, messageId: id })
    await receiver.until(2)
    const other = await startReceiver()
    const { id: otherId } = await key.call(createWebhookEndpoint, { url: other.url, filterTypes: ['never.sent'] })
    await key.call(resendWebhookMessage, { endpointId: otherId, messageId: id })
    await other.until(1)
    assert.deepEqual([...idsOf(receiver), ...idsOf(other)], [id, id, id])
    assert.equal(new Set([...receiver.received, ...other.received].map(({ body }) => body)).size, 1)
    const types = (await eventsOf(db, apiKeyOf(key))).map(({ type }) => type)
    assert.equal(types.filter((type) => type === 'webhook.resent').length, 2)
  })

  it('restarts the schedule of a pending message', async () => {
    receiver.answer = () => ({ status: 500 })
    await add('a')
    await listed(1)
    const [id = ''] = idsOf(receiver)
    await key.call(resendWebhookMessage, { endpointId, messageId: id })
    assert.equal((await listed(2))[0]?.attempt, 1)
  })

  it('does not find messages of other keys, and sends nothing to a disabled endpoint', async () => {
    const stranger = await server.newKey()
    await stranger.call(addOrganizations, { organizations: [{ organizationId: 'theirs' }] })
    const { rows } = await db.query('select stream, sequence from events where api_key_id = $1', [apiKeyOf(stranger)])
    const theirs = messageId({ ...(rows as [{ stream: string; sequence: number }])[0], isAct: false })
    const resend = (messageId: string) => key.post(resendWebhookMessage.path, { endpointId, messageId })
    const answers = [await resend(theirs), await resend('nonsense')]
    for (const answer of answers) assert.equal(refused(answer, 'NOT_FOUND').reason, 'webhook_message_does_not_exist')
    assert.equal(new Set(answers.map(withoutRequestId)).size, 1)
    await key.call(updateWebhookEndpoint, { endpointId, disabled: true })
    assert.equal(refused(await resend(theirs), 'FAILED_PRECONDITION').reason, 'webhook_endpoint_disabled')
  })
})

describe('webhook-messages.replay', () => {
  it('resends all messages an endpoint subscribes to since a time, each under its id, in event order', async () => {
    await add('before')
    await sleep(20)
    const since = Date.now()
    await sleep(20)
    await add('a')
    await add('b')
    await sleep(20)
    const until = Date.now()
    await sleep(20)
    await add('after')
    await receiver.until(4)
    await listed(4)
    const sent = idsOf(receiver)
    const messages = (data: object) => key.call(replayWebhookMessages, { endpointId, since, ...data })
    assert.deepEqual(await messages({ until }), { messages: 2 })
    await receiver.until(6)
    assert.deepEqual(idsOf(receiver).slice(4), sent.slice(1, 3))
    assert.deepEqual(await messages({}), { messages: 3 })
    await receiver.until(9)
    assert.deepEqual(await messages({ since: until + 3_600_000 }), { messages: 0 })
    const replays = (await eventsOf(db, apiKeyOf(key))).filter(({ type }) => type === 'webhook.replayed')
    assert.deepEqual(
      replays.map(({ after }) => after.messages),
      [2, 3],
    )
  })

  it('includes events from before the endpoint was created', async () => {
    const since = Date.now() - 1_000
    await add('a')
    const late = await startReceiver()
    const { id } = await key.call(createWebhookEndpoint, { url: late.url, filterTypes: ['organization.added'] })
    await key.call(replayWebhookMessages, { endpointId: id, since })
    await late.until(1)
  })

  it('sends none if there are too many at once (too_many_webhook_messages)', async () => {
    await db.query(
      `insert into events (stream, sequence, tick, type, api_key_id, actor)
       select '00000000-0000-0000-0000-0000000000aa', n, 0, 'organization.added', $1, '{}' from generate_series(1, $2::int) n`,
      [apiKeyOf(key), LIMITS.replayedMessagesMax + 1],
    )
    const answer = await key.post(replayWebhookMessages.path, { endpointId, since: 0 })
    assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'too_many_webhook_messages')
    assert.equal(receiver.received.length, 0)
  })
})

describe('webhook-messages.test', () => {
  it('sends a message only to one endpoint, regardless of its filters', async () => {
    const other = await startReceiver()
    await key.call(createWebhookEndpoint, { url: other.url })
    const { messageId: id } = await key.call(testWebhook, { endpointId })
    const [test] = await receiver.until(1)
    assert.deepEqual([test?.headers['webhook-id'], test?.json.event], [id, 'webhook.test'])
    assert.deepEqual(test?.json.data.after, { endpointId })
    await listed(1)
    assert.equal((await list({ messageId: id })).attempts[0]?.success, true)
    await add('a')
    await other.until(1, ({ json }) => json.event === 'organization.added')
    assert.ok(other.received.every(({ json }) => json.event !== 'webhook.test'))
  })

  it('can be sent to a basic URL too', async () => {
    const unset = await key.post(testWebhook.path, { endpointId: 'raw' })
    assert.equal(refused(unset, 'NOT_FOUND').reason, 'webhook_endpoint_does_not_exist')
    const webhookServiceConfig = { rawNotificationUrl: `${receiver.url}/raw` }
    await key.call(updateWebhookConfig, { useWebhookService: true, webhookServiceConfig })
    await key.call(testWebhook, { endpointId: 'raw' })
    await receiver.until(1, ({ path, json }) => path === '/hook/raw' && json.event === 'webhook.test')
  })
})
