/** The health of webhooks, and the log by outcome. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import { updateWebhookConfig } from '#contract/keys/service-configs.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint, getWebhookEndpoints, updateWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import type { WebhookHealth } from '#contract/webhooks/health.ts'
import { listWebhookAttempts } from '#contract/webhooks/messages.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { assertRecent } from '#testing/recent.ts'
import { startServer } from '#testing/server.ts'
import { type Receiver, startReceiver } from '#testing/stand-ins/receiver.ts'
import { refusedField } from '../../../../test/conformance/support/refused.ts'

const { db, newKey } = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const HOUR_MS = 3_600_000
let key: Client
let receiver: Receiver
let endpointId: string
beforeEach(async () => {
  key = await newKey()
  receiver = await startReceiver()
  await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
  endpointId = (await key.call(createWebhookEndpoint, { url: receiver.url, filterTypes: ['organization.added'] })).id
})
afterEach(() => receiver.close())

const add = (...ids: string[]) =>
  key.call(addOrganizations, { organizations: ids.map((organizationId) => ({ organizationId })) })
const health = async (id = endpointId) => (await key.call(listWebhookAttempts, { endpointId: id, pageSize: 1 })).health

const until = (is: (health: WebhookHealth) => boolean, id = endpointId): Promise<WebhookHealth> =>
  eventually('health', async () => {
    const now = await health(id)
    return is(now) ? now : undefined
  })

const NOTHING = {
  ...{ attempts: 0, failures: 0, waiting: 0, nextAttemptAt: null, failingSince: null },
  ...{ lastSuccessAt: null, lastFailureAt: null, lastFailureStatus: null, lastFailureError: null },
}

describe('the health of a webhook', () => {
  it('is "never called" at first, "delivering" after a delivery, and "disabled" while it is', async () => {
    assert.deepEqual(await health(), { ...NOTHING, status: 'never_called' })
    await add('a', 'b')
    const { lastSuccessAt, ...rest } = await until(({ attempts }) => attempts === 2)
    assertRecent(lastSuccessAt)
    const { lastSuccessAt: _never, ...unused } = NOTHING
    assert.deepEqual(rest, { ...unused, status: 'delivering', attempts: 2 })
    const [listed] = (await key.call(getWebhookEndpoints, {})).endpoints
    assert.deepEqual(listed?.health, { ...rest, lastSuccessAt })
    await key.call(updateWebhookEndpoint, { endpointId, disabled: true })
    assert.deepEqual(await health(), { ...rest, lastSuccessAt, status: 'disabled' })
  })

  it('is "failing" from the first failure until a delivery, with the reason and the next attempt', async () => {
    receiver.answer = () => ({ status: 503 })
    await add('a')
    const failing = await until(({ attempts }) => attempts === 1)
    const { status, failures, lastSuccessAt, lastFailureStatus, lastFailureError, waiting, nextAttemptAt } = failing
    assert.deepEqual(
      [status, failures, lastSuccessAt, lastFailureStatus, lastFailureError, waiting],
      ['failing', 1, null, 503, null, 1],
    )
    assertRecent(failing.failingSince)
    assertRecent(failing.lastFailureAt)
    assert.ok((nextAttemptAt ?? 0) > Date.now(), `${nextAttemptAt}`)
    // A failure remains the last thing that happened, whoever turns the endpoint off and on.
    for (const disabled of [true, false]) await key.call(updateWebhookEndpoint, { endpointId, disabled })
    const { failingSince, ...again } = await health()
    assert.deepEqual([again.status, failingSince, again.waiting], ['failing', null, 0])
    receiver.answer = () => ({ status: 204 })
    await add('b')
    const well = await until(({ attempts }) => attempts === 2)
    assert.deepEqual([well.status, well.failures, well.lastFailureStatus], ['delivering', 1, 503])
    assertRecent(well.lastSuccessAt)
  })

  it('has the reason why there was no response', async () => {
    receiver.close()
    await add('a')
    const { lastFailureStatus, lastFailureError } = await until(({ attempts }) => attempts === 1)
    assert.deepEqual([lastFailureStatus, lastFailureError], [null, 'ECONNREFUSED'])
  })

  it(`looks at the last ${LIMITS.webhookHealthAttemptsMax} attempts of ${LIMITS.webhookHealthHours} hours, and counts ${LIMITS.webhookWaitingCountedMax} waiting messages`, async () => {
    const insert = (count: number, status: number, hoursAgo: number) =>
      db.query(
        `insert into webhook_attempts (endpoint_key, stream, sequence, event_type, attempt, attempted_at, http_status, duration_ms, excerpt)
         select endpoint_key, gen_random_uuid(), 1, 'a', 1, clock_timestamp() - make_interval(hours => $3::int), $2::int, 1, ''
           from webhook_endpoints, generate_series(1, $1::int) where endpoint_id = '${endpointId}'`,
        [count, status, hoursAgo],
      )
    await insert(5, 500, LIMITS.webhookHealthHours + 1)
    await insert(3, 500, 1)
    await insert(4, 200, 1)
    const { attempts, failures } = await health()
    assert.deepEqual([attempts, failures], [7, 3])
    await insert(LIMITS.webhookHealthAttemptsMax - 1, 204, 0)
    await insert(1, 500, 0)
    const after = await health()
    assert.deepEqual([after.attempts, after.failures], [LIMITS.webhookHealthAttemptsMax, 1])
    // Due after the end of the test, so that no worker takes them.
    const dueAt = new Date(Date.now() + HOUR_MS)
    await db.query(
      `insert into webhook_deliveries (endpoint_key, stream, sequence, due_at)
       select endpoint_key, gen_random_uuid(), 1, $1::timestamptz from webhook_endpoints, generate_series(0, ${LIMITS.webhookWaitingCountedMax})
        where endpoint_id = '${endpointId}'`,
      [dueAt],
    )
    const { status, waiting, nextAttemptAt } = await health()
    assert.deepEqual([status, waiting, nextAttemptAt], ['waiting', LIMITS.webhookWaitingCountedMax, dueAt.getTime()])
  })

  it('is reported for the two basic URLs, and in the overview of the console with the names of failing ones', async () => {
    const overview = async () => (await key.post('/console/overview/get', {})).body.result.data.webhooks
    assert.deepEqual(await overview(), { statuses: { never_called: 1 }, troubled: [] })
    receiver.answer = () => ({ status: 500 })
    await key.call(updateWebhookConfig, {
      ...{ useWebhookService: true, webhookServiceConfig: { rawNotificationUrl: receiver.url } },
    })
    await add('a')
    await until(({ attempts }) => attempts === 1)
    const { status } = await until(({ attempts }) => attempts > 0, 'raw')
    assert.equal(status, 'failing')
    const { statuses, troubled } = await overview()
    assert.deepEqual(statuses, { failing: 2 })
    assert.deepEqual(
      troubled.map((one: { endpointId: string; status: string }) => [one.endpointId, one.status]),
      [endpointId, 'raw'].map((id) => [id, 'failing']),
    )
    for (const { failingSince } of troubled) assertRecent(failingSince)
    await key.call(updateWebhookEndpoint, { endpointId, disabled: true })
    assert.deepEqual((await overview()).statuses, { disabled: 1, failing: 1 })
    await key.call(updateWebhookConfig, { webhookServiceConfig: { rawNotificationUrl: '' } })
    assert.deepEqual((await overview()).statuses, { disabled: 1 })
  })
})

describe('webhook-attempts.list by outcome', () => {
  async function all(outcome: string) {
    const found = []
    for await (const { data } of pagesOf((pageToken) =>
      key.post(listWebhookAttempts.path, { endpointId, outcome, pageSize: 1, pageToken }),
    ))
      found.push(...data.attempts)
    return found
  }

  it('lists delivered, failed, and the last attempts of waiting messages, in pages', async () => {
    await add('a', 'b')
    await until(({ attempts }) => attempts === 2)
    // The state after failed attempts whose next one is due after the end of the test.
    const { rows } = await db.query(
      `with waiting as (
         insert into webhook_deliveries (endpoint_key, stream, sequence, attempts, due_at)
         select endpoint_key, gen_random_uuid(), n, 2, clock_timestamp() + interval '1 hour'
           from webhook_endpoints, generate_series(1, 2) n where endpoint_id = $1 returning *
       )
       insert into webhook_attempts (endpoint_key, stream, sequence, event_type, attempt, attempted_at, http_status, duration_ms, excerpt, next_attempt_at)
       select endpoint_key, stream, sequence, 'a', n, clock_timestamp(), 500, 1, '', due_at from waiting, generate_series(1, 2) n
        order by n, position
       returning stream`,
      [endpointId],
    )
    const { attempts } = await key.call(listWebhookAttempts, { endpointId })
    const [delivered, failed = []] = [true, false].map((was) => attempts.filter(({ success }) => success === was))
    assert.deepEqual([delivered?.length, failed.length], [2, 4])
    assert.deepEqual(await all('delivered'), delivered)
    assert.deepEqual(await all('failed'), failed)
    assert.deepEqual(await all('waiting'), failed.slice(0, 2))
    // A message that is given up does not wait; its failures remain in the log.
    const [{ stream }] = rows as [{ stream: string }]
    await db.query('delete from webhook_deliveries where stream = $1::uuid', [stream])
    assert.deepEqual(await all('waiting'), failed.slice(0, 1))
    assert.deepEqual(await all('failed'), failed)
  })

  it('cannot be combined with the id of a message', async () => {
    refusedField(
      await key.post(listWebhookAttempts.path, { endpointId, messageId: 'msg_any', outcome: 'failed' }),
      'outcome',
    )
    refusedField(await key.post(listWebhookAttempts.path, { endpointId, outcome: 'other' }), 'outcome')
  })
})
