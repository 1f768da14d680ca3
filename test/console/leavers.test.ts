/** Users who must not get in, and users who leave, in the console: disabling, and removing all access. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/decisions.ts'
import { disableUsers, listDisabledUsers } from '#contract/disabled-users.ts'
import { violationsInBothSchemes } from './support/accessibility.ts'
import { address, type Company, newCompany, organizationId } from './support/company.ts'
import { openConsole } from './support/console.ts'

const { server, visit } = await openConsole()

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).first()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function openUser(company: Company, userId: string) {
  const opened = await visit(`keys/${company.apiKey}/${address('users/user', { userId })}`, { as: company })
  await opened.page.getByRole('heading', { level: 1 }).waitFor()
  return opened
}

async function reasonOf({ client }: Company, userId: string) {
  const resource = { type: 'document' as const, id: 'roadmap', organizationId }
  const { checks } = await client.call(checkPermissions, { checks: [{ userId, resource }] })
  return checks[0]?.reason
}

const disable = ({ client }: Company, ...userIds: string[]) => client.call(disableUsers, { userIds, disabled: true })

describe('disabling a user in the console', () => {
  it('denies everything after a confirmation, says so, and can be undone', async () => {
    const company = await newCompany(server)
    const { page, faults } = await openUser(company, 'bob')
    await part(page, 'State').getByText('enabled', { exact: true }).waitFor()
    await button(page, 'Disable…').click()
    await page.getByRole('dialog', { name: 'Disable user' }).getByText('Grants and groups are kept').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Disable').click()
    await part(page, 'State').getByText('denied everything in the data set of this key').waitFor()
    assert.equal(await reasonOf(company, 'bob'), 'user_disabled')
    await part(page, 'Access').getByText('The user is disabled').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Undo').click()
    await part(page, 'State').getByText('enabled', { exact: true }).waitFor()
    assert.equal(await reasonOf(company, 'bob'), 'grant')
    await disable(company, 'bob')
    await page.reload()
    await button(page, 'Enable').click()
    await part(page, 'State').getByText('enabled', { exact: true }).waitFor()
    assert.equal(await reasonOf(company, 'bob'), 'grant')
    assert.deepEqual(faults, [])
  })

  it('is shown in every list of users, which can be limited to disabled ones', async () => {
    const company = await newCompany(server)
    await disable(company, 'bob', 'zoe')
    const { page, faults } = await visit(`keys/${company.apiKey}/users`, { as: company })
    await row(page, 'Bob Stone').getByText('disabled', { exact: true }).waitFor()
    assert.equal(await row(page, 'Ada Lovelace').getByText('disabled', { exact: true }).count(), 0)
    await page.getByRole('checkbox', { name: 'Only disabled users' }).check()
    await row(page, 'zoe').getByText('disabled', { exact: true }).waitFor()
    await row(page, 'bob').waitFor()
    assert.equal(await row(page, 'Ada Lovelace').count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('combobox', { name: 'Organization' }).click()
    await page.getByRole('option', { name: 'Acme' }).click()
    await row(page, 'Bob Stone').getByText('disabled', { exact: true }).waitFor()
    await row(page, 'zoe').waitFor({ state: 'detached' })
    await page.reload()
    await row(page, 'Bob Stone').waitFor()
    assert.equal(await row(page, 'Ada Lovelace').count(), 0)
    await page.getByRole('checkbox', { name: 'Only disabled users' }).uncheck()
    await row(page, 'Ada Lovelace').waitFor()
    assert.deepEqual((await company.client.call(listDisabledUsers, {})).users.length, 2)
    assert.deepEqual(faults, [])
  })

  it('is explained by Why, with the way to the user', async () => {
    const company = await newCompany(server)
    await disable(company, 'bob')
    const question = { organizationId, type: 'document', id: 'roadmap', userId: 'bob' }
    const { page, faults } = await visit(`keys/${company.apiKey}/${address('why', question)}`, { as: company })
    await page.getByText('has no access to anything: the user is disabled.').waitFor()
    await page.getByRole('region', { name: 'What would change it' }).getByText('Enable user "bob".').waitFor()
    const path = page.getByRole('list', { name: 'From the organization' })
    await path.getByText('would give access').waitFor()
    await path.locator('> li').last().getByText('disabled', { exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Give access to this user' }).count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('link', { name: 'Go to the user to enable them' }).click()
    await button(page, 'Enable').waitFor()
    assert.deepEqual(faults, [])
  })
})
