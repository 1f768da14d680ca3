/** Settings of an API key: reading and changing them, and their effect on the next request. */
import assert from 'node:assert/strict'
import { decodeJwt } from 'jose'
import { beforeEach, describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let owner: Client
let key: Client
beforeEach(async () => {
  const callers = await newCallers(server.url)
  owner = callers.workspace
  key = callers.apiKey
})
const update = (data: unknown) => key.post(updateKeyConfig.path, data)

describe('key-config.get', () => {
  it('returns owner, plan and the defaults of a new key', async () => {
    const { apiKey, authToken = '' } = await owner.call(createApiKey, {
      ownerEmail: 'ada@example.com',
      type: 'production',
      planInfo: { type: 'production' },
      createAuthToken: true,
    })
    const paid = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
    assert.deepEqual(await paid.call(getKeyConfig, {}), {
      ownerEmail: 'ada@example.com',
      planInfo: { type: 'production' },
      defaultDocumentAccessType: 'public',
      defaultAccessRole: 'editor',
      accessRoles: ['viewer', 'editor'],
      requireKnownResources: false,
      userTokenLifetimeSeconds: 172_800,
      expiringSoonSeconds: 0,
      requireJwtToken: true,
      requireAutoOrgUser: false,
      isPrivateCommentsEnabled: false,
      userSharing: 'none',
    })
    assert.deepEqual((await key.call(getKeyConfig, {})).planInfo, { type: 'sdk test' })
  })
})

describe('key-config.update', () => {
  it('changes and returns the given fields, and keeps the others', async () => {
    const before = await key.call(getKeyConfig, {})
    const given = { defaultDocumentAccessType: 'restricted', userTokenLifetimeSeconds: 3_600 } as const
    assert.deepEqual(await key.call(updateKeyConfig, given), given)
    assert.deepEqual(await key.call(getKeyConfig, {}), { ...before, ...given })
    assert.deepEqual(await key.call(updateKeyConfig, { requireKnownResources: true }), { requireKnownResources: true })
    assert.deepEqual(await key.call(getKeyConfig, {}), { ...before, ...given, requireKnownResources: true })
  })

  it('sets the access to documents without an access type from the next request on', async () => {
    const ask = { organizationId: 'acme', userIds: ['eve'], documentIds: ['d'] }
    await key.call(addDocuments, { organizationId: 'acme', createOrganization: true, documents: [{ documentId: 'd' }] })
    const entry = async () => (await key.call(getPermissions, ask)).eve?.documents?.d
    assert.equal((await entry())?.accessRole, 'editor')
    await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
    assert.equal((await entry())?.errorCode, 'permission_denied')
    await key.call(updateKeyConfig, { defaultDocumentAccessType: 'public' })
    assert.equal((await entry())?.accessRole, 'editor')
  })

  it('returns with dryRun how many documents a default would open, and changes nothing', async () => {
    const documents = [
      { documentId: 'a' },
      { documentId: 'b' },
      { documentId: 'own', accessType: 'restricted' as const },
    ]
    const { body: empty } = await key.post(updateKeyConfig.path, { defaultDocumentAccessType: 'public' })
    assert.match(empty.result.warnings[0].message, /without a grant, to every document and folder that is added/)
    await key.call(addDocuments, { organizationId: 'acme', createOrganization: true, documents })
    await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
    const before = await key.call(getKeyConfig, {})
    const preview = async (data: DataOf<typeof updateKeyConfig>) => {
      const { body } = await key.post(updateKeyConfig.path, { ...data, dryRun: true })
      assert.equal(body.result.warnings, undefined)
      return body.result.data
    }
    const opens = { documents: 2, isComplete: true }
    const given = { defaultDocumentAccessType: 'public', defaultAccessRole: 'viewer' } as const
    const reported = await eventsDuring(server.db, apiKeyOf(key), async () => {
      assert.deepEqual(await preview(given), { ...given, dryRun: true, openedByDefault: opens })
      const narrow = { defaultDocumentAccessType: 'organizationPrivate' } as const
      assert.deepEqual(await preview(narrow), { ...narrow, dryRun: true })
      assert.deepEqual(await preview({ expiringSoonSeconds: 5 }), { expiringSoonSeconds: 5, dryRun: true })
      const unknown = await key.post(updateKeyConfig.path, { defaultAccessRole: 'commenter', dryRun: true })
      refused(unknown, 'INVALID_ARGUMENT')
    })
    assert.deepEqual([reported, await key.call(getKeyConfig, {})], [[], before])
    await key.call(updateKeyConfig, { defaultDocumentAccessType: 'public' })
    assert.deepEqual((await preview({ defaultAccessRole: 'viewer' })).openedByDefault, opens)
  })

  it('sets the role of users without a grant from the next request on', async () => {
    const ask = { organizationId: 'acme', userIds: ['eve'], documentIds: ['d'] }
    await key.call(addDocuments, { organizationId: 'acme', createOrganization: true, documents: [{ documentId: 'd' }] })
    const role = async () => (await key.call(getPermissions, ask)).eve?.documents?.d?.accessRole
    assert.equal(await role(), 'editor')
    await key.call(updateKeyConfig, { defaultAccessRole: 'viewer' })
    assert.equal(await role(), 'viewer')
    await key.call(updateKeyConfig, { defaultAccessRole: 'editor' })
    assert.equal(await role(), 'editor')
  })

  it('refuses grants on resources that were not added if requireKnownResources is set', async () => {
    const grant = (id: string) =>
      key.post(addPermissions.path, {
        user: { userId: 'ada' },
        permissions: { resources: [{ type: 'organization', id }] },
      })
    assert.equal((await grant('one')).http, 200)
    await key.call(updateKeyConfig, { requireKnownResources: true })
    assert.equal(refused(await grant('two'), 'INVALID_ARGUMENT').reason, 'resource_does_not_exist')
  })

  it('sets the lifetime of new user tokens', async () => {
    const lifetime = async () => {
      const { iat = 0, exp = 0 } = decodeJwt((await key.call(generateToken, { userId: 'ada' })).token)
      return exp - iat
    }
    assert.equal(await lifetime(), 172_800)
    for (const userTokenLifetimeSeconds of [60, 2_592_000]) {
      await key.call(updateKeyConfig, { userTokenLifetimeSeconds })
      assert.equal(await lifetime(), userTokenLifetimeSeconds)
    }
  })

  it('writes one event with what changed, and none if nothing changes', async () => {
    const given = { requireKnownResources: true, defaultDocumentAccessType: 'public' } as const
    const change = () => key.call(updateKeyConfig, given)
    const [event, ...more] = await eventsDuring(server.db, apiKeyOf(key), change)
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'api_key.updated')
    assert.deepEqual([event?.before, event?.after], [{ requireKnownResources: false }, { requireKnownResources: true }])
    assert.deepEqual(await eventsDuring(server.db, apiKeyOf(key), change), [])
  })

  it('loses no change of concurrent calls', async () => {
    const answers = await Promise.all([
      update({ requireKnownResources: true }),
      update({ userTokenLifetimeSeconds: 90 }),
      update({ defaultDocumentAccessType: 'organizationPrivate' }),
      update({ expiringSoonSeconds: 86_400 }),
      update({ defaultAccessRole: 'viewer' }),
      update({ requireAutoOrgUser: true }),
      update({ accessRoles: ['viewer', 'commenter', 'editor'] }),
    ])
    for (const { http } of answers) assert.equal(http, 200)
    const { ownerEmail: _ownerEmail, planInfo: _planInfo, ...settings } = await key.call(getKeyConfig, {})
    assert.deepEqual(settings, {
      requireJwtToken: true,
      requireAutoOrgUser: true,
      isPrivateCommentsEnabled: false,
      userSharing: 'none',
      defaultDocumentAccessType: 'organizationPrivate',
      defaultAccessRole: 'viewer',
      accessRoles: ['viewer', 'commenter', 'editor'],
      requireKnownResources: true,
      userTokenLifetimeSeconds: 90,
      expiringSoonSeconds: 86_400,
    })
  })

  it('takes requireJwtToken, which is always true', async () => {
    for (const requireJwtToken of [true, false])
      assert.deepEqual(await key.call(updateKeyConfig, { requireJwtToken }), { requireJwtToken: true })
    assert.equal((await key.call(getKeyConfig, {})).requireJwtToken, true)
    const created = await server.client.newKey({ requireJwtToken: true, requireAutoOrgUser: true })
    assert.equal((await created.call(getKeyConfig, {})).requireAutoOrgUser, true)
  })

  it('requires at least one field', async () => {
    refusedField(await update({}), 'data', 'data must have at least one field')
  })

  it('limits the lifetime of user tokens and the lead time of expiring grants', async () => {
    for (const userTokenLifetimeSeconds of [59, 2_592_001, 60.5])
      refusedField(await update({ userTokenLifetimeSeconds }), 'userTokenLifetimeSeconds')
    for (const expiringSoonSeconds of [-1, 2_592_001, 0.5])
      refusedField(await update({ expiringSoonSeconds }), 'expiringSoonSeconds')
  })

  it('names fields of features that are not implemented', async () => {
    for (const field of ['aiModelApiKey']) {
      const { reason, message } = refused(await update({ [field]: true }), 'UNIMPLEMENTED')
      assert.equal(reason, 'field_not_implemented')
      assert.ok(message.startsWith(`${field} `))
    }
  })
})
