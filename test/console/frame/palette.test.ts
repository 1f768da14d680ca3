/** The palette of the console finds anything by name with the keyboard alone, and starts frequent actions. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addThreads } from '#contract/comments/threads.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { signInWithKey } from '../support/sign-in.ts'

const { server, visit } = await openConsole()
const company = await newCompany(server)
await company.client.call(addThreads, {
  organizationId,
  documentId: 'roadmap',
  commentAnnotations: [{ commentData: [{ from: { userId: 'ada' }, commentText: 'Is the zebra crossing funded?' }] }],
})

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const palette = (page: Page) => page.getByRole('dialog', { name: 'Search' })
const field = (page: Page) => palette(page).getByRole('combobox', { name: 'Search' })

/** The option that Enter opens, which the field names for screen readers. */
const selected = (page: Page, text: string) =>
  page.locator('[role=option][aria-selected=true]').filter({ hasText: text })

async function openPalette() {
  const opened = await visit(`keys/${company.apiKey}`, { as: company })
  await heading(opened.page, 'Overview')
  await opened.page.keyboard.press('Control+k')
  await field(opened.page).waitFor()
  return opened
}

/** Types, and opens the selected option once it is `option`. */
async function goTo(page: Page, typed: string, option: string): Promise<void> {
  await field(page).fill(typed)
  await selected(page, option).waitFor()
  await page.keyboard.press('Enter')
}

describe('the palette', () => {
  it('gets text that is typed before its field appears, and the page behind does not', async () => {
    const opened = await visit(`keys/${company.apiKey}/why`, { as: company })
    const { page } = opened
    const behind = page.getByRole('combobox', { name: 'User', exact: true })
    await behind.focus()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('rotate')
    await selected(page, 'Rotate auth token').waitFor()
    assert.equal(await field(page).inputValue(), 'rotate')
    assert.equal(await behind.inputValue(), '')
  })

  it('opens documents, people, threads and views by the keyboard alone', async () => {
    const { page, faults } = await openPalette()
    await palette(page).getByRole('option', { name: 'Events', exact: true }).waitFor()
    const first = await selected(page, 'Give access').getAttribute('id')
    assert.equal(await field(page).getAttribute('aria-activedescendant'), first)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await goTo(page, 'ROAD m', 'Road map')
    await heading(page, 'Road map')
    await page.keyboard.press('Control+k')
    await goTo(page, 'lovelace', 'Ada Lovelace')
    await heading(page, 'Ada Lovelace')
    await page.keyboard.press('Control+k')
    await goTo(page, 'zebra', 'Is the zebra crossing funded?')
    await heading(page, 'Thread')
    await page.getByText('Is the zebra crossing funded?').waitFor()
    await page.keyboard.press('Control+k')
    await goTo(page, 'webh', 'Webhooks')
    await heading(page, 'Webhooks')
    assert.deepEqual(faults, [])
  })

  it('prefers matches of the name to matches of other words', async () => {
    const { page } = await openPalette()
    for (const [typed, option] of [
      ['tokens', 'Auth tokens'],
      ['mail', 'E-mail'],
      ['revoke', 'Access review'],
      ['leaver', 'Users'],
      ['delete key', 'Settings'],
      ['scopes', 'Auth tokens'],
      ['requested', 'Domains'],
      ['smtp', 'E-mail'],
      ['activities', 'Comments'],
      ['encrypt', 'Webhook settings'],
      ['issuer', 'Single sign-on'],
      ['erase', 'Users'],
      ['permission provider', 'Settings'],
      ['dry run', 'Migrations'],
    ] as const) {
      await field(page).fill(typed)
      await selected(page, option).waitFor()
    }
  })

  it('shows results with name, id and location, and says what it searched when there are none', async () => {
    const { page } = await openPalette()
    await field(page).fill('roadmap')
    const option = palette(page).getByRole('option').filter({ hasText: 'Road map' })
    await option.filter({ hasText: 'Acme' }).filter({ hasText: 'Plans' }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await field(page).fill('no such thing')
    await palette(page).getByText('Nothing found for “no such thing” among organizations, users').waitFor()
    await page.keyboard.press('Escape')
    await palette(page).waitFor({ state: 'detached' })
  })

  it('gives access to a result, and adds organizations', async () => {
    const { page } = await openPalette()
    await goTo(page, 'share', 'Give access')
    await page.getByRole('dialog', { name: 'Give access to which' }).waitFor()
    await page.keyboard.type('plnas', { delay: 30 })
    await page.keyboard.press('Enter')
    await heading(page, 'Plans')
    const giving = page.getByRole('dialog', { name: 'Give access' })
    await giving.getByRole('combobox', { name: 'Users' }).and(page.locator(':focus')).waitFor()
    await giving.getByRole('button', { name: 'Close' }).click()
    await page.waitForURL((url) => !url.searchParams.has('giving'))
    await page.keyboard.press('Control+k')
    await goTo(page, 'add org', 'Add organization')
    await page.getByRole('dialog', { name: 'Add organization' }).waitFor()
  })

  it('finds themes, tokens, exports and signing out, also with typos', async () => {
    const { page, faults } = await openPalette()
    await page.keyboard.type('dark theem', { delay: 30 })
    await page.keyboard.press('Enter')
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
    await palette(page).waitFor({ state: 'detached' })
    for (const [typed, title] of [
      ['wbehokos', 'Webhooks'],
      ['rotate', 'Settings'],
      ['auth tokens', 'Settings'],
      ['export events', 'Events'],
      ['import', 'Settings'],
      ['invite', 'Invitations'],
    ] as const) {
      await page.keyboard.press('Control+k')
      await field(page).and(page.locator(':focus')).waitFor()
      await page.keyboard.type(typed, { delay: 30 })
      await page.keyboard.press('Enter')
      await palette(page).waitFor({ state: 'detached' })
      await heading(page, title)
    }
    await page.keyboard.press('Control+k')
    await field(page).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('export acess', { delay: 30 })
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Export the access of which' }).waitFor()
    await page.keyboard.press('Backspace')
    await palette(page).waitFor()
    await page.keyboard.type('sign ot', { delay: 30 })
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('finds the formats of times, and confirms who looks', async () => {
    const { link = '' } = await company.owner.call(inviteOperator, { email: 'kim@example.com', role: 'admin' })
    const { page, faults } = await visit()
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await heading(page, 'Overview')
    await page.keyboard.press('Control+k')
    await field(page).fill('times')
    for (const name of ['Relative times', 'Local date and time', 'Times in UTC'])
      await palette(page).getByRole('option', { name }).waitFor()
    await goTo(page, 'times utc', 'Times in UTC')
    await palette(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'UTC' }).getByRole('img', { name: 'selected' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await goTo(page, 'command line', 'Sign in a command line')
    await heading(page, 'Sign in a command line')
    await page.keyboard.press('Control+k')
    await goTo(page, 'confirm', 'Confirm that it is you')
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('offers only the settings that a token may read', async () => {
    const data = { apiKey: company.apiKey, name: 'reader', scopes: ['read' as const] }
    const { authToken } = await company.owner.call(createAuthToken, data)
    const { page } = await visit()
    await signInWithKey(page, { apiKey: company.apiKey, authToken: authToken.token })
    await heading(page, 'Overview')
    await page.keyboard.press('Control+k')
    await field(page).fill('settings')
    await palette(page).getByRole('option', { name: 'Import and export' }).waitFor()
    for (const name of ['Auth tokens', 'Compare and promote'])
      assert.equal(await palette(page).getByRole('option', { name }).count(), 0, name)
  })

  it('is a button on a phone, and fills the screen', async () => {
    const { page, faults } = await visit(`keys/${company.apiKey}`, {
      as: company,
      viewport: { width: 360, height: 740 },
    })
    await heading(page, 'Overview')
    await page.getByRole('button', { name: 'Search' }).click()
    await field(page).fill('bob')
    await palette(page).getByRole('option').filter({ hasText: 'Bob Stone' }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await palette(page).getByRole('option').filter({ hasText: 'Bob Stone' }).click()
    await heading(page, 'Bob Stone')
    assert.deepEqual(faults, [])
  })
})
