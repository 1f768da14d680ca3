/** The setting `accessRoles` of an API key: the role `commenter` can be dropped only while nothing has it (rules/access.md#commenters). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { copyKeyConfig, getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import { addInvitation, respondToInvitation } from '#contract/resources/invitations.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups } from '#contract/users/user-groups.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const TWO = ['viewer', 'editor'] as const
const THREE = ['viewer', 'commenter', 'editor'] as const
const ACME = { type: 'organization', id: 'acme' } as const

let owner: Client
let key: Client
beforeEach(async () => {
  const callers = await newCallers(server.url)
  owner = callers.workspace
  key = callers.apiKey
})

const roles = async (of: Client = key) => (await of.call(getKeyConfig, {})).accessRoles
const set = (accessRoles: readonly string[], more: object = {}) =>
  key.post(updateKeyConfig.path, { accessRoles, ...more })
const grant = (more: object = {}) =>
  key.call(addPermissions, {
    user: { userId: 'ada' },
    permissions: { resources: [{ ...ACME, accessRole: 'commenter', ...more }] },
  })
const dropRefused = async () => refused(await set(TWO), 'FAILED_PRECONDITION')

async function newKey(more: object = {}): Promise<Client> {
  const fields = { ownerEmail: 'other@example.com', type: 'testing', createAuthToken: true, ...more } as const
  const { apiKey, authToken = '' } = await owner.call(createApiKey, fields)
  return server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
}

describe('accessRoles', () => {
  it('are the two roles of the specification unless set, with the key or later', async () => {
    assert.deepEqual(await roles(), TWO)
    assert.deepEqual(await roles(await newKey({ accessRoles: THREE, defaultAccessRole: 'commenter' })), THREE)
    assert.equal((await set(THREE)).http, 200)
    assert.deepEqual(await roles(), THREE)
  })

  it('are returned in the order of their strength, each once', async () => {
    const { body } = await set(['editor', 'commenter', 'viewer', 'editor'].slice(0, 3))
    assert.deepEqual(body.result.data, { accessRoles: THREE })
  })

  it('must have viewer and editor, and no unknown role', async () => {
    const message = 'accessRoles must have "viewer" and "editor"; only "commenter" may be absent'
    for (const some of [[], ['viewer'], ['commenter', 'editor']]) refusedField(await set(some), 'accessRoles', message)
    refusedField(await set(['viewer', 'editor', 'author']), 'accessRoles[2]')
    const created = await owner.post(createApiKey.path, {
      ownerEmail: 'a@example.com',
      type: 'testing',
      accessRoles: ['viewer'],
    })
    refusedField(created, 'accessRoles', message)
  })

  it('may be set together with a default role of commenter', async () => {
    assert.equal((await set(THREE, { defaultAccessRole: 'commenter' })).http, 200)
    assert.equal((await key.call(getKeyConfig, {})).defaultAccessRole, 'commenter')
    assert.equal((await set(TWO, { defaultAccessRole: 'viewer' })).http, 200)
    assert.deepEqual(await roles(), TWO)
  })

  it('write an event when they change', async () => {
    const [event, ...more] = await eventsDuring(server.db, apiKeyOf(key), () => set(THREE))
    assert.deepEqual([event?.type, more], ['api_key.updated', []])
    assert.deepEqual([event?.before, event?.after], [{ accessRoles: TWO }, { accessRoles: THREE }])
    assert.deepEqual(await eventsDuring(server.db, apiKeyOf(key), () => set(THREE)), [])
  })
})

describe('the role commenter', () => {
  beforeEach(() => set(THREE))

  it('cannot be dropped while grants have it, and the refusal counts them', async () => {
    await key.call(addOrganizations, { organizations: [{ organizationId: 'acme' }, { organizationId: 'other' }] })
    await key.call(addUserGroups, { organizationId: 'acme', organizationUserGroups: [{ groupId: 'design' }] })
    await grant()
    await key.call(addGrants, {
      grants: [
        { groupId: 'design', ...ACME, accessRole: 'commenter' },
        { userId: 'bob', type: 'document', id: 'd', organizationId: 'other', accessRole: 'commenter', expiresAt: 1 },
        { userId: 'cy', ...ACME, accessRole: 'editor' },
      ],
    })
    const error = await dropRefused()
    assert.equal(error.reason, 'access_role_in_use')
    assert.equal(error.message, 'accessRoles must have "commenter" while it is in use: by 3 grants.')
    const details = { accessRole: 'commenter', grants: 3, invitations: 0, defaultAccessRole: 'editor' }
    assert.deepEqual(error.details, details)
    assert.deepEqual(await roles(), THREE)
  })

  it('can be dropped when no grant has it', async () => {
    await grant()
    await grant({ expiresAt: 4_000_000_000 })
    assert.match((await dropRefused()).message, /by 1 grant\.$/)
    await grant({ accessRole: 'viewer' })
    assert.match((await dropRefused()).message, /by 1 grant\.$/)
    await key.call(removePermissions, { userId: 'ada', permissions: { resources: [ACME] } })
    assert.equal((await set(TWO)).http, 200)
    assert.deepEqual(await roles(), TWO)
  })

  it('cannot be dropped while a pending invitation or the default role has it', async () => {
    const invitation = { email: 'grace@example.com', organizationId: 'acme', type: 'org_user' } as const
    await key.call(addInvitation, { ...invitation, accessRole: 'commenter' })
    await key.call(updateKeyConfig, { defaultAccessRole: 'commenter' })
    await grant()
    assert.match((await dropRefused()).message, /by 1 grant, 1 pending invitation, and defaultAccessRole\.$/)
    await grant({ accessRole: 'viewer' })
    await key.call(updateKeyConfig, { defaultAccessRole: 'editor' })
    assert.match((await dropRefused()).message, /by 1 pending invitation\.$/)
    await key.call(respondToInvitation, { ...invitation, status: 'WITHDRAWN' })
    assert.equal((await set(TWO)).http, 200)
  })

  it('is copied to another key, and copying does not drop it from a key whose grants have it', async () => {
    const source = await newKey()
    const copy = (from: Client, to: Client) =>
      owner.post(copyKeyConfig.path, { sourceApiKey: apiKeyOf(from), targetApiKey: apiKeyOf(to) })
    assert.equal((await copy(key, source)).http, 200)
    assert.deepEqual(await roles(source), THREE)
    await source.call(updateKeyConfig, { accessRoles: [...TWO] })
    await grant()
    assert.equal(refused(await copy(source, key), 'FAILED_PRECONDITION').reason, 'access_role_in_use')
    assert.deepEqual(await roles(), THREE)
  })

  it('of other keys does not matter', async () => {
    const other = await newKey({ accessRoles: THREE })
    await other.call(addPermissions, {
      user: { userId: 'ada' },
      permissions: { resources: [{ ...ACME, accessRole: 'commenter' }] },
    })
    assert.equal((await set(TWO)).http, 200)
  })
})
