/** Copying the settings of one API key to another (rules/keys.md#copied-settings). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { getPermissionProviderConfig, updatePermissionProviderConfig } from '#contract/access/permission-provider.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { addDomains, getDomains } from '#contract/keys/domains.ts'
import { copyKeyConfig, getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import {
  getEmailConfig,
  getWebhookConfig,
  updateEmailConfig,
  updateWebhookConfig,
} from '#contract/keys/service-configs.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let owner: Client
let source: Client
let target: Client
beforeEach(async () => {
  const callers = await newCallers(server.url)
  owner = callers.workspace
  source = callers.apiKey
  const fields = { ownerEmail: 'other@example.com', type: 'testing', createAuthToken: true } as const
  const { apiKey, authToken = '' } = await owner.call(createApiKey, fields)
  target = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
})

const ids = () => ({ sourceApiKey: apiKeyOf(source), targetApiKey: apiKeyOf(target) })
const copy = () => owner.call(copyKeyConfig, ids())
const events = (work: () => Promise<unknown>) => eventsDuring(server.db, apiKeyOf(target), work)

describe('key-config.copy', () => {
  it('replaces the settings for access and user tokens, and reports those that changed', async () => {
    const settings: DataOf<typeof updateKeyConfig> = {
      defaultDocumentAccessType: 'restricted',
      defaultAccessRole: 'commenter',
      accessRoles: ['viewer', 'commenter', 'editor'],
      requireKnownResources: true,
      userTokenLifetimeSeconds: 3_600,
      expiringSoonSeconds: 60,
      requireAutoOrgUser: true,
      userSharing: 'editors',
    }
    await source.call(updateKeyConfig, settings)
    await target.call(updateKeyConfig, { userTokenLifetimeSeconds: 3_600 })
    const before = await source.call(getKeyConfig, {})
    const reported = await events(async () => assert.deepEqual(await copy(), {}))
    assert.deepEqual(await target.call(getKeyConfig, {}), {
      ...settings,
      ownerEmail: 'other@example.com',
      planInfo: { type: 'sdk test' },
      requireJwtToken: true,
      isPrivateCommentsEnabled: false,
    })
    assert.deepEqual(await source.call(getKeyConfig, {}), before)
    const { userTokenLifetimeSeconds: _, ...changed } = settings
    assert.deepEqual(
      reported.map(({ type, after }) => ({ type, after })),
      [{ type: 'api_key.updated', after: changed }],
    )
    assert.deepEqual(await events(copy), [])
  })

  it('returns with dryRun how many documents it would open, and changes nothing', async () => {
    const documents = [{ documentId: 'plans' }]
    await target.call(addDocuments, { organizationId: 'acme', createOrganization: true, documents })
    await target.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
    await source.call(updateKeyConfig, { defaultDocumentAccessType: 'public', requireKnownResources: true })
    await source.call(updateWebhookConfig, { useWebhookService: true })
    const before = [await target.call(getKeyConfig, {}), await target.call(getWebhookConfig, {})]
    const reported = await events(async () => {
      const preview = await owner.call(copyKeyConfig, { ...ids(), dryRun: true })
      assert.deepEqual(preview, { dryRun: true, openedByDefault: { documents: 1, isComplete: true } })
    })
    assert.deepEqual(reported, [])
    assert.deepEqual([await target.call(getKeyConfig, {}), await target.call(getWebhookConfig, {})], before)
  })

  it('replaces the settings of e-mail, webhooks and the permission provider', async () => {
    const emailServiceConfig = { fromCompany: 'Acme', triggers: { 'permission.added': true } }
    await source.call(updateEmailConfig, { useEmailService: true, emailServiceConfig })
    const webhookServiceConfig = { rawNotificationUrl: 'https://receiver.invalid/', encodeData: true }
    await source.call(updateWebhookConfig, { useWebhookService: true, webhookServiceConfig })
    const permissionProviderConfig = { permissionProviderUrl: 'https://provider.invalid/' }
    await source.call(updatePermissionProviderConfig, { usePermissionProvider: true, permissionProviderConfig })
    await target.call(updateEmailConfig, { emailServiceConfig: { fromEmail: 'old@example.com' } })
    assert.deepEqual(
      (await events(copy)).map(({ type }) => type),
      ['api_key.updated', 'api_key.updated', 'api_key.updated'],
    )
    for (const operation of [getEmailConfig, getWebhookConfig, getPermissionProviderConfig])
      assert.deepEqual(await target.call(operation, {}), await source.call(operation, {}))
    assert.deepEqual(await events(copy), [])
  })

  it('switches off services that have a secret, and copies no secret', async () => {
    const emailServiceConfig = { type: 'sendgrid', apiKey: 'SG.of-the-source', fromEmail: 'a@example.com' } as const
    await source.call(updateEmailConfig, { useEmailService: true, emailServiceConfig })
    const webhookServiceConfig = { rawNotificationUrl: 'https://source.invalid/', authToken: 'of the source' }
    await source.call(updateWebhookConfig, { useWebhookService: true, webhookServiceConfig })
    await target.call(updateWebhookConfig, {
      useWebhookService: true,
      webhookServiceConfig: { rawNotificationUrl: 'https://target.invalid/', authToken: 'of the target' },
    })
    await source.call(updatePermissionProviderConfig, {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: 'https://source.invalid/', authToken: 'of the source' },
    })
    await copy()
    assert.deepEqual(await target.call(getPermissionProviderConfig, {}), {
      usePermissionProvider: false,
      permissionProviderConfig: { permissionProviderUrl: 'https://source.invalid/', authToken: '' },
    })
    const email = await target.call(getEmailConfig, {})
    assert.equal(email.useEmailService, false)
    assert.deepEqual([email.emailServiceConfig.type, email.emailServiceConfig.apiKey], ['sendgrid', ''])
    const webhook = await target.call(getWebhookConfig, {})
    assert.equal(webhook.useWebhookService, false)
    assert.equal(webhook.webhookServiceConfig.rawNotificationUrl, 'https://source.invalid/')
    assert.equal(webhook.webhookServiceConfig.authToken, '')
    assert.equal((await source.call(getWebhookConfig, {})).useWebhookService, true)
  })

  it('does not change data, domains and credentials', async () => {
    await source.call(addOrganizations, { organizations: [{ organizationId: 'of-source' }] })
    await source.call(addDomains, { domains: ['source.example.com'] })
    await target.call(addDomains, { domains: ['target.example.com'] })
    await copy()
    assert.deepEqual(await target.call(getOrganizations, {}), [])
    assert.deepEqual(await target.call(getDomains, {}), { allowedDomains: ['target.example.com'] })
  })

  it('refuses a key of another workspace, and a key as its own target', async () => {
    const stranger = apiKeyOf((await newCallers(server.url)).apiKey)
    for (const other of [stranger, 'chk_test_unknown'])
      for (const field of ['sourceApiKey', 'targetApiKey']) {
        const answer = await owner.post(copyKeyConfig.path, { ...ids(), [field]: other })
        assert.equal(refused(answer, 'NOT_FOUND').reason, 'api_key_does_not_exist')
      }
    refusedField(await owner.post(copyKeyConfig.path, { ...ids(), targetApiKey: apiKeyOf(source) }), 'targetApiKey')
  })
})
