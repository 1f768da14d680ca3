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
