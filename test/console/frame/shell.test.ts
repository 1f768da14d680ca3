/** The frame of the console: API keys, colour schemes, phones, the keyboard, and outages. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { addDomains } from '#contract/keys/domains.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'

const { server, visit } = await openConsole()
const somebody = await newWorkspace(server.url)

async function openOverview(options?: Parameters<typeof visit>[1]) {
  const opened = await visit(`keys/${somebody.apiKey}`, { as: somebody, ...options })
  await opened.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  return opened
}

describe('the shell of the console', () => {
  it('is accessible, in light and dark, wide and on a phone', async () => {
    const { page, faults } = await openOverview()
    await page.getByRole('button', { name: /created the testing API key/ }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole('navigation').getByRole('link', { name: 'Organizations' }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Open navigation' }).click()
    await page.getByRole('navigation').getByRole('link', { name: 'Organizations' }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('navigation').getByRole('link', { name: 'Organizations' }).click()
    await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor()
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    assert.deepEqual(faults, [])
  })

  it('switches between API keys, with the key in the URL', async () => {
    const { apiKey } = await somebody.owner.call(createApiKey, {
      ...{ ownerEmail: 'second@example.com', type: 'testing', apiKeyName: 'Second' },
    })
    const { page } = await openOverview()
    await page.getByRole('combobox', { name: 'API key' }).first().click()
    await page.getByRole('option', { name: 'Second' }).click()
    await page.waitForURL(`**/console/keys/${apiKey}`)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  })

  it('keeps the navigation of the key on pages of the workspace, and links each count to its list', async () => {
    const { page, faults } = await openOverview()
    const navigation = page.getByRole('navigation', { name: 'Views' })
    await navigation.getByRole('link', { name: 'People' }).click()
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
    await navigation.getByRole('link', { name: 'Groups' }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await navigation.getByRole('link', { name: 'Overview' }).click()
    await page
      .getByRole('main')
      .getByRole('link', { name: /^Organizations/ })
      .click()
    await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('remembers the selected colour scheme', async () => {
    const { page } = await openOverview({ colorScheme: 'light' })
    await page.getByRole('button', { name: 'Colour scheme' }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
    await page.reload()
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  })

  it('lets the keyboard skip the navigation', async () => {
    const { page } = await openOverview()
    for (const [view, name] of [
      ['', 'Overview'],
      ['/settings/compare', 'Settings'],
    ] as const) {
      await page.goto(`${server.url}/console/keys/${somebody.apiKey}${view}`)
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await page.keyboard.press('Tab')
      await page.getByRole('link', { name: 'Skip to content' }).and(page.locator(':focus')).waitFor()
      await page.keyboard.press('Enter')
      await page.locator('main:focus').waitFor()
    }
  })

  it('keeps the focus beside a button that stays disabled once its work is done', async () => {
    const { page } = await openOverview()
    await page.goto(`${server.url}/console/keys/${somebody.apiKey}/settings`)
    const form = page.getByRole('form', { name: 'Access' })
    await form.getByRole('radio', { name: 'Restricted' }).check()
    const save = form.getByRole('button', { name: 'Save' })
    await save.press('Enter')
    await form.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
    assert.ok(await save.isDisabled())
    await form.locator(':focus').getByRole('button', { name: 'Save' }).waitFor()
    await page.keyboard.press('Shift+Tab')
    await form.locator('input:focus, select:focus').waitFor()
  })

  it('gives the focus to the next row when the row that had it is deleted', async () => {
    await somebody.client.call(addDomains, { domains: ['one.example.com', 'two.example.com'] })
    const { page } = await openOverview()
    await page.goto(`${server.url}/console/keys/${somebody.apiKey}/settings/domains`)
    await page.getByRole('button', { name: 'Remove one.example.com' }).press('Enter')
    const row = page.getByRole('row').filter({ hasText: 'two.example.com' })
    await row.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter') // nothing more is deleted
    await page.keyboard.press('Tab')
    await row.getByRole('button').and(page.locator(':focus')).press('Enter')
    await row.waitFor({ state: 'detached' })
    await page.locator('main :focus').waitFor()
  })

  it('keeps tabs in their places when another is selected, and boxes on one edge', async () => {
    const { page } = await openOverview()
    await page.goto(`${server.url}/console/keys/${somebody.apiKey}/settings/comments`)
    const tabs = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
    const places = () => tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().x))
    const box = page.getByRole('group', { name: 'Notify when' })
    const form = page.getByRole('form', { name: 'Notifications' })
    assert.equal((await box.boundingBox())?.x, (await form.boundingBox())?.x)
    const before = await places()
    await tabs.filter({ hasText: 'Auth tokens' }).click()
    await tabs.filter({ hasText: 'Auth tokens' }).and(page.locator('[aria-current=page]')).waitFor()
    assert.deepEqual(await places(), before)
  })

  it('reports an unknown URL', async () => {
    const { page } = await openOverview()
    await page.goto(`${page.url()}/nowhere`)
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    // The last opened key, of two.
    await page.getByRole('link', { name: 'Go to the start page' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.locator('main:focus').waitFor()
  })

  it('explains what may be wrong at the address of an unknown API key, and offers the existing keys', async () => {
    const unknown = somebody.apiKey.replace(/.{4}$/, 'none')
    const { page, faults } = await visit(`keys/${unknown}/users`, { as: somebody })
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
    await page.getByText('was deleted, belongs to another workspace, or is misspelt').waitFor()
    assert.equal(await page.getByText(unknown).count(), 0)
    assert.equal(await page.getByRole('combobox', { name: 'API key' }).first().inputValue(), '')
    assert.equal(await page.getByRole('navigation').getByRole('link', { name: 'Users' }).count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('link', { name: 'API keys of the workspace' }).click()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('reports that the server is unreachable, and recovers when it is back', async () => {
    const { page, context } = await openOverview()
    const banner = page.getByText('The server is unreachable.', { exact: false }).first()
    await context.setOffline(true)
    await page.getByRole('navigation').getByRole('link', { name: 'Organizations' }).click()
    await banner.waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await context.setOffline(false)
    await banner.waitFor({ state: 'detached' })
    await page.getByText('No organizations yet').waitFor()
  })
})
