/** E-mail and webhook settings of an API key: merged, validated, and their secrets sealed and masked (rules/keys.md#service-settings). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { STANDARD_COMMENT_TRIGGERS } from '#contract/comments/triggers.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import {
  getEmailConfig,
  getWebhookConfig,
  updateEmailConfig,
  updateWebhookConfig,
} from '#contract/keys/service-configs.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsDuring, eventsOf } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const revealing = await startServer({ REVEAL_SECRETS: 'true' })
let key: Client
beforeEach(async () => {
  key = (await newCallers(server.url)).apiKey
})

const SECRET = 'SG.a-provider-key-of-some-length-WXYZ'
const MASK = '********WXYZ'
const TRIGGERS = {
  'permission.added': false,
  'permission.expiring': false,
  'invitation.added': true,
  'api_key.created': true,
  'auth_token.reset': true,
  'document.migration.completed': true,
  'document.migration.failed': true,
}
const NO_EMAIL = {
  type: 'default',
  apiKey: '',
  fromEmail: '',
  fromCompany: '',
  commentTemplateId: '',
  tagTemplateId: '',
  documentUrl: '',
  triggers: TRIGGERS,
  templateIds: Object.fromEntries(Object.keys(TRIGGERS).map((kind) => [kind, ''])),
}
const WEBHOOK_TRIGGERS = {
  comment: {
    ...Object.fromEntries(STANDARD_COMMENT_TRIGGERS.map((word) => [word, true])),
    suggestionAccepted: false,
    suggestionRejected: false,
  },
  huddle: { created: true, join: true },
  crdt: false,
  recorder: false,
}
const NO_WEBHOOKS = {
  authToken: '',
  rawNotificationUrl: '',
  processedNotificationUrl: '',
  encodeData: false,
  encryptData: false,
  publicKey: '',
  triggers: WEBHOOK_TRIGGERS,
}

const email = (emailServiceConfig: object) => key.post(updateEmailConfig.path, { emailServiceConfig })
const webhook = (webhookServiceConfig: object) => key.post(updateWebhookConfig.path, { webhookServiceConfig })

/** Returns the stored settings after `use`, from a server that reveals secrets. */
async function revealed(use: (key: Client) => Promise<unknown>): Promise<{ apiKey: string; authToken: string }> {
  const { apiKey: client } = await newCallers(revealing.url)
  await use(client)
  const { emailServiceConfig } = await client.call(getEmailConfig, {})
  const { webhookServiceConfig } = await client.call(getWebhookConfig, {})
  return { apiKey: emailServiceConfig.apiKey, authToken: webhookServiceConfig.authToken }
}

it('showing a stored secret writes api_key.secret_shown, and showing a mask or none writes nothing', async () => {
  const { apiKey: client } = await newCallers(revealing.url)
  const shown = async () =>
    (await eventsOf(revealing.db, apiKeyOf(client))).filter(({ type }) => type === 'api_key.secret_shown')
  await client.call(getEmailConfig, {})
  assert.deepEqual(await shown(), [])
  await client.call(updateEmailConfig, { emailServiceConfig: { apiKey: SECRET } })
  await client.call(getEmailConfig, {})
  await client.call(getWebhookConfig, {})
  const field = 'emailServiceConfig.apiKey'
  assert.deepEqual(
    (await shown()).map(({ after }) => after),
    [{ field }, { field }],
  )
  await key.call(getEmailConfig, {})
  const masked = await eventsOf(server.db, apiKeyOf(key))
  assert.ok(masked.every(({ type }) => type !== 'api_key.secret_shown'))
})

describe('email-config.get and webhook-config.get', () => {
  it('return empty strings for unset fields', async () => {
    assert.deepEqual(await key.call(getEmailConfig, {}), { useEmailService: false, emailServiceConfig: NO_EMAIL })
    assert.deepEqual(await key.call(getWebhookConfig, {}), {
      useWebhookService: false,
      webhookServiceConfig: NO_WEBHOOKS,
    })
  })

  it('return the settings that the key was created with, with masked secrets', async () => {
    const { workspace } = await newCallers(server.url)
    const { apiKey, authToken = '' } = await workspace.call(createApiKey, {
      ownerEmail: 'ada@example.com',
      type: 'testing',
      createAuthToken: true,
      useEmailService: true,
      emailServiceConfig: { type: 'sendgrid', apiKey: SECRET, fromEmail: 'mail@example.com' },
      webhookServiceConfig: { authToken: 'short', rawNotificationUrl: 'https://example.com/raw' },
    })
    const made = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
    assert.deepEqual(await made.call(getEmailConfig, {}), {
      useEmailService: true,
      emailServiceConfig: { ...NO_EMAIL, type: 'sendgrid', apiKey: MASK, fromEmail: 'mail@example.com' },
    })
    assert.deepEqual(await made.call(getWebhookConfig, {}), {
      useWebhookService: false,
      webhookServiceConfig: { ...NO_WEBHOOKS, authToken: '********', rawNotificationUrl: 'https://example.com/raw' },
    })
  })
})

describe('email-config.update and webhook-config.update', () => {
  it('change the given fields, keep the others, and return all', async () => {
    const url = 'https://example.com/hook'
    await email({ type: 'sendgrid', apiKey: SECRET, fromCompany: 'Acme' })
    assert.deepEqual(await key.call(updateEmailConfig, { useEmailService: true }), {
      useEmailService: true,
      emailServiceConfig: { ...NO_EMAIL, type: 'sendgrid', apiKey: MASK, fromCompany: 'Acme' },
    })
    await webhook({ authToken: SECRET })
    const answer = await key.call(updateWebhookConfig, { webhookServiceConfig: { rawNotificationUrl: url } })
    assert.deepEqual(answer, {
      useWebhookService: false,
      webhookServiceConfig: { ...NO_WEBHOOKS, authToken: MASK, rawNotificationUrl: url },
    })
    assert.deepEqual(await key.call(getWebhookConfig, {}), answer)
    assert.equal((await key.call(getEmailConfig, {})).emailServiceConfig.apiKey, MASK)
  })

  it('keep a secret whose mask is sent back, accept any other, and clear it with an empty string', async () => {
    const kept = await revealed(async (client) => {
      await client.call(updateEmailConfig, { emailServiceConfig: { apiKey: SECRET } })
      await client.call(updateEmailConfig, { emailServiceConfig: { apiKey: MASK, fromCompany: 'Acme' } })
      await client.call(updateWebhookConfig, { webhookServiceConfig: { authToken: 'short' } })
      await client.call(updateWebhookConfig, { webhookServiceConfig: { authToken: '********' } })
    })
    assert.deepEqual(kept, { apiKey: SECRET, authToken: 'short' })
    const changed = await revealed(async (client) => {
      await client.call(updateEmailConfig, { emailServiceConfig: { apiKey: SECRET } })
      await client.call(updateEmailConfig, { emailServiceConfig: { apiKey: `${MASK}!` } })
      await client.call(updateWebhookConfig, { webhookServiceConfig: { authToken: SECRET } })
      await client.call(updateWebhookConfig, { webhookServiceConfig: { authToken: '' } })
    })
    assert.deepEqual(changed, { apiKey: `${MASK}!`, authToken: '' })
  })

  it('refuse the mask of a secret that has changed since it was read, and change nothing', async () => {
    await email({ apiKey: SECRET })
    await email({ apiKey: SECRET.replace('WXYZ', 'ABCD') })
    const stale = await email({ apiKey: MASK, fromCompany: 'Acme' })
    refusedField(stale, 'emailServiceConfig.apiKey', /^emailServiceConfig\.apiKey is the mask of a different secret/)
    assert.deepEqual((await key.call(getEmailConfig, {})).emailServiceConfig, { ...NO_EMAIL, apiKey: '********ABCD' })
    refusedField(await webhook({ authToken: '********' }), 'webhookServiceConfig.authToken')
  })

  it('merge triggers and templates by kind', async () => {
    await email({ triggers: { 'permission.added': true }, templateIds: { 'permission.added': 'd-1' } })
    await email({ triggers: { 'api_key.created': false }, templateIds: { 'auth_token.reset': 'd-2' } })
    const { emailServiceConfig } = await key.call(getEmailConfig, {})
    assert.deepEqual(emailServiceConfig.triggers, { ...TRIGGERS, 'permission.added': true, 'api_key.created': false })
    assert.deepEqual(
      Object.entries(emailServiceConfig.templateIds).filter(([, id]) => id !== ''),
      [
        ['permission.added', 'd-1'],
        ['auth_token.reset', 'd-2'],
      ],
    )
    refusedField(await email({ triggers: { 'permission.add': true } }), 'emailServiceConfig.triggers.permission.add')
    refusedField(await email({ triggers: { 'permission.added': 1 } }), 'emailServiceConfig.triggers.permission.added')
  })

  it('clear strings with empty ones', async () => {
    await email({ fromEmail: 'mail@example.com', fromCompany: 'Acme' })
    await email({ fromEmail: '' })
    const { emailServiceConfig } = await key.call(getEmailConfig, {})
    assert.deepEqual(emailServiceConfig, { ...NO_EMAIL, fromCompany: 'Acme' })
  })

  it('store secrets sealed', async () => {
    await email({ apiKey: SECRET })
    const { rows } = await server.db.query('select * from api_keys where api_key_id = $1', [apiKeyOf(key)])
    const [row] = rows as { email_service_key_sealed: Buffer }[]
    assert.ok(Buffer.isBuffer(row?.email_service_key_sealed))
    assert.ok(!row.email_service_key_sealed.includes(SECRET))
    assert.doesNotMatch(JSON.stringify(row), new RegExp(SECRET))
  })

  it('write one event without any part of the secret, and none if nothing changes', async () => {
    const change = () => key.call(updateEmailConfig, { emailServiceConfig: { apiKey: SECRET, fromCompany: 'Acme' } })
    const [event, ...more] = await eventsDuring(server.db, apiKeyOf(key), change)
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'api_key.updated')
    assert.deepEqual(event?.before, { useEmailService: false, emailServiceConfig: NO_EMAIL })
    assert.deepEqual(event?.after, {
      useEmailService: false,
      emailServiceConfig: { ...NO_EMAIL, apiKey: '********', fromCompany: 'Acme' },
    })
    assert.deepEqual(await eventsDuring(server.db, apiKeyOf(key), change), [])
    assert.deepEqual(await eventsDuring(server.db, apiKeyOf(key), () => email({ apiKey: MASK })), [])
    const replaced = await eventsDuring(server.db, apiKeyOf(key), () => webhook({ authToken: SECRET }))
    assert.deepEqual(
      replaced.map(({ type }) => type),
      ['api_key.updated'],
    )
  })

  it('lose no change of concurrent calls', async () => {
    await Promise.all([
      email({ apiKey: SECRET }),
      email({ fromCompany: 'Acme' }),
      email({ tagTemplateId: 'd-1' }),
      webhook({ authToken: 'short' }),
    ])
    assert.deepEqual((await key.call(getEmailConfig, {})).emailServiceConfig, {
      ...NO_EMAIL,
      apiKey: MASK,
      fromCompany: 'Acme',
      tagTemplateId: 'd-1',
    })
    assert.equal((await key.call(getWebhookConfig, {})).webhookServiceConfig.authToken, '********')
  })

  it('require at least one field', async () => {
    for (const { path } of [updateEmailConfig, updateWebhookConfig])
      refusedField(await key.post(path, {}), 'data', 'data must have at least one field')
  })

  it('store the type custom', async () => {
    await email({ type: 'custom' })
    assert.equal((await key.call(getEmailConfig, {})).emailServiceConfig.type, 'custom')
  })

  it('refuse invalid addresses', async () => {
    refusedField(await email({ fromEmail: 'nobody' }), 'emailServiceConfig.fromEmail')
    refusedField(await email({ type: 'carrier-pigeon' }), 'emailServiceConfig.type', /"default", "sendgrid"/)
    refusedField(await webhook({ rawNotificationUrl: 'ftp://x' }), 'webhookServiceConfig.rawNotificationUrl')
  })

  it('name fields of features that are not implemented', async () => {
    const { reason, details } = refused(await webhook({ enableDataProtection: true }), 'UNIMPLEMENTED')
    assert.equal(reason, 'field_not_implemented')
    assert.equal(details[0].field, 'webhookServiceConfig.enableDataProtection')
  })

  it('merge the triggers of webhooks, under both names and in or outside their group', async () => {
    await webhook({ triggers: { 'comment.add': false, comment: { deleted: false } } })
    await webhook({ triggers: { comment: { suggestionAccepted: true, 'comment_annotation.delete': true } } })
    const { triggers } = (await key.call(getWebhookConfig, {})).webhookServiceConfig
    const { added: _replaced, ...others } = WEBHOOK_TRIGGERS.comment as Record<string, boolean>
    assert.deepEqual(triggers, {
      ...WEBHOOK_TRIGGERS,
      comment: {
        ...others,
        'comment.add': false,
        deleted: false,
        'comment_annotation.delete': true,
        suggestionAccepted: true,
      },
    })
    refusedField(await webhook({ triggers: { added: true } }), 'webhookServiceConfig.triggers.added')
  })
})

describe('REVEAL_SECRETS=true', () => {
  it('returns secrets in clear text', async () => {
    const use = (client: Client) => client.call(updateEmailConfig, { emailServiceConfig: { apiKey: SECRET } })
    assert.deepEqual(await revealed(use), { apiKey: SECRET, authToken: '' })
  })
})

describe('mail that cannot be sent', () => {
  const NO_SERVER = /^useEmailService is on, but no mail is sent: the installation has no mail server; .*SMTP_URL/
  const update = async (data: object) => (await key.post(updateEmailConfig.path, data)).body.result.warnings

  it('is warned about when the service is on without a mail server or the settings of the provider', async () => {
    assert.match((await update({ useEmailService: true }))[0].message, NO_SERVER)
    assert.deepEqual(await update({ emailServiceConfig: { type: 'sendgrid', apiKey: SECRET } }), [
      {
        code: 'no_mail_is_sent',
        message: 'useEmailService is on, but no mail is sent: set emailServiceConfig.fromEmail',
      },
    ])
    assert.equal(await update({ emailServiceConfig: { fromEmail: 'mail@example.com' } }), undefined)
    assert.equal(await update({ useEmailService: false, emailServiceConfig: { type: 'default' } }), undefined)
  })

  it('is warned about when a key is created with it', async () => {
    const { workspace } = await newCallers(server.url)
    const data = { ownerEmail: 'ada@example.com', type: 'testing', useEmailService: true }
    assert.match((await workspace.post(createApiKey.path, data)).body.result.warnings[0].message, NO_SERVER)
  })

  it('is not warned about with a mail server', async () => {
    const { url } = await startServer({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'mail@example.com' })
    const { apiKey } = await newCallers(url)
    const { body } = await apiKey.post(updateEmailConfig.path, { useEmailService: true })
    assert.equal('warnings' in body.result, false)
  })
})
