/** Settings that are not saved: leaving the view asks first, in the console and in the browser. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'

const { server, visit } = await openConsole()
const somebody = await newWorkspace(server.url)
const company = (page: Page) => page.getByLabel('From company')

describe('settings that are not saved', () => {
  it('are kept until the person decides to leave them', async () => {
    const { page, faults } = await visit(`keys/${somebody.apiKey}/settings/email`, { as: somebody })
    await company(page).fill('Larkspur')
    const domains = page.getByRole('link', { name: 'Domains' })
    await domains.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Leave this page?' })
    await dialog.getByText('What you changed under “E-mail” is not saved, and will be lost.').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.keyboard.press('Escape')
    await domains.and(page.locator(':focus')).waitFor()
    assert.equal(await company(page).inputValue(), 'Larkspur')
    await domains.press('Enter')
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Allowed domains' }).waitFor()
    await page.goBack()
    assert.equal(await company(page).inputValue(), '')
    assert.deepEqual(faults, [])
  })

  it('make the browser ask before the page is closed', async () => {
    const { page } = await visit(`keys/${somebody.apiKey}/settings/email`, { as: somebody })
    await company(page).fill('Larkspur')
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    const question = await asked
    assert.equal(question.type(), 'beforeunload')
    await question.accept()
  })

  it('are not asked about once they are saved or discarded', async () => {
    const { page } = await visit(`keys/${somebody.apiKey}/settings/email`, { as: somebody })
    const form = page.getByRole('form', { name: 'E-mail' })
    await company(page).fill('Larkspur')
    await form.getByRole('button', { name: 'Discard' }).click()
    await company(page).fill('Trailhead')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Domains' }).click()
    await page.getByRole('heading', { name: 'Allowed domains' }).waitFor()
  })
})

describe('several changes that are not saved', () => {
  it('are asked about once, by name', async () => {
    const { page, faults } = await visit(`keys/${somebody.apiKey}/settings/comments`, { as: somebody })
    await page.getByLabel('Notify of comments').click()
    await page.getByLabel('Record activities').click()
    await page.getByRole('link', { name: 'Domains' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByText('What you changed under “Notifications” and “Activities” is not saved, and will be lost.')
      .waitFor()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Allowed domains' }).waitFor()
    assert.equal(await dialog.count(), 0)
    assert.deepEqual(faults, [])
  })
})

describe('what was entered to create something', () => {
  it('is kept until the person decides to leave the page, and not asked about once it is created', async () => {
    const { page, faults } = await visit('keys/new', { as: somebody })
    const leave = page.getByRole('link', { name: 'Workspace tokens' })
    await page.locator('nav a[data-active]', { hasText: 'API keys' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Larkspur')
    await leave.press('Enter')
    await page.getByText('What you changed under “Create API key” is not saved, and will be lost.').waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await page.getByLabel('Name').inputValue(), 'Larkspur')
    await page.getByLabel('Owner e-mail').fill('ada@example.com')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('heading', { level: 1, name: 'Create API key' }).waitFor()
    await page.getByRole('form').waitFor({ state: 'detached' })
    await leave.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Workspace tokens' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('is kept in a dialog until the person discards it', async () => {
    const { page, faults } = await visit(`keys/${somebody.apiKey}/users`, { as: somebody })
    await page.getByRole('navigation').getByRole('link', { name: 'Organizations' }).click()
    const add = page.getByRole('button', { name: 'Add organization' }).first()
    const dialog = page.getByRole('dialog', { name: 'Add organization' })
    const question = page.getByRole('dialog', { name: 'Discard what you entered?' })
    const id = dialog.getByRole('textbox', { name: 'Id', exact: true })
    await add.click()
    await id.press('Escape')
    await dialog.waitFor({ state: 'detached' }) // nothing was entered
    await add.click()
    await id.pressSequentially('larkspur')
    await page.keyboard.press('Escape')
    await question.waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await id.and(page.locator(':focus')).waitFor()
    assert.equal(await id.inputValue(), 'larkspur')
    await page.evaluate('history.back()')
    await page.getByText('What you changed under “Add organization” is not saved, and will be lost.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await question.getByRole('button', { name: 'Discard' }).click()
    await dialog.waitFor({ state: 'detached' })
    await add.and(page.locator(':focus')).waitFor()
    assert.deepEqual(faults, [])
  })
})
