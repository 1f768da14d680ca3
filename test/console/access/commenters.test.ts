/** The role `commenter` in the console: offered only where the API key has it (rules/access.md#commenters). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import { apply, chooseUsers, grantOf, openAccess, says } from '../support/access-page.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { button, row } from '../support/steps.ts'

const { server, visit } = await openConsole()

async function companyWithCommenters() {
  const company = await newCompany(server)
  await company.client.call(updateKeyConfig, { accessRoles: ['viewer', 'commenter', 'editor'] })
  return company
}

describe('giving access', () => {
  it('offers the two roles of other keys', async () => {
    const company = await newCompany(server)
    const { page } = await openAccess(visit, company, 'document', 'roadmap', 'Road map')
    await button(page, 'Give access').click()
    const dialog = page.getByRole('dialog', { name: 'Give access' })
    await dialog.getByRole('radio', { name: 'Editor: can read and write' }).waitFor()
    assert.equal(await dialog.getByRole('radio', { name: 'Commenter' }).count(), 0)
    assert.equal(await page.getByText('Commenters', { exact: true }).count(), 0)
  })

  it('offers, previews, gives and filters commenters if the key has the role', async () => {
    const company = await companyWithCommenters()
    const { page, faults } = await openAccess(visit, company, 'document', 'roadmap', 'Road map')
    await button(page, 'Give access').click()
    await chooseUsers(page, 'ada')
    await page.getByRole('radio', { name: 'Commenter: can read and comment' }).check()
    await button(page, 'Preview').click()
    await says(page, '1 person gains access as commenter')
    await apply(page)
    await row(page, 'Ada Lovelace').getByText('commenter', { exact: true }).waitFor()
    assert.equal((await grantOf(company, 'ada', 'roadmap'))?.accessRole, 'commenter')
    await page.getByText('Commenters', { exact: true }).click()
    await row(page, 'cem').waitFor({ state: 'detached' })
    await row(page, 'Ada Lovelace').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })
})

describe('the settings of the key', () => {
  it('switch the role on, and say why it cannot be switched off while grants have it', async () => {
    const company = await newCompany(server)
    const { page, faults } = await visit(`keys/${company.apiKey}/settings`, { as: company })
    const form = page.getByRole('form', { name: 'Access' })
    await form.waitFor()
    assert.equal(await form.getByRole('radio', { name: 'Commenter' }).count(), 0)
    await form.getByRole('switch', { name: 'Commenters' }).check()
    await form.getByRole('radio', { name: 'Commenter' }).waitFor()
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The settings were saved.', { exact: false }).first().waitFor()
    const roles = async () => (await company.client.call(getKeyConfig, {})).accessRoles
    assert.deepEqual(await roles(), ['viewer', 'commenter', 'editor'])
    await company.grant({ userId: 'ada', type: 'organization', id: organizationId, accessRole: 'commenter' })
    await form.getByRole('switch', { name: 'Commenters' }).uncheck()
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('while it is in use: by 1 grant.', { exact: false }).waitFor()
    assert.deepEqual(await roles(), ['viewer', 'commenter', 'editor'])
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })
})
