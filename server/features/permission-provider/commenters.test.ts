/** A permission provider can make commenters of the users of API keys that have the role (rules/access.md#commenters). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { listGrants } from '#contract/access/grants.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { startServer } from '#testing/server.ts'
import { entriesFor, ROADMAP, responseWith, startAskingUser } from '#testing/stand-ins/permission-provider.ts'
import { refused } from '../../../test/conformance/support/refused.ts'

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const THREE = ['viewer' as const, 'commenter' as const, 'editor' as const]
const asCommenter = () => ({ hasAccess: true, accessRole: 'commenter' })

describe('a permission provider that answers commenter', () => {
  it('gives the role to users of a key that has it', async () => {
    const { key, ada } = await startAskingUser(server, asCommenter)
    await key.call(updateKeyConfig, { accessRoles: THREE })
    const [checked] = (await ada.call(checkPermissions, { checks: [{ resource: ROADMAP, atLeast: 'commenter' }] }))
      .checks
    assert.deepEqual([checked?.allowed, checked?.accessRole], [true, 'commenter'])
    const { grants } = await key.call(listGrants, { organizationId: 'acme' })
    assert.deepEqual(
      grants.map(({ accessRole, source }) => [accessRole, source]),
      [['commenter', 'permission_provider']],
    )
  })

  it('gives an unknown role to users of other keys, and its answer has no effect', async () => {
    const { key, ada } = await startAskingUser(server, asCommenter)
    const answer = await ada.post(checkPermissions.path, { checks: [{ resource: ROADMAP }] })
    assert.deepEqual(refused(answer, 'UNAVAILABLE').details, { cause: 'role_unknown' })
    assert.deepEqual((await key.call(listGrants, { organizationId: 'acme' })).grants, [])
  })

  it('gives an unknown role if the key drops it while the provider is asked', async () => {
    const { key, ada, provider } = await startAskingUser(server)
    await key.call(updateKeyConfig, { accessRoles: THREE })
    provider.answer = () => 'hang'
    const asking = ada.post(checkPermissions.path, { checks: [{ resource: ROADMAP }] })
    await provider.until(1)
    // The first attempt hangs, and the second one is answered after the role was dropped.
    await key.call(updateKeyConfig, { accessRoles: ['viewer', 'editor'] })
    provider.answer = (received) => responseWith(entriesFor(received, asCommenter))
    const answer = await asking
    assert.deepEqual(refused(answer, 'UNAVAILABLE').details, { cause: 'role_unknown' })
    assert.deepEqual((await key.call(listGrants, { organizationId: 'acme' })).grants, [])
  })
})
