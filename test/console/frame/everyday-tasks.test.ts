/** The most frequent tasks in the console are done by name, with few clicks. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { createClient } from '#testing/client.ts'
import { apply, grantOf, says } from '../support/access-page.ts'
import { type Company, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { button, heading, row } from '../support/steps.ts'

const { server, visit } = await openConsole()

/** Opens the key of a company, where a task begins. Returns a function that counts the clicks of the task. */
async function begin(company: Company) {
  const { page, faults } = await visit(`keys/${company.apiKey}`, { as: company })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.evaluate(`
    window.clicks = 0
    addEventListener('click', ({ isTrusted, detail }) => { if (isTrusted && detail > 0) window.clicks++ }, true)`)
  return {
    page,
    async clicks(): Promise<number> {
      assert.deepEqual(faults, [])
      return Number(await page.evaluate('window.clicks'))
    },
  }
}

const view = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true })

async function reasonOf({ client }: Company, userId: string) {
  const resource = { type: 'document' as const, id: 'roadmap', organizationId }
  return (await client.call(checkPermissions, { checks: [{ userId, resource }] })).checks[0]?.reason
}

describe('in the console, by name', () => {
  it('a leaver is removed from everything with five clicks', async () => {
    const company = await newCompany(server)
    const { page, clicks } = await begin(company)
    await view(page, 'Users').click()
    await page.getByRole('textbox', { name: 'Search by id, name or e-mail address' }).pressSequentially('stone')
    await row(page, 'Ada Lovelace').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Bob Stone' }).click()
    await button(page, 'Remove all access…').click()
    const dialog = page.getByRole('dialog', { name: 'Remove all access of the user' })
    await dialog.getByRole('textbox').and(page.locator(':focus')).pressSequentially('Bob Stone')
    await button(page, 'Remove all access').click()
    await page.getByText('Nothing is left').waitFor()
    assert.equal(await reasonOf(company, 'bob'), 'user_disabled')
    assert.ok((await clicks()) <= 5)
  })

  it('a token is rotated with five clicks, and the old one works until it is revoked', async () => {
    const company = await newCompany(server)
    const { authToken: old } = await company.owner.call(createAuthToken, { apiKey: company.apiKey, name: 'reporting' })
    const { page, clicks } = await begin(company)
    await view(page, 'Settings').click()
    await page.getByRole('link', { name: 'Auth tokens', exact: true }).click()
    await button(page, 'Rotate reporting').click()
    await button(page, 'Create new token').click()
    const rotated = await page.getByLabel('New auth token reporting', { exact: true }).inputValue()
    const withToken = (token: string) =>
      createClient(server.url, { ...company.client.headers, 'x-service-auth-token': token })
    const httpOf = async (token: string) => (await withToken(token).post(getOrganizations.path, {})).http
    assert.deepEqual([await httpOf(old.token), await httpOf(rotated)], [200, 200])
    await button(page, 'Revoke old token').click()
    await page.getByText('The old token was revoked.').waitFor()
    assert.deepEqual([await httpOf(old.token), await httpOf(rotated)], [401, 200])
    assert.ok((await clicks()) <= 5)
  })

  it('Why answers from two names', async () => {
    const company = await newCompany(server)
    const { page, clicks } = await begin(company)
    await view(page, 'Why').click()
    for (const [field, typed, found] of [
      ['User', 'stone', 'Bob Stone'],
      ['Organization, folder or document', 'road', 'Road map'],
    ] as const) {
      await page.getByRole('combobox', { name: field, exact: true }).fill(typed)
      await page.getByRole('option').filter({ hasText: found }).click()
    }
    await page.getByRole('region', { name: 'Decision' }).getByText('may edit').waitFor()
    assert.ok((await clicks()) <= 3)
  })

  it('a change is undone with one click', async () => {
    const company = await newCompany(server)
    const { page, clicks } = await begin(company)
    await view(page, 'Organizations').click()
    await page.getByRole('link', { name: 'Acme' }).click()
    await page.getByRole('textbox', { name: 'Find by name or id' }).fill('road')
    await page.getByRole('table').getByRole('link', { name: 'Road map' }).click()
    await heading(page, 'Road map')
    await page.getByLabel('Select cem').check()
    await button(page, 'Revoke grant').click()
    await says(page, '1 person loses access')
    await apply(page)
    await row(page, 'cem').waitFor({ state: 'detached' })
    const before = await clicks()
    await button(page, 'Undo').click()
    await page.getByText('The previous access is restored.').waitFor()
    assert.equal((await grantOf(company, 'cem', 'roadmap'))?.accessRole, 'viewer')
    assert.equal((await clicks()) - before, 1)
  })
})
