/** Hanging endpoints delay neither calls, nor other keys, nor the shutdown of the server. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { startServer } from '#testing/server.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const hanging = await startReceiver(({ path }) => (path.endsWith('/good') ? { status: 200 } : 'hang'))
/** The number of concurrent requests of a host that has not responded yet. */
const HOST_WINDOW = 16
const quick = await startReceiver()
const HANGING = 100
const filterTypes = ['organization.added']

const organizations = (count: number) => ({
  organizations: Array.from({ length: count }, (_, nth) => ({ organizationId: `o${nth}` })),
})

describe('a hundred hanging endpoints', () => {
  it('have few concurrent requests together, and do not delay messages of others', async () => {
    const [hung, other] = [await server.newKey(), await server.newKey()]
    for (const key of [hung, other]) await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    for (let nth = 0; nth < HANGING; nth++)
      await hung.call(createWebhookEndpoint, { url: `${hanging.url}/${nth}`, filterTypes })
    await other.call(createWebhookEndpoint, { url: quick.url, filterTypes })

    await hung.call(addOrganizations, organizations(10))
    await hanging.until(HOST_WINDOW)
    await other.call(addOrganizations, organizations(200))
    await quick.until(200)
    await sleep(200)
    // None of the first requests has timed out yet, so the others have waited for none of them.
    assert.equal(hanging.received.length, HOST_WINDOW, 'their host is not flooded, and the rest waits')

    await other.call(createWebhookEndpoint, { url: `${hanging.url}/good`, filterTypes })
    await other.call(addOrganizations, organizations(220))
    // Another workspace does not wait for them on the same host.
    await hanging.until(20, ({ path }) => path.endsWith('/good'))
  })

  it('delay the shutdown by a few seconds only, and their messages are released', async () => {
    const stopping = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
    const key = await stopping.newKey()
    await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    await key.call(createWebhookEndpoint, { url: `${hanging.url}/last`, filterTypes })
    await key.call(addOrganizations, organizations(1))
    await hanging.until(1, ({ path }) => path.endsWith('/last'))
    const began = performance.now()
    await stopping.stop(async (db) => {
      const { rows } = await db.query(
        `select attempts, due_at <= clock_timestamp() as due, (select count(*)::int from webhook_attempts) as timeouts
           from webhook_deliveries`,
      )
      // An attempt that is not given up ends after 15 seconds, and is recorded.
      assert.deepEqual(rows, [{ attempts: 0, due: true, timeouts: 0 }])
    })
    assert.ok(performance.now() - began > 4_000, 'it gave the receiver a chance')
    hanging.close()
    quick.close()
  })
})
