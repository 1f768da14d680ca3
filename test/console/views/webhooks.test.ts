/** Webhooks in the console, with a receiver: endpoints, secrets, attempts and replays. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { updateWebhookConfig } from '#contract/keys/service-configs.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint, getWebhookEndpoints, updateWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { verifyWebhook } from '#sdk/webhooks.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'
import { button, row } from '../support/steps.ts'

const { server, visit } = await openConsole({ WEBHOOK_ALLOW_PRIVATE: 'true' })

const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })

async function receiver() {
  const started = await startReceiver(() => ({ status: 200, body: 'taken <b>with thanks</b>' }))
  cleanUp(() => started.close())
  return started
}

async function openWebhooks({ enabled = true } = {}) {
  const somebody = await newWorkspace(server.url)
  if (enabled) await somebody.client.call(updateAdvancedWebhookConfig, { isEnabled: true })
  const opened = await visit(`keys/${somebody.apiKey}/webhooks`, { as: somebody })
  await opened.page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  return { somebody, ...opened }
}

async function addEndpoint(page: Page, url: string): Promise<void> {
  await button(page, 'Add endpoint').first().click()
  await dialog(page, 'Add endpoint').getByLabel('URL').fill(url)
  await button(page, 'Add').click()
  await page.getByRole('heading', { level: 1, name: url }).waitFor()
}

describe('webhooks in the console', () => {
  it('are turned on, and an endpoint is added, changed, disabled and deleted', async () => {
    const { page, somebody, faults } = await openWebhooks({ enabled: false })
    const stored = async () => (await somebody.client.call(getWebhookEndpoints, {})).endpoints
    await page.getByText('Signed endpoints are turned off').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Turn on').click()
    await page.getByText('No endpoints yet').waitFor()
    await button(page, 'Add endpoint').first().click()
    const adding = dialog(page, 'Add endpoint')
    await adding.getByRole('button', { name: 'Add' }).click()
    await adding.getByText('Enter an http or https URL.').waitFor()
    await adding.getByLabel('URL').fill('https://example.com/hook')
    await adding.getByLabel('Events').fill('permission.added')
    await page.getByRole('option', { name: 'permission.added' }).click()
    await page.keyboard.press('Escape')
    await adding.getByLabel('Your own id').fill('search')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await adding.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'https://example.com/hook' }).waitFor()
    const [made] = await stored()
    assert.deepEqual([made?.filterTypes, made?.uid, made?.disabled], [['permission.added'], 'search', false])

    await button(page, 'Edit').click()
    const editing = dialog(page, 'Edit endpoint')
    // A change by another person meanwhile is not undone.
    const filterTypes = ['permission.added', 'permission.removed']
    await somebody.client.call(updateWebhookEndpoint, { endpointId: made?.id ?? '', filterTypes })
    await editing.getByLabel('Description').fill('Search index')
    await editing.getByLabel('Rate limit').fill('5')
    await button(page, 'Save').click()
    await row(page, 'Search index').waitFor()
    await button(page, 'Disable').click()
    await button(page, 'Enable').waitFor()
    const [changed] = await stored()
    assert.deepEqual([changed?.rateLimit, changed?.disabled, changed?.filterTypes], [5, true, filterTypes])
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Delete').click()
    const question = dialog(page, 'Delete endpoint')
    await question.getByRole('textbox').fill('https://example.com/hook')
    await question.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No endpoints yet').waitFor()
    assert.deepEqual(await stored(), [])
    assert.deepEqual(faults, [])
  })

  it('sends a test event, shows request and response, and resends a message', async () => {
    const { page, faults } = await openWebhooks()
    const hook = await receiver()
    await addEndpoint(page, hook.url)
    await button(page, 'Send test event').click()
    const isTest = ({ json }: { json: { event: string } }) => json.event === 'webhook.test'
    const [got] = await hook.until(1, isTest)
    await page.getByRole('button', { name: 'webhook.test' }).first().click()
    const attempt = dialog(page, 'webhook.test, attempt 1')
    await attempt.getByText('taken <b>with thanks</b>').waitFor()
    const payload = attempt.getByRole('region', { name: 'Payload' })
    await payload.waitFor()
    assert.deepEqual(JSON.parse((await payload.textContent()) ?? ''), got?.json)
    await attempt.getByRole('region', { name: 'Headers' }).getByText(String(got?.headers['webhook-id'])).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await attempt.getByRole('button', { name: 'Resend message' }).click()
    const both = await hook.until(2, isTest)
    assert.equal(both[1]?.headers['webhook-id'], both[0]?.headers['webhook-id'])
    await page.getByRole('button', { name: 'webhook.test' }).nth(1).waitFor()
    assert.deepEqual(faults, [])
  })

  it('has a log of the basic URLs, and links to where they are set', async () => {
    const { page, somebody, faults } = await openWebhooks()
    const hook = await receiver()
    const rawNotificationUrl = hook.url
    await somebody.client.call(updateWebhookConfig, {
      useWebhookService: true,
      webhookServiceConfig: { rawNotificationUrl, authToken: 'a-token-of-the-receiver' },
    })
    await page.reload()
    await page.getByRole('link', { name: 'Raw notifications' }).click()
    await page.getByText(rawNotificationUrl).waitFor()
    await button(page, 'Send test event').click()
    const [got] = await hook.until(1, ({ json }) => json.event === 'webhook.test')
    await page.getByRole('button', { name: 'webhook.test' }).click()
    const attempt = dialog(page, 'webhook.test, attempt 1')
    await attempt.getByRole('region', { name: 'Headers' }).getByText('authorization: Basic …').waitFor()
    const payload = attempt.getByRole('region', { name: 'Payload' })
    assert.deepEqual(JSON.parse((await payload.textContent()) ?? ''), got?.json)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.goto(page.url().replace(/raw$/, 'processed'))
    await page.getByText('No URL set').waitFor()
    assert.deepEqual(faults, [])
  })

  it('shows why a delivery failed', async () => {
    const { page } = await openWebhooks()
    const hook = await receiver()
    hook.answer = () => ({ status: 503, body: 'not today' })
    await addEndpoint(page, hook.url)
    await button(page, 'Send test event').click()
    await page.getByRole('button', { name: 'webhook.test' }).first().click()
    const attempt = dialog(page, /^webhook\.test/)
    await attempt.getByText('not today').waitFor()
    await row(page, 'Outcome').getByText('failed').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
  })

  it('says in words why there was no response', async () => {
    const { page, somebody } = await openWebhooks()
    const url = 'https://hooks.invalid/in'
    await somebody.client.call(createWebhookEndpoint, { url, filterTypes: ['never.sent'] })
    await page.getByRole('link', { name: url }).click()
    await button(page, 'Send test event').click()
    await page.getByRole('table', { name: 'Attempts' }).getByText('host not found').waitFor()
    const health = page.getByRole('region', { name: 'Health' })
    await health.getByText(/no response: host not found \(E\w+\)/).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    const attempts = page.getByRole('table', { name: 'Attempts' })
    await attempts.getByText('✕ host not found, ').waitFor()
    const event = await attempts.getByRole('button', { name: 'webhook.test' }).first().boundingBox()
    assert.ok((event?.width ?? 0) > 60, 'the name of the event is cut off')
  })

  it('have their actual status and figures, here and in the overview', async () => {
    const { page, somebody, faults } = await openWebhooks()
    const hook = await receiver()
    // An endpoint without a filter would also get the events of its own key.
    await somebody.client.call(createWebhookEndpoint, { url: hook.url, filterTypes: ['never.sent'] })
    await page.getByRole('link', { name: hook.url }).click()
    const health = page.getByRole('region', { name: 'Health' })
    const fact = (name: string) => health.getByRole('row', { name: new RegExp(`^${name} `) })
    await fact('Status').getByText('never called').waitFor()
    await fact('Failure rate').getByText('no attempts in the last 24 hours').waitFor()
    await button(page, 'Send test event').click()
    await fact('Status').getByText('delivering').waitFor()
    await fact('Failure rate').getByText('0%: 0 of 1 attempt').waitFor()
    hook.answer = () => ({ status: 503 })
    await button(page, 'Send test event').click()
    await fact('Status').getByText('failing').waitFor()
    await fact('Last failure').getByText('HTTP 503').waitFor()
    await fact('Response time')
      .getByText(/^[\d,]+ ms usually, [\d,]+ ms at most$/)
      .waitFor()
    const bars = health.locator('[title*=" ms"]')
    await bars.nth(1).waitFor()
    const [delivered, failed] = [await bars.nth(0).boundingBox(), await bars.nth(1).boundingBox()]
    assert.ok(
      (delivered?.x ?? 0) < (failed?.x ?? 0) && (delivered?.y ?? 0) < (failed?.y ?? 0),
      'oldest first, failed below',
    )
    assert.match((await bars.nth(1).getAttribute('title')) ?? '', /✕ 503/)
    await fact('Waiting').getByText('1 message').waitFor()
    await fact('Next attempt').getByRole('time').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])

    const shown = async (outcome: string) => {
      await page.getByRole('radiogroup', { name: 'Outcome' }).getByText(outcome, { exact: true }).click()
      await page.getByRole('table', { name: 'Attempts' }).getByRole('button').first().waitFor()
      const texts = await page.getByRole('table', { name: 'Attempts' }).getByRole('row').allInnerTexts()
      return new Set(texts.slice(1).map((text) => /[✓✕] \d+/.exec(text)?.[0]))
    }
    assert.deepEqual([...(await shown('Delivered'))], ['✓ 200'])
    assert.deepEqual([...(await shown('Failed'))], ['✕ 503'])
    assert.deepEqual([...(await shown('Waiting'))], ['✕ 503'])
    await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
    await row(page, hook.url).getByText('failing').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])

    await page.goto(`${server.url}/console/keys/${somebody.apiKey}`)
    const line = page.getByRole('listitem').filter({ hasText: 'Webhooks: 1 failing' })
    await line.getByLabel('Needs attention').waitFor()
    await line.getByRole('link', { name: hook.url }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it('replays everything since a given time', async () => {
    const { page, somebody } = await openWebhooks()
    const hook = await receiver()
    await addEndpoint(page, hook.url)
    const isAdded = ({ json }: { json: { event: string } }) => json.event === 'organization.added'
    await somebody.client.call(addOrganizations, { organizations: [{ organizationId: 'a' }, { organizationId: 'b' }] })
    await hook.until(2, isAdded)
    await button(page, 'Replay…').click()
    const asked = dialog(page, 'Replay messages')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await asked.getByRole('button', { name: 'Replay' }).click()
    const all = await hook.until(4, isAdded)
    assert.equal(new Set(all.map(({ headers }) => headers['webhook-id'])).size, 2)
    await page.getByText(/messages will be sent again\./).waitFor()
  })

  it('shows the secret on request, and rotates it with an overlap', async () => {
    const { page, faults } = await openWebhooks()
    const hook = await receiver()
    await addEndpoint(page, hook.url)
    assert.equal((await page.content()).includes('whsec_'), false)
    await button(page, 'Show secret').click()
    const old = await page.getByLabel('Secret', { exact: true }).and(page.locator('input')).inputValue()
    assert.match(old, /^whsec_/)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Rotate').click()
    const asked = dialog(page, 'Rotate secret')
    await asked.getByLabel('Old secret keeps signing for', { exact: true }).fill('2')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await asked.getByRole('button', { name: 'Rotate' }).click()
    const fresh = await asked.getByLabel('New secret', { exact: true }).inputValue()
    assert.notEqual(fresh, old)
    await button(page, 'Done').click()
    await button(page, 'Send test event').click()
    const [got] = await hook.until(1, ({ json }) => json.event === 'webhook.test')
    assert.ok(got)
    for (const secret of [old, fresh]) await verifyWebhook({ secret, headers: got.headers, body: got.body })
    assert.deepEqual(faults, [])
  })
})
