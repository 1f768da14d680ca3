/**
 * Grants are made while all access of a user is revoked: grants from before the call are deleted, and others are kept
 * completely or deleted.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { getUserAccessRevocation, revokeUserAccess } from '#contract/users/user-access.ts'
import { generateToken, verifyToken } from '#contract/users/user-tokens.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { eventsOf } from '../conformance/support/events.ts'

const ORGANIZATIONS = Array.from({ length: 200 }, (_, index) => `o${index}`)
const WRITERS = 4

const server = await sharedServer()

describe('while all access of a user is revoked', () => {
  it('grants from before the call are deleted, and every grant has its events and its decision', async () => {
    const key = await server.newKey()
    await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
    await key.call(addOrganizations, { organizations: ORGANIZATIONS.map((organizationId) => ({ organizationId })) })

    const earlier: string[] = []
    let isRevoking = false
    let isOver = false
    let count = 0
    async function grantOnAndOn(): Promise<void> {
      while (!isOver) {
        const id = `d${count++}`
        const organizationId = ORGANIZATIONS[count % ORGANIZATIONS.length] ?? ''
        const permissions = { resources: [{ type: 'document' as const, id, organizationId }] }
        for (const userId of ['ada', 'eve']) await key.call(addPermissions, { user: { userId }, permissions })
        if (count % 10 === 0) await key.call(removePermissions, { userId: 'ada', permissions })
        if (!isRevoking) earlier.push(id)
      }
    }
    const writers = Array.from({ length: WRITERS }, grantOnAndOn)
    while (earlier.length < ORGANIZATIONS.length) await sleep(10)
    isRevoking = true
    const { jobId = '' } = await key.call(revokeUserAccess, { userIds: ['ada'] })
    while ((await key.call(getUserAccessRevocation, { jobId })).status !== 'completed') await sleep(10)
    isOver = true
    await Promise.all(writers)

    const balance = new Map<string, number>()
    for (const { type, userId, resourceId } of await eventsOf(server.db, apiKeyOf(key)))
      if (userId === 'ada' && resourceId !== null)
        balance.set(resourceId, (balance.get(resourceId) ?? 0) + (type === 'permission.added' ? 1 : -1))
    const ids = Array.from({ length: count }, (_, index) => `d${index}`)
    const { rows } = await server.db.query(
      `select r.id, g.principal from grants g join resources r using (organization_key, resource_key)
        where organization_key in (select organization_key from organizations where api_key_id = $1)`,
      [apiKeyOf(key)],
    )
    const held = (user: string) =>
      new Set(
        (rows as { id: string; principal: string }[]).flatMap(({ id, principal }) => (principal === user ? [id] : [])),
      )
    assert.deepEqual(
      earlier.filter((id) => held('ada').has(id)),
      [],
    )
    assert.equal(held('eve').size, ids.length)
    for (const id of ids) assert.equal(balance.get(id), held('ada').has(id) ? 1 : 0, id)
    const { checks } = await key.call(checkPermissions, {
      checks: earlier.slice(0, 1_000).map((id) => {
        const organizationId = ORGANIZATIONS[(Number(id.slice(1)) + 1) % ORGANIZATIONS.length] ?? ''
        return { userId: 'ada', resource: { type: 'document' as const, id, organizationId } }
      }),
    })
    assert.deepEqual([...new Set(checks.map(({ reason }) => reason))], ['no_grant'])
  })

  it('sign-ins under way end with it or come after it, and each token knows which', async () => {
    const key = await server.newKey()
    await key.call(generateToken, { userId: 'ada' })
    for (let round = 0; round < 10; round++) {
      const before = await key.call(generateToken, { userId: 'ada' })
      await Promise.all([
        key.call(revokeUserAccess, { userIds: ['ada'] }),
        ...Array.from({ length: 4 }, () => key.call(generateToken, { userId: 'ada' })),
      ])
      const after = await key.call(generateToken, { userId: 'ada' })
      assert.equal((await key.call(verifyToken, before)).reason, 'revoked')
      assert.equal((await key.call(verifyToken, after)).active, true)
    }
  })
})
