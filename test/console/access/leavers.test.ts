/** The console disables users, and removes all access of users who leave. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers, listDisabledUsers } from '#contract/users/disabled-users.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { generateToken, verifyToken } from '#contract/users/user-tokens.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { address, type Company, HOSTILE_IDS, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { misplaced } from '../support/layout.ts'
import { button, row } from '../support/steps.ts'

const { server, visit } = await openConsole()

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).first()

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
  it('denies everything after a confirmation, shows that, and can be undone', async () => {
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
    // Their profiles are not loaded, so that nobody edits an empty one.
    assert.equal(await page.getByRole('button', { name: /^Actions for/ }).count(), 0)
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
    await page.getByRole('region', { name: 'What would change it' }).getByText('Enable user Bob Stone.').waitFor()
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

/** Bob is in a group of Acme, and has grants in two organizations. */
async function withLeaver(): Promise<Company> {
  const company = await newCompany(server)
  const { client } = company
  const organizationUserGroups = [{ groupId: 'design', groupName: 'Designers' }]
  await client.call(addUserGroups, { organizationId, organizationUserGroups })
  await client.call(addUserGroupUsers, { organizationId, organizationUserGroupId: 'design', userIds: ['bob'] })
  await client.call(addOrganizations, { organizations: [{ organizationId: 'other' }] })
  await company.grant({ userId: 'bob', type: 'organization', id: 'other', accessRole: 'editor' })
  const folders = [{ folderId: 'open', parentFolderId: 'root', accessType: 'public' as const }]
  await client.call(addFolders, { organizationId: 'other', folders })
  return company
}

async function confirm(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Remove all access of the user' })
  await dialog.getByRole('textbox').fill(name)
  await dialog.getByRole('button', { name: 'Remove all access' }).click()
}

describe('removing a leaver in the console', () => {
  it('shows what will be removed and what is public, removes it everywhere, and shows that nothing is left', async () => {
    const company = await withLeaver()
    const { client } = company
    const { token } = await client.call(generateToken, { userId: 'bob' })
    const { page, faults } = await openUser(company, 'bob')
    const leaving = part(page, 'Leaving')
    await button(page, 'Remove all access…').click()
    const dialog = page.getByRole('dialog', { name: 'Remove all access of the user' })
    await dialog.getByText('3 grants (1 temporary) and 1 group membership in 2 organizations.').waitFor()
    await dialog
      .getByRole('listitem')
      .filter({ hasText: /folder Plans\s+plans\s+in Acme/ })
      .getByText('editor')
      .waitFor()
    await dialog.getByRole('listitem').filter({ hasText: 'organization other' }).getByText('editor').waitFor()
    await dialog
      .getByRole('listitem')
      .filter({ hasText: /group Designers\s+design\s+in Acme/ })
      .waitFor()
    await dialog.getByText('Public by the default of the API key: everyone has access, as editor').waitFor()
    await dialog.getByText('to public folders or documents in 1 organization').waitFor()
    await dialog.getByText('A disabled user has no access to public resources either.').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog.getByRole('checkbox', { name: 'Also disable the user' }).uncheck()
    await dialog.getByText('The user keeps access to public resources').waitFor()
    await confirm(page, 'Bob')
    await dialog.getByText('This does not match the name.').waitFor()
    assert.equal(await reasonOf(company, 'bob'), 'grant')
    await confirm(page, 'Bob Stone')
    await leaving.getByText('Nothing is left').waitFor()
    await leaving.getByText('Removed 3 grants and 1 group membership. All user tokens were revoked.').waitFor()
    await leaving.getByText('Nothing would be removed').waitFor()
    await leaving.getByText('The user keeps access to public resources').waitFor()
    await page.getByText('This user has no grants or groups in any organization.', { exact: false }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.equal(await reasonOf(company, 'bob'), 'no_grant')
    assert.equal((await client.call(verifyToken, { token })).reason, 'revoked')
    assert.deepEqual((await client.call(listDisabledUsers, {})).users, [])
    assert.deepEqual(faults, [])
  })

  it('disables the user in the same call', async () => {
    const company = await withLeaver()
    const { page, faults } = await openUser(company, 'bob')
    await button(page, 'Remove all access…').click()
    await confirm(page, 'Bob Stone')
    await part(page, 'Leaving').getByText('A disabled user has no access to public resources either.').waitFor()
    await part(page, 'State').getByText('denied everything in the data set of this key').waitFor()
    assert.equal(await reasonOf(company, 'bob'), 'user_disabled')
    assert.deepEqual(faults, [])
  })

  it('shows hostile ids verbatim, in their place on a phone', async () => {
    const company = await withLeaver()
    const userId = 'leaver'
    const folders = HOSTILE_IDS.map((id) => ({ userId, type: 'folder' as const, id, accessRole: 'viewer' as const }))
    await company.grant(...folders)
    const { page, faults } = await openUser(company, userId)
    await page.setViewportSize({ width: 390, height: 844 })
    await button(page, 'Remove all access…').click()
    const dialog = page.getByRole('dialog', { name: 'Remove all access of the user' })
    for (const id of HOSTILE_IDS) await dialog.getByText(id, { exact: true }).waitFor()
    assert.deepEqual(await misplaced(page), [])
    const cue = dialog.locator('[data-cue]')
    assert.equal(await cue.getAttribute('data-cue'), 'below', 'it continues below')
    await dialog.getByRole('button', { name: 'Remove all access' }).scrollIntoViewIfNeeded()
    await cue.waitFor({ state: 'detached' })
    assert.deepEqual(faults, [])
  })
})
