/** Giving access in the console: the keyboard from the opened dialog to the applied change, and previews by effect, in names. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { setFolderAccess } from '#contract/resources/folders.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { apply, grantOf, openAccess, says } from '../support/access-page.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { address, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { act, button, heading, row } from '../support/steps.ts'

const { server, visit } = await openConsole()

const roadmap = { organizationId, type: 'document', id: 'roadmap' }

describe('giving access', () => {
  it('to somebody by a link opens with the role focused, and needs the keyboard alone until it is applied', async () => {
    const company = await newCompany(server)
    const link = `keys/${company.apiKey}/${address('access', { ...roadmap, give: 'ada' })}`
    const { page, faults } = await visit(link, { as: company })
    const dialog = page.getByRole('dialog', { name: 'Give access' })
    await dialog.getByRole('radio', { name: 'Viewer: can read' }).and(page.locator(':focus')).waitFor()
    await dialog.getByText('Ada Lovelace').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator(':focus').filter({ hasText: 'Give editor to' }).filter({ hasText: 'Road map' }).waitFor()
    await says(page, '1 person gains access as editor')
    for (let presses = 0; presses < 10; presses++) {
      await page.keyboard.press('Tab')
      if ((await page.locator(':focus').textContent()) === 'Apply') break
    }
    await page.keyboard.press('Enter')
    await row(page, 'Ada Lovelace').waitFor()
    assert.equal((await grantOf(company, 'ada', 'roadmap'))?.accessRole, 'editor')
    assert.deepEqual(faults, [])
  })

  it('without anybody opens with the field for people focused, and shows the chosen ones by name', async () => {
    const company = await newCompany(server)
    const { page } = await openAccess(visit, company, 'document', 'roadmap', 'Road map')
    await button(page, 'Give access').click()
    const field = page.getByRole('combobox', { name: 'Users' })
    await field.and(page.locator(':focus')).waitFor()
    await field.fill('lovelace')
    await page.getByRole('option').filter({ hasText: 'Ada Lovelace' }).click()
    await field.fill('stone')
    await page.getByRole('option').filter({ hasText: 'Bob Stone' }).click()
    await page.getByRole('dialog').getByText('Ada Lovelace', { exact: true }).waitFor()
  })
})

describe('a person or a group', () => {
  it('is given access from the page and the row, after choosing the resource', async () => {
    const company = await newCompany(server)
    const group = { groupId: 'design', groupName: 'Designers' }
    await company.client.call(addUserGroups, { organizationId, organizationUserGroups: [group] })
    const key = `keys/${company.apiKey}`
    const { page, faults } = await visit(`${key}/${address('users/user', { userId: 'ada' })}`, { as: company })
    const choose = async (whom: string) => {
      await page
        .getByRole('dialog', { name: `Give access to ${whom}` })
        .getByRole('combobox')
        .fill('road')
      const found = page.getByRole('option').filter({ hasText: 'Road map' })
      await found.waitFor()
      assert.deepEqual(await violationsInBothSchemes(page), [])
      await found.click()
      await heading(page, 'Road map')
      await page.getByRole('dialog', { name: 'Give access' }).getByText(whom).first().waitFor()
    }
    await button(page, 'Give access').click()
    await choose('Ada Lovelace')
    await page.goto(`${server.url}/console/${key}/${address('users', { organizationId })}`)
    await button(page, 'Actions for Bob Stone').click()
    await page.getByRole('menuitem', { name: 'Give access…' }).click()
    await choose('Bob Stone')
    await page.goto(`${server.url}/console/${key}/${address('groups', { organizationId, groupId: 'design' })}`)
    await button(page, 'Give access').click()
    await choose('Designers')
    await page.goBack()
    await button(page, 'Actions for Designers').click()
    await page.getByRole('menuitem', { name: 'Give access…' }).click()
    await choose('Designers')
    assert.deepEqual(faults, [])
  })
})

describe('the preview', () => {
  it('groups people by effect, losses first, and opens each group to names', async () => {
    const company = await newCompany(server)
    const ids = Array.from({ length: 12 }, (_, nth) => `guest-${nth}`)
    await company.grant(
      ...ids.map((userId) => ({ userId, type: 'folder' as const, id: 'plans', accessRole: 'viewer' as const })),
    )
    const { page, faults } = await openAccess(visit, company, 'folder', 'plans', 'Plans')
    await button(page, 'Change access type').click()
    await page.getByRole('radio', { name: 'Organization private' }).check()
    await button(page, 'Preview').click()
    await says(page, '1 person gains access as viewer')
    await button(page, 'Cancel').click()
    await page.getByLabel('Search by id, name or e-mail address').fill('guest')
    await row(page, 'Bob Stone').waitFor({ state: 'detached' })
    await page.getByLabel('Select all 12 ').check()
    await button(page, 'Revoke 12 grants').click()
    await page.locator(':focus').filter({ hasText: 'guest-1' }).filter({ hasText: 'and 9 more' }).waitFor()
    const lost = page.getByRole('dialog').locator('details').first()
    await lost.getByText('12 people lose access').waitFor()
    await lost.getByText('on 1 folder and 1 document').waitFor()
    const names = page.getByRole('list', { name: '12 people lose access' })
    assert.equal(await names.count(), 0)
    await lost.locator('summary').click()
    await names.getByText('guest-11').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await apply(page)
    await heading(page, 'Plans')
    assert.deepEqual(faults, [])
  })

  it('of a change that affects too many people gives their minimum number', async () => {
    const company = await newCompany(server)
    const documents = Array.from({ length: 1_000 }, (_, nth) => ({ documentId: `d${nth}` }))
    await company.documents('plans', ...documents)
    const ids = Array.from({ length: 101 }, (_, nth) => `guest-${nth}`)
    await company.grant(
      ...ids.map((userId) => ({ userId, type: 'folder' as const, id: 'plans', accessRole: 'viewer' as const })),
    )
    const { page, faults } = await openAccess(visit, company, 'folder', 'plans', 'Plans')
    await page.getByLabel('Search by id, name or e-mail address').fill('guest')
    await row(page, 'Bob Stone').waitFor({ state: 'detached' })
    await page.getByLabel('Select all 101 ').check()
    await button(page, 'Revoke 101 grants').click()
    await says(page, 'At least 101 people lose access')
    await page.getByRole('dialog').locator('details').locator('summary').click()
    await page.getByText('and 1 more', { exact: true }).waitFor()
    await page.getByText('There is too much inside to compare.').waitFor()
    assert.deepEqual(faults, [])
  })

  it('names people who keep the same access, and through which group', async () => {
    const company = await newCompany(server)
    const { client } = company
    const organizationUserGroups = [{ groupId: 'sales', groupName: 'Sales' }]
    await client.call(addUserGroups, { organizationId, organizationUserGroups })
    await client.call(addUserGroupUsers, { organizationId, organizationUserGroupId: 'sales', userIds: ['ada'] })
    await client.call(setFolderAccess, { organizationId, folderIds: ['plans'], accessType: 'restricted' })
    await company.grant(
      { groupId: 'sales', type: 'document', id: 'roadmap', accessRole: 'editor' },
      { userId: 'ada', type: 'document', id: 'roadmap', accessRole: 'viewer' },
    )
    const { page, faults } = await openAccess(visit, company, 'document', 'roadmap', 'Road map')
    await act(page, 'Ada Lovelace', 'Revoke grant')
    await says(page, 'Nobody gains or loses anything.')
    const kept = page.getByRole('dialog').locator('details').filter({ hasText: '1 person keeps editor' })
    await kept.getByText('through Sales').waitFor()
    await page.getByRole('list', { name: '1 person keeps editor' }).getByText('Ada Lovelace').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })
})
