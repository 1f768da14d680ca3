/** API keys in the console: creating, renaming, disabling and deleting, tokens, settings, and comparing. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { getPermissionProviderConfig } from '#contract/access/permission-provider.ts'
import { createApiKey, getApiKeys } from '#contract/keys/api-keys.ts'
import { getAuthTokens } from '#contract/keys/auth-tokens.ts'
import { addDomainRequest } from '#contract/keys/domain-requests.ts'
import { addDomains, getDomains } from '#contract/keys/domains.ts'
import { getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import { getEmailConfig, getWebhookConfig } from '#contract/keys/service-configs.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { createClient } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { assertRecent } from '#testing/recent.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace, type Somebody, signInWithKey } from '../support/sign-in.ts'
import { button, dialog, row } from '../support/steps.ts'

const mail = await startMailServer()
const { server, visit } = await openConsole({ SMTP_URL: mail.url, MAIL_FROM: 'mail@example.com' })

async function openAs(somebody: Somebody, view: string) {
  const opened = await visit(view, { as: somebody })
  return opened
}

const openSettings = async (part = '') => {
  const somebody = await newWorkspace(server.url)
  return { somebody, ...(await openAs(somebody, `keys/${somebody.apiKey}/settings${part}`)) }
}

/** Returns the secret shown in a field. */
const secretOf = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue()

const clientOf = (apiKey: string, authToken: string) =>
  createClient(server.url).with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })

/** Returns the outcome of a call with these credentials. */
const httpOf = async (apiKey: string, authToken: string) =>
  (await clientOf(apiKey, authToken).post(getKeyConfig.path, {})).http

async function switchOn(page: Page, label: string): Promise<void> {
  await page.getByRole('switch', { name: label }).press('Space')
}

describe('creating an API key in the console', () => {
  it('stores every field, and shows the secret once', async () => {
    const somebody = await newWorkspace(server.url)
    const { page, faults } = await openAs(somebody, 'keys')
    await page.getByRole('link', { name: 'Create key' }).click()
    await page.getByRole('heading', { level: 1, name: 'Create API key' }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Create key').click()
    await page.getByText('Enter an e-mail address.').waitFor()
    await page.getByLabel('Owner e-mail').fill('ada@example.com')
    await page.getByRole('radio', { name: 'Production' }).check()
    await button(page, 'Create key').click()
    await page.getByText(/A production key needs a plan/).waitFor()
    assert.equal(await page.getByRole('radio', { name: 'Editor' }).isChecked(), true)
    await page.getByRole('radio', { name: 'Viewer' }).check()
    await page.getByRole('textbox', { name: 'Plan', exact: true }).fill('production')
    await page.getByLabel('Name', { exact: true }).fill('Ada <b>live</b>')
    await page.getByRole('button', { name: /^Access / }).click()
    await page.getByRole('combobox', { name: 'Allowed domains' }).fill('app.example.com')
    await page.keyboard.press('Enter')
    await switchOn(page, 'Also allow localhost')
    await switchOn(page, 'Require known resources')
    await page.getByRole('button', { name: /^E-mail / }).click()
    await switchOn(page, 'Send e-mail')
    await page.getByLabel('From company').fill('Ada Inc.')
    await page.getByLabel('Access was granted: to the user').check()
    await page.getByRole('button', { name: /^Webhooks / }).click()
    await page.getByLabel('URL for raw notifications').fill('https://example.com/raw')
    await page.getByLabel('Receiver’s token').fill('a-long-secret-token')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Create key').click()

    await page.getByRole('heading', { name: 'API key created' }).waitFor()
    const authToken = await secretOf(page, 'Auth token')
    assert.match(authToken, /^cht_/)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const keys = await somebody.owner.call(getApiKeys, {})
    const { id, ...made } = keys.find(({ apiKeyName }) => apiKeyName === 'Ada <b>live</b>') ?? { id: '' }
    assert.deepEqual(made, { apiKeyName: 'Ada <b>live</b>', type: 'production', disabled: false })
    const client = clientOf(id, authToken)
    const { requireKnownResources, ownerEmail, planInfo, defaultDocumentAccessType, defaultAccessRole } =
      await client.call(getKeyConfig, {})
    assert.deepEqual(
      { requireKnownResources, ownerEmail, planInfo, defaultDocumentAccessType, defaultAccessRole },
      {
        requireKnownResources: true,
        ownerEmail: 'ada@example.com',
        planInfo: { type: 'production' },
        defaultDocumentAccessType: 'restricted', // the default of the form
        defaultAccessRole: 'viewer',
      },
    )
    assert.deepEqual((await client.call(getDomains, {})).allowedDomains, ['app.example.com', 'localhost', '127.0.0.1'])
    const { useEmailService, emailServiceConfig } = await client.call(getEmailConfig, {})
    assert.deepEqual(
      [useEmailService, emailServiceConfig.fromCompany, emailServiceConfig.triggers['permission.added']],
      [true, 'Ada Inc.', true],
    )
    const { webhookServiceConfig } = await client.call(getWebhookConfig, {})
    assert.equal(webhookServiceConfig.rawNotificationUrl, 'https://example.com/raw')

    await page.getByRole('link', { name: 'Open API key' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Create API key' }).waitFor()
    assert.equal((await page.content()).includes(authToken), false)
    assert.deepEqual(faults, [])
  })

  it('shows why the server refused, and keeps the input', async () => {
    const { page } = await openAs(await newWorkspace(server.url), 'keys/new')
    await page.getByLabel('Owner e-mail').fill('ada@example')
    await page.getByLabel('Name', { exact: true }).fill('x'.repeat(600))
    await button(page, 'Create key').click()
    await page
      .getByRole('alert')
      .getByText(/^Request /)
      .waitFor()
    assert.equal(await page.getByLabel('Owner e-mail').inputValue(), 'ada@example')
  })
})

describe('the API keys of a workspace in the console', () => {
  it('are renamed, disabled, enabled, and deleted after typing the name', async () => {
    const somebody = await newWorkspace(server.url)
    const { page, faults } = await openAs(somebody, 'keys')
    const keyRow = (text: string) =>
      page.getByRole('table', { name: 'API keys' }).getByRole('row').filter({ hasText: text })
    const act = async (name: string, action: string | RegExp) => {
      await button(page, `Actions for ${name}`).click()
      await page.getByRole('menuitem', { name: action }).click()
      await page.getByRole('menu').waitFor({ state: 'detached' })
    }
    const rename = async (from: string, to: string) => {
      await act(from, 'Rename')
      await dialog(page, 'Rename API key').getByLabel('Name').fill(to)
      await button(page, 'Rename').click()
      await keyRow(to).waitFor()
    }
    await rename('Acme', 'Stagin')
    await button(page, 'Undo').click()
    await keyRow('Acme').waitFor()
    await rename('Acme', 'Staging')
    await act('Staging', 'Disable')
    await keyRow('disabled').waitFor()
    assert.equal(await httpOf(somebody.apiKey, somebody.authToken), 403)
    await page
      .getByRole('status')
      .filter({ hasText: 'Staging was disabled' })
      .getByRole('button', { name: 'Undo' })
      .click()
    await keyRow('enabled').waitFor()
    await act('Staging', 'Disable')
    await keyRow('disabled').waitFor()
    await page.getByRole('link', { name: 'Staging' }).click()
    await page.getByText('This API key is disabled').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Enable API key').click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    assert.equal(await httpOf(somebody.apiKey, somebody.authToken), 200)
    await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).click()
    await keyRow('enabled').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('button', { name: /created the workspace.*Workspace\s*\d/ }).waitFor()
    await page
      .getByRole('button', { name: /disabled the API key Staging.*Staging\s*\d/ })
      .first()
      .click()
    await dialog(page, 'Event').getByText('The API key was disabled.').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog(page, 'Event').getByRole('button', { name: 'Close' }).click()
    await act('Staging', 'Delete')
    const question = dialog(page, 'Delete API key')
    await question.getByRole('textbox').fill('staging')
    await question.getByRole('button', { name: 'Delete' }).click()
    await question.getByText('This does not match the name.').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await question.getByRole('textbox').fill('Staging')
    await question.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No API keys yet').waitFor()
    assert.deepEqual(await somebody.owner.call(getApiKeys, {}), [])
    assert.deepEqual(faults, [])
  })

  it('are hidden from a session of one key', async () => {
    const somebody = await newWorkspace(server.url)
    const { page } = await visit('keys')
    await signInWithKey(page, somebody)
    await page.getByText('Only the workspace can do this').waitFor()
    assert.equal(await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).count(), 0)
    await page.goto(`${server.url}/console/keys/${somebody.apiKey}/settings/tokens`)
    await page.getByText('Only the workspace can do this').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
  })
})

describe('the auth tokens of a key in the console', () => {
  it('have room for their names beside the other columns, in windows of all widths', async () => {
    const { page } = await openSettings('/tokens')
    const name = page.getByRole('table', { name: 'Auth tokens' }).locator('tbody td').first()
    for (const width of [1440, 1408, 1300, 1200, 1024, 992, 768, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await until(`room in a window of ${width} px`, async () => ((await name.boundingBox())?.width ?? 0) >= 100)
    }
  })

  it('are created with scopes and an expiry, and rotated without downtime', async () => {
    const { page, somebody, faults } = await openSettings('/tokens')
    await button(page, 'Create token').click()
    const making = dialog(page, 'Create token')
    await making.getByRole('button', { name: 'Create' }).click()
    await making.getByText('Enter a name.').waitFor()
    await making.getByLabel('Name').fill('reporting')
    await making.getByRole('checkbox', { name: 'write' }).uncheck()
    await making.getByLabel('Expires').selectOption('30')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await making.getByRole('button', { name: 'Create' }).click()
    await dialog(page, 'Token created').getByRole('button', { name: 'Copy' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape') // the token is shown only once
    const first = await secretOf(page, 'Auth token reporting')
    await button(page, 'Done').click()
    const tokens = async () => (await somebody.owner.call(getAuthTokens, { apiKey: somebody.apiKey })).authTokens
    const [made] = (await tokens()).filter(({ name }) => name === 'reporting')
    assert.deepEqual(made?.scopes, ['read'])
    assertRecent(((made?.expiresAt ?? 0) - 30 * 86_400) * 1_000)
    await row(page, 'reporting')
      .getByText(`${first.slice(0, 8)}…`)
      .waitFor()
    await row(page, 'reporting').getByText('by the workspace token “workspace”').waitFor()
    await row(page, 'reporting').getByText('never', { exact: true }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.equal((await page.content()).includes(first), false)

    await button(page, 'Rotate reporting').click()
    await button(page, 'Create new token').press('Enter')
    await page.getByRole('dialog').getByText('It is shown only once.').waitFor()
    await page.getByRole('dialog').locator(':focus').waitFor()
    await page.keyboard.press('Escape')
    const second = await secretOf(page, 'New auth token reporting')
    assert.notEqual(second, first)
    assert.deepEqual(await Promise.all([first, second].map((token) => httpOf(somebody.apiKey, token))), [200, 200])
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Revoke old token').click()
    await page.getByText('The old token was revoked.').waitFor()
    assert.deepEqual(await Promise.all([first, second].map((token) => httpOf(somebody.apiKey, token))), [401, 200])
    const [kept] = (await tokens()).filter(({ name }) => name === 'reporting')
    assert.deepEqual([kept?.token, kept?.scopes, kept?.expiresAt], [second, ['read'], made?.expiresAt])
    assert.deepEqual(faults, [])
  })

  it('are all replaced, with an overlap or immediately', async () => {
    const { page, somebody } = await openSettings('/tokens')
    const replace = async (hours: string) => {
      await button(page, 'Replace all').first().click()
      const question = dialog(page, 'Replace all tokens')
      await question.getByLabel('Old tokens remain valid for', { exact: true }).fill(hours)
      await question.getByRole('button', { name: 'Replace all' }).click()
      const secret = await secretOf(page, 'New auth token')
      await button(page, 'Done').click()
      return secret
    }
    const second = await replace('2')
    assert.equal(await httpOf(somebody.apiKey, somebody.authToken), 200)
    const third = await replace('0')
    assert.equal(await httpOf(somebody.apiKey, somebody.authToken), 401)
    assert.equal(await httpOf(somebody.apiKey, second), 401)
    assert.equal(await httpOf(somebody.apiKey, third), 200)
  })
})

describe('the settings of a key in the console', () => {
  it('save only the changed access settings', async () => {
    const { page, somebody, faults } = await openSettings()
    const { ownerEmail } = await somebody.client.call(getKeyConfig, {})
    const stored = async () => {
      const { defaultDocumentAccessType, defaultAccessRole, userTokenLifetimeSeconds } = await somebody.client.call(
        getKeyConfig,
        {},
      )
      return [defaultDocumentAccessType, defaultAccessRole, userTokenLifetimeSeconds]
    }
    const before = await stored()
    await row(page, 'Owner').getByText(ownerEmail).waitFor()
    const save = page.getByRole('form', { name: 'Access' }).getByRole('button', { name: 'Save' })
    assert.equal(await save.isDisabled(), true)
    await page.getByRole('radio', { name: 'Restricted' }).check()
    await page.getByText('Users without a grant can view public resources.', { exact: false }).waitFor()
    await page.getByRole('radio', { name: 'Viewer' }).check()
    await page.getByLabel('Lifetime of user tokens', { exact: true }).fill('3')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await save.click()
    await page.getByText('The settings were saved.').waitFor()
    assert.deepEqual(await stored(), ['restricted', 'viewer', 3 * 86_400])
    await button(page, 'Undo').click()
    await page.getByText('Undone.').waitFor()
    assert.deepEqual(await stored(), before)
    assert.deepEqual(faults, [])
  })

  it('keep what others save meanwhile, and what is edited while they are saved', async () => {
    const { page, somebody, faults } = await openSettings()
    const stored = () => somebody.client.call(getKeyConfig, {})
    await page.getByRole('radio', { name: 'Viewer' }).check()
    await somebody.client.call(updateKeyConfig, { requireKnownResources: true })
    await page.getByRole('switch', { name: 'Require known resources', checked: true }).waitFor()
    const { promise: isEdited, resolve: release } = Promise.withResolvers<void>()
    await page.route(`**${getKeyConfig.path}`, async (route) => {
      await isEdited
      await route.continue()
    })
    const save = page.getByRole('form', { name: 'Access' }).getByRole('button', { name: 'Save' })
    await save.click()
    await page.getByText('The settings were saved.').waitFor()
    await page.getByRole('radio', { name: 'Editor', exact: true }).check()
    await page.getByLabel('Lifetime of user tokens', { exact: true }).fill('3')
    release()
    await save.click()
    await page.getByText('The settings were saved.').nth(1).waitFor()
    const { defaultAccessRole, requireKnownResources, userTokenLifetimeSeconds } = await stored()
    assert.deepEqual([defaultAccessRole, requireKnownResources, userTokenLifetimeSeconds], ['editor', true, 3 * 86_400])
    assert.deepEqual(faults, [])
  })

  it('show how many documents a public default opens, before they are saved', async () => {
    const { page, somebody } = await openSettings()
    const documents = ['one', 'two'].map((documentId) => ({ documentId }))
    await somebody.client.call(addDocuments, { organizationId: 'acme', createOrganization: true, documents })
    await somebody.client.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
    await page.reload()
    await page.getByRole('radio', { name: /^Public/ }).check()
    await page.getByText('Opens 2 documents without an access type of their own to everyone').waitFor()
    assert.equal((await somebody.client.call(getKeyConfig, {})).defaultDocumentAccessType, 'restricted')
    const opening = page.getByRole('status').filter({ hasText: 'every document that is added later without one' })
    await page.getByRole('radio', { name: 'Viewer' }).check()
    assert.equal(await opening.count(), 1)
    await button(page, 'Save').first().click()
    await page.getByText('The settings were saved.').waitFor()
    await opening.waitFor({ state: 'detached' })
    // The default is public already: a broader role is counted, a narrower one is not.
    await page.getByRole('radio', { name: 'Editor', exact: true }).check()
    await opening.waitFor()
    await page.getByRole('radio', { name: 'Viewer' }).check()
    await opening.waitFor({ state: 'detached' })
    // The count fails, and the form says so.
    await somebody.client.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
    await page.reload()
    await page.route('**/v2/workspace/apikeyconfig/update', (route) => route.fulfill({ status: 400, body: '{}' }))
    await page.getByRole('radio', { name: /^Public/ }).check()
    await page.getByRole('form', { name: 'Access' }).getByRole('alert').waitFor()
  })

  it('allow and remove domains, with undo', async () => {
    const { page, somebody } = await openSettings('/domains')
    const domains = async () => (await somebody.client.call(getDomains, {})).allowedDomains
    const before = await domains()
    await page.getByLabel('Domain', { exact: true }).fill('https://www.app.example.com/start')
    await button(page, 'Allow').click()
    await row(page, 'app.example.com').waitFor()
    assert.deepEqual(await domains(), [...before, 'app.example.com'])
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Remove app.example.com').click()
    await button(page, 'Undo').waitFor()
    assert.deepEqual(await domains(), before)
    await button(page, 'Undo').click()
    await row(page, 'app.example.com').waitFor()
    assert.deepEqual(await domains(), [...before, 'app.example.com'])
  })

  it('accept and reject requested domains', async () => {
    const { page, somebody } = await openSettings('/domains')
    const { client } = somebody
    const domains = async () => (await client.call(getDomains, {})).allowedDomains
    const before = await domains()
    for (const domain of ['wanted.example.com', 'unwanted.example.com'])
      await client.call(addDomainRequest, { domain, clientDocumentId: 'roadmap', organizationId: 'acme' })
    await page.reload()
    await button(page, 'Reject unwanted.example.com').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Reject unwanted.example.com').click()
    await page.getByText('unwanted.example.com is not allowed.').waitFor()
    await button(page, 'Accept wanted.example.com').click()
    await button(page, 'Remove wanted.example.com').waitFor()
    assert.deepEqual(await domains(), [...before, 'wanted.example.com'])
    await page.getByRole('table', { name: 'Requested domains' }).waitFor({ state: 'detached' })
  })

  it('keep and replace a masked secret, and send a test mail', async () => {
    const { page, somebody, faults } = await openSettings('/email')
    const form = page.getByRole('form', { name: 'E-mail' })
    const state = page.getByRole('group', { name: 'State of mail' })
    await state.getByText('Mail could be sent if it were on.').waitFor()
    const save = async () => {
      await form.getByRole('button', { name: 'Save' }).click()
      await form.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
      return (await somebody.client.call(getEmailConfig, {})).emailServiceConfig.apiKey
    }
    await button(page, 'Send test mail').click()
    await page.getByText('Accepted', { exact: true }).waitFor()
    await mail.mailTo((await somebody.client.call(getKeyConfig, {})).ownerEmail)
    await form.getByLabel('Mail service').selectOption('sendgrid')
    await form.getByLabel('SendGrid API key').fill('SG.a-secret-of-some-length-1234')
    await form.getByLabel('From e-mail').fill('hello@example.com')
    await switchOn(page, 'Send e-mail')
    const mask = await save()
    assert.match(mask, /^\*+1234$/)
    await form.getByText(mask).waitFor()
    await state.getByText('never sent').waitFor()
    assert.equal((await page.content()).includes('a-secret-of-some-length'), false)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await form.getByLabel('From company').fill('Acme')
    assert.equal(await save(), mask)
    await button(page, 'Replace: SendGrid API key').click()
    await form.getByLabel('SendGrid API key').fill('SG.another-secret-of-length-5678')
    assert.match(await save(), /5678$/)
    assert.deepEqual(faults, [])
  })

  it('configure webhooks', async () => {
    const { page, somebody, faults } = await openSettings('/webhooks')
    const form = page.getByRole('form', { name: 'Basic URLs' })
    await form.getByLabel('URL for processed notifications').fill('https://example.com/processed')
    await form.getByRole('switch', { name: 'Encode payloads' }).press('Space')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The webhook settings were saved.').waitFor()
    const { webhookServiceConfig } = await somebody.client.call(getWebhookConfig, {})
    assert.deepEqual(
      [webhookServiceConfig.processedNotificationUrl, webhookServiceConfig.encodeData],
      ['https://example.com/processed', true],
    )
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it('name a permission provider, whose token can only be replaced', async () => {
    const { page, somebody, faults } = await openSettings()
    const form = page.getByRole('form', { name: 'Permission provider' })
    const save = async () => {
      await form.getByRole('button', { name: 'Save' }).click()
      await form.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
      return somebody.client.call(getPermissionProviderConfig, {})
    }
    await form.getByRole('switch', { name: 'Ask the permission provider' }).press('Space')
    await form.getByLabel('URL').fill('https://example.com/permissions')
    await form.getByLabel('Provider’s token').fill('a-secret-of-some-length-1234')
    assert.deepEqual(await save(), {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: 'https://example.com/permissions', authToken: '********1234' },
    })
    await form.getByText('********1234').waitFor()
    assert.equal((await page.content()).includes('a-secret-of-some-length'), false)
    await form.getByText('the call fails with permission_provider_failed', { exact: false }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await form.getByLabel('URL').fill('http://127.0.0.1/')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('must not have a private address', { exact: false }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('are compared with those of another key, and selected ones are promoted', async () => {
    const somebody = await newWorkspace(server.url)
    const { apiKey, authToken = '' } = await somebody.owner.call(createApiKey, {
      ...{ ownerEmail: 'ada@example.com', type: 'testing', apiKeyName: 'Copy', createAuthToken: true },
    })
    const copy = clientOf(apiKey, authToken)
    await somebody.client.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted', expiringSoonSeconds: 3600 })
    await somebody.client.call(addDomains, { domains: ['app.example.com'] })
    await copy.call(addDomains, { domains: ['only.example.com'] })
    const { page, faults } = await openAs(
      somebody,
      `keys/${somebody.apiKey}/settings/compare?with=${encodeURIComponent(apiKey)}`,
    )
    await row(page, 'default access type').getByText('restricted').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.equal(await row(page, 'only.example.com').count(), 0)
    await page.getByRole('checkbox', { name: 'Promote default access type' }).check()
    await page.getByRole('checkbox', { name: 'Promote app.example.com' }).check()
    assert.equal(await page.getByText(/^Opens \d/).count(), 0)
    await button(page, 'Apply 2 to Copy').click()
    await page.getByText('2 changes applied.').waitFor()
    const report = page.getByRole('status').filter({ hasText: /^2 of 2 changes made to/ })
    assert.equal(await report.getByRole('listitem').count(), 2)
    await row(page, 'default access type').waitFor({ state: 'detached' })
    await row(page, 'announcement of expiring grants').waitFor()
    const { defaultDocumentAccessType, expiringSoonSeconds } = await copy.call(getKeyConfig, {})
    assert.equal(defaultDocumentAccessType, 'restricted')
    assert.notEqual(expiringSoonSeconds, 3600)
    assert.deepEqual((await copy.call(getDomains, {})).allowedDomains.toSorted(), [
      'app.example.com',
      'only.example.com',
    ])
    await somebody.client.call(updateKeyConfig, {
      ...{ defaultDocumentAccessType: 'public', accessRoles: ['viewer', 'commenter', 'editor'] },
    })
    await copy.call(updateKeyConfig, { defaultDocumentAccessType: 'public', defaultAccessRole: 'viewer' })
    await page.reload()
    for (const setting of ['Default access role', 'Access roles'])
      await page.getByRole('checkbox', { name: `Promote ${setting}`, exact: true }).check()
    await page
      .getByRole('status')
      .getByText(/^Opens 0 documents/)
      .waitFor()
    assert.equal(await page.getByText(/^Opens \d/).count(), 1)
    assert.deepEqual(faults, [])
  })
})
