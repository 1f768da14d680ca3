/** A call of one tenant that notifies hundreds of endpoints delays neither the calls nor the messages of another. */
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
const PARTS_MIN = 5
const USERS = Number(process.env.USERS ?? 200)

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const hanging = await startReceiver(() => 'hang')
const quick = await startReceiver()

async function countDeliveries(): Promise<number> {
  const { rows } = await server.db.query('select count(*)::int as count from webhook_deliveries')
  return (rows as { count: number }[])[0]?.count ?? 0
}

describe('a change that notifies many endpoints', () => {
  it('is added to their queues in parts, between which other tenants have their turns', async (t) => {
    const [busy, quiet] = [await server.newKey(), await server.newKey()]
    for (const key of [busy, quiet]) await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    for (let nth = 0; nth < ENDPOINTS; nth++) await busy.call(createWebhookEndpoint, { url: `${hanging.url}/${nth}` })
    await quiet.call(createWebhookEndpoint, { url: quick.url, filterTypes: ['organization.added'] })
    await quiet.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    await quick.until(1)

    const users = Array.from({ length: USERS }, (_, nth) => ({ userId: `u${nth}`, name: `User ${nth}` }))
    await busy.call(setProfiles, { users })
    const organization = { type: 'organization' as const, id: 'acme' }
    const seen = new Set<number>()
    for (let added = 0; added < ENDPOINTS * USERS; added = await countDeliveries()) {
      seen.add(added)
      await quiet.call(checkPermissions, { checks: [{ userId: 'ada', resource: organization }] })
    }
    await quiet.call(addOrganizations, { organizations: [{ organizationId: 'other' }] })
    await quick.until(2)
    t.annotate(`checks were answered after ${[...seen].join(', ')} deliveries`)
    assert.ok(seen.size >= PARTS_MIN, `the deliveries were added in ${seen.size} parts`)
  })
})
