/** With `requireAutoOrgUser`, users who sign in for an organization become members of it (rules/keys.md#user-tokens). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { listGrants } from '#contract/access/grants.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addOrganizations, disableOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'

const server = await sharedServer()
let key: Client
beforeEach(async () => {
  key = await server.newKey()
  await key.call(updateKeyConfig, { requireAutoOrgUser: true, defaultAccessRole: 'viewer' })
  await key.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
})

const signIn = (organizationId: string, more: object = {}) =>
  key.call(generateToken, { userId: 'ada', userProperties: { organizationId }, ...more })
const grants = async () => (await key.call(listGrants, { organizationId: 'acme' })).grants
const ADA = { userId: 'ada', type: 'organization', id: 'acme' }

describe('a sign-in for an organization', () => {
  it('makes the user a member with the default role, once', async () => {
    const types = async () =>
      (await eventsDuring(server.db, apiKeyOf(key), () => signIn('acme'))).map(({ type }) => type)
    assert.deepEqual((await types()).sort(), ['permission.added', 'user.added', 'user_token.generated'])
    assert.deepEqual(await grants(), [{ ...ADA, accessRole: 'viewer' }])
    assert.deepEqual(await types(), ['user_token.generated'])
  })

  it('keeps the role of a member', async () => {
    await key.call(addPermissions, {
      user: { userId: 'ada' },
      permissions: { resources: [{ type: 'organization', id: 'acme' }] },
    })
    await signIn('acme')
    assert.deepEqual(await grants(), [{ ...ADA, accessRole: 'editor' }])
  })

  it('does nothing if the organization is unknown or disabled, or if the call grants it for a time', async () => {
    await signIn('unknown')
    assert.deepEqual(
      (await key.call(getOrganizations, {})).map(({ id }) => id),
      ['acme'],
    )
    const expiresAt = 4_000_000_000
    await signIn('acme', { permissions: { resources: [{ type: 'organization', id: 'acme', expiresAt }] } })
    assert.deepEqual(await grants(), [{ ...ADA, accessRole: 'editor', expiresAt }])
    await key.call(addOrganizations, { organizations: [{ organizationId: 'other' }] })
    await key.call(disableOrganizations, { organizationIds: ['other'], disabled: true })
    await signIn('other')
    assert.deepEqual(await key.call(listGrants, { organizationId: 'other' }), { grants: [] })
  })

  it('adds the other grants of the call, also in an organization that it creates', async () => {
    const document = { type: 'document', id: 'd', organizationId: 'new' }
    await signIn('new', { permissions: { resources: [document] } })
    assert.deepEqual(
      (await key.call(listGrants, { organizationId: 'new' })).grants.map(({ type }) => type),
      ['document'],
    )
  })
})
