/** Faults of a form name its fields as they are labelled, and say what to enter, without patterns. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { address, type Company, newCompany } from '../support/company.ts'
import { openConsole } from '../support/console.ts'

const { server, visit } = await openConsole()

const alerts = (page: Page) => page.getByRole('main').getByRole('alert')

async function openKey(view: string) {
  const company: Company = await newCompany(server)
  return visit(`keys/${company.apiKey}/${view}`, { as: company })
}

describe('faults of a form', () => {
  it('name the one domain without a number', async () => {
    const { page } = await openKey('settings/domains')
    await page.getByRole('textbox', { name: 'Domain' }).fill('not a domain!')
    await page.keyboard.press('Enter')
    await alerts(page).getByText('Domain must be a host such as example.com or *.example.com').waitFor()
  })

  it('say of an address only what it must be', async () => {
    const { page } = await openKey(address('users/user', { userId: 'ada' }))
    await page.getByRole('button', { name: 'Edit profile' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail address').fill('x@')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const fault = dialog.getByRole('alert')
    await fault.getByText('E-mail must be an e-mail address', { exact: true }).waitFor()
    assert.equal(await fault.getByText(/match|characters/).count(), 0)
  })

  it('name a setting by its label', async () => {
    const { page } = await openKey('settings/email')
    await page.getByLabel('Page of a document').fill('ftp://app.example.com')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await alerts(page).getByText('Page of a document must be an http or https URL, or empty').waitFor()
  })
})
