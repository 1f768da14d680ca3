/** User groups in the console: adding, renaming, deleting, and members. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addGrants } from '#contract/access/grants.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups, addUserGroupUsers, getUserGroups } from '#contract/users/user-groups.ts'
import { addUsers, getUsers } from '#contract/users/users.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace, type Somebody } from '../support/sign-in.ts'
import { act } from '../support/steps.ts'

const { server, visit } = await openConsole()

const organizationId = 'acme'

/** Opens the view with the groups `groupIds`. */
async function openGroups(groupIds: readonly string[] = []) {
  const somebody = await newWorkspace(server.url)
  const { client } = somebody
  await client.call(addOrganizations, { organizations: [{ organizationId, organizationName: 'Acme' }] })
  await client.call(addUsers, { organizationId, users: [{ userId: 'ada', name: 'Ada Lovelace' }, { userId: 'bob' }] })
  const organizationUserGroups = groupIds.map((groupId) => ({ groupId }))
  if (groupIds.length > 0) await client.call(addUserGroups, { organizationId, organizationUserGroups })
  const opened = await visit(`keys/${somebody.apiKey}/groups`, { as: somebody })
  await opened.page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor()
  return { ...opened, somebody }
}

const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true })
const row = (page: Page, text: string) => table(page, 'Groups').getByRole('row').filter({ hasText: text })
const member = (page: Page, text: string) =>
  table(page, 'Members of the group').getByRole('row').filter({ hasText: text })

const stored = ({ client }: Somebody) => client.call(getUserGroups, { organizationId })

async function membersOf({ client }: Somebody, groupId: string): Promise<string[]> {
  const found = await client.call(getUsers, { organizationId, organizationUserGroupIds: [groupId] })
  return (found as { userId: string }[]).map(({ userId }) => userId)
}

describe('user groups in the console', () => {
  it('explain the empty state, and are added, renamed and deleted', async () => {
    const { page, somebody, faults } = await openGroups()
    await page.getByText('No groups in this organization yet').waitFor()
    assert.equal(await page.getByText('Select a group').count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Add group' }).first().click()
    const add = page.getByRole('dialog', { name: 'Add group' })
    await add.getByLabel('Id').fill('design')
    await add.getByLabel('Name').fill('Design')
    await add.getByRole('button', { name: 'Add' }).click()
    await row(page, 'Design').waitFor()
    await act(page, 'Design', 'Rename')
    await page.getByRole('dialog').getByLabel('Name').fill('Product design')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await row(page, 'Product design').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'Product design').waitFor({ state: 'detached' })
    assert.deepEqual(await stored(somebody), [{ groupId: 'design', groupName: 'Design' }])
    await act(page, 'Design', 'Delete')
    const remove = page.getByRole('dialog', { name: 'Delete group' })
    await remove.getByText('The group has no grants.').waitFor()
    await remove.getByRole('textbox').fill('Design')
    await remove.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No groups in this organization yet').waitFor()
    assert.deepEqual(await stored(somebody), [])
    assert.deepEqual(faults, [])
  })

  it('keep the role of an expired grant, struck through', async () => {
    const { page, somebody } = await openGroups(['design'])
    const expiresAt = Math.floor(Date.now() / 1_000) + 2
    const grant = {
      groupId: 'design',
      type: 'organization',
      id: organizationId,
      accessRole: 'viewer',
      expiresAt,
    } as const
    await somebody.client.call(addGrants, { grants: [grant] })
    await row(page, 'design').getByRole('link', { name: 'design' }).click()
    const granted = table(page, 'Grants of the group').getByRole('row').filter({ hasText: 'Acme' })
    await granted.getByText('expired').filter({ visible: true }).waitFor()
    const sizeOf = (name: string) =>
      page
        .getByRole('button', { name })
        .first()
        .evaluate((of) => of.ownerDocument.defaultView?.getComputedStyle(of).fontSize)
    assert.equal(await sizeOf('Add members'), await sizeOf('Add group'))
    assert.match(await granted.innerText(), /viewer/)
    assert.doesNotMatch(await granted.innerText(), /none/)
  })

  it('get members, lose them, and get them back', async () => {
    const { page, somebody, faults } = await openGroups(['design'])
    await row(page, 'design').getByRole('link').click()
    await page.getByText('No members yet').waitFor()
    await page.getByRole('button', { name: 'Add members' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add members to design' })
    await dialog.getByRole('combobox').fill('ada')
    await page.getByRole('option', { name: 'ada' }).click()
    await page.keyboard.press('Tab') // closes the list
    await page.getByRole('option').first().waitFor({ state: 'hidden' })
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog.getByRole('button', { name: 'Add 1' }).click()
    await member(page, 'Ada').waitFor()
    await row(page, 'design').getByRole('cell', { name: '1', exact: true }).waitFor()
    assert.deepEqual(await membersOf(somebody, 'design'), ['ada'])
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('checkbox', { name: 'Select Ada Lovelace', exact: true }).check()
    await page.getByRole('button', { name: 'Remove 1 user' }).click()
    await page.getByText('No members yet').waitFor()
    assert.deepEqual(await membersOf(somebody, 'design'), [])
    const removed = page.getByRole('status').filter({ hasText: '1 user removed' })
    await removed.getByRole('button', { name: 'Undo' }).click()
    await member(page, 'Ada').waitFor()
    assert.deepEqual(await membersOf(somebody, 'design'), ['ada'])
    assert.deepEqual(faults, [])
  })

  it('offer members despite a typo, and mark people who are in the group already', async () => {
    const { page, somebody, faults } = await openGroups(['design'])
    await row(page, 'design').getByRole('link').click()
    await page.getByText('No members yet').waitFor()
    await page.getByRole('button', { name: 'Add members' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add members to design' })
    await dialog.getByRole('combobox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('lovelaec', { delay: 30 })
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Add 1' }).click()
    await member(page, 'Ada').waitFor()
    assert.deepEqual(await membersOf(somebody, 'design'), ['ada'])
    await page.getByRole('button', { name: 'Add members' }).first().click()
    await dialog.getByRole('combobox').fill('ada')
    await dialog.getByText('Already in the group: Ada Lovelace').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog.getByRole('combobox').fill('bob')
    await page.getByRole('option', { name: 'bob' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('replace the list on a phone when they are open', async () => {
    const { page, somebody, faults } = await openGroups(['design', 'sales'])
    const added = { organizationId, organizationUserGroupId: 'design', userIds: ['ada'] }
    await somebody.client.call(addUserGroupUsers, added)
    await page.setViewportSize({ width: 390, height: 844 })
    await row(page, 'design').getByRole('link').click()
    await page.getByRole('heading', { level: 2, name: 'design' }).waitFor()
    await table(page, 'Groups').waitFor({ state: 'hidden' })
    const { y } = (await page.getByRole('heading', { level: 2, name: 'design' }).boundingBox()) ?? assert.fail()
    assert.ok(y < 500, `the group begins at ${y} px`)
    await member(page, 'Ada Lovelace').getByText('editor').filter({ visible: true }).waitFor()
    const id = table(page, 'Members of the group').getByRole('columnheader', { name: 'Id' })
    assert.equal(await id.filter({ visible: true }).count(), 0, 'no room for ids')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('link', { name: 'All groups' }).click()
    await row(page, 'sales').waitFor()
    assert.deepEqual(faults, [])
  })

  it('show their grants, and who loses access when they are deleted', async () => {
    const { page, somebody, faults } = await openGroups(['design'])
    const { client } = somebody
    await client.call(addUserGroupUsers, { organizationId, organizationUserGroupId: 'design', userIds: ['ada'] })
    await client.call(addFolders, { organizationId, folders: [{ folderId: 'plans', accessType: 'restricted' }] })
    await client.call(addPermissions, {
      group: { organizationId, groupId: 'design' },
      permissions: { resources: [{ type: 'folder', id: 'plans', organizationId, accessRole: 'viewer' }] },
    })
    await row(page, 'design').getByRole('link').click()
    const grant = table(page, 'Grants of the group').getByRole('row').filter({ hasText: 'plans' })
    await grant.getByText('viewer').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await act(page, 'design', 'Delete')
    const remove = page.getByRole('dialog', { name: 'Delete group' })
    await remove.getByText('1 grant of the group will be revoked. 1 person loses access.').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await remove.getByRole('button', { name: 'Cancel' }).click()
    await grant.getByRole('link', { name: 'plans' }).click()
    await page.getByRole('region', { name: 'Groups', exact: true }).waitFor()
    await page.getByRole('table', { name: 'Who has access' }).getByText('by group').waitFor()
    assert.deepEqual(faults, [])
  })

  it('are shown with their ids verbatim', async () => {
    const ids = ['<img src=x onerror=alert(1)>', '"quoted\' `id`', 'abc\u202edcba', '..', 'x'.repeat(256), '7']
    const { page, faults } = await openGroups(ids)
    await row(page, 'onerror').waitFor()
    const shown = await page.locator('tbody td:nth-child(2) bdi[title]').allTextContents()
    assert.deepEqual(shown.toSorted(), ids.toSorted())
    for (const id of ids) {
      await table(page, 'Groups').getByRole('link', { name: id, exact: true }).click()
      await page.getByRole('heading', { level: 2, name: id }).waitFor()
    }
    assert.equal(await page.locator('main img').count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })
})
