/** A call of one tenant that hundreds of endpoints hear of delays neither the questions nor the messages of another. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { startServer } from '#testing/server.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'

const ENDPOINTS = Number(process.env.ENDPOINTS ?? 100)
const USERS = Number(process.env.USERS ?? 200)
const LONGEST_MS = 2_000

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const hanging = await startReceiver(() => 'hang')
const quick = await startReceiver()

async function countDeliveries(): Promise<number> {
  const { rows } = await server.db.query('select count(*)::int as count from webhook_deliveries')
  return (rows as { count: number }[])[0]?.count ?? 0
}

describe('a change that many endpoints hear of', () => {
  it('is added to their queues in parts, between which others have their turns', async (t) => {
    const [busy, quiet] = [await server.newKey(), await server.newKey()]
    for (const key of [busy, quiet]) await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    for (let nth = 0; nth < ENDPOINTS; nth++) await busy.call(createWebhookEndpoint, { url: `${hanging.url}/${nth}` })
    await quiet.call(createWebhookEndpoint, { url: quick.url, filterTypes: ['organization.added'] })
    await quiet.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    await quick.until(1)

    const users = Array.from({ length: USERS }, (_, nth) => ({ userId: `u${nth}`, name: `User ${nth}` }))
    await busy.call(setProfiles, { users })
    const organization = { type: 'organization' as const, id: 'acme' }
    let longestMs = 0
    let added = 0
    for (let round = 0; added < ENDPOINTS * USERS; round++) {
      const began = performance.now()
      await quiet.call(checkPermissions, { checks: [{ userId: 'ada', resource: organization }] })
      longestMs = Math.max(longestMs, performance.now() - began)
      if (round % 20 === 0) added = await countDeliveries()
      assert.ok(round < 20_000, `only ${added} deliveries were added`)
    }
    assert.ok(longestMs < LONGEST_MS, `a check took ${longestMs} ms`)
    const began = performance.now()
    await quiet.call(addOrganizations, { organizations: [{ organizationId: 'other' }] })
    await quick.until(2)
    assert.ok(performance.now() - began < 5_000, `a message took ${performance.now() - began} ms`)
    t.annotate(`${added} deliveries; longest check ${Math.round(longestMs)} ms`)
  })
})
