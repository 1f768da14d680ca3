/** User groups on the access page: giving them access, showing who has access by them, and revoking it. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { apply, openAccess, says } from '../support/access-page.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { type Company, LATER, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { act, button, row } from '../support/steps.ts'

const { server, visit } = await openConsole()

/** A company with the group `design`, which has the members Ada and Bob and no grants. */
async function newCompanyWithGroup(): Promise<Company> {
  const company = await newCompany(server)
  const { client } = company
  const group = { groupId: 'design', groupName: 'Designers' }
  await client.call(addUserGroups, { organizationId, organizationUserGroups: [group] })
  const members = { organizationId, organizationUserGroupId: 'design', userIds: ['ada', 'bob'] }
  await client.call(addUserGroupUsers, members)
  return company
}

const openRoadmap = (company: Company) => openAccess(visit, company, 'document', 'roadmap', 'Road map')

const ofGroup = async (company: Company) => (await company.grants()).filter(({ groupId }) => groupId === 'design')

describe('a user group on the access page', () => {
  it('is given access after a preview, which its users have by the group until it is revoked', async () => {
    const company = await newCompanyWithGroup()
    const { page, faults } = await openRoadmap(company)
    await button(page, 'Give access').click()
    const field = page.getByRole('dialog').getByRole('combobox', { name: 'User groups' })
    await field.fill('designers')
    await page.getByRole('option').filter({ hasText: 'Designers' }).click()
    await field.press('Escape')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Preview').click()
    await says(page, '1 person gains access as viewer')
    await says(page, '1 person becomes viewer')
    assert.deepEqual(await ofGroup(company), [])
    await apply(page)
    const ada = page.getByRole('table', { name: 'Who has access' }).getByRole('row').filter({ hasText: 'Ada Lovelace' })
    await ada.getByText('by group').waitFor()
    await ada.getByRole('link', { name: 'Designers' }).waitFor()
    const groups = page.getByRole('region', { name: 'Groups', exact: true })
    await groups.getByRole('row').filter({ hasText: 'Designers' }).getByText('viewer').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(await ofGroup(company), [
      { groupId: 'design', type: 'document', id: 'roadmap', accessRole: 'viewer' },
    ])

    await button(page, 'Actions for Ada Lovelace').click()
    await page.getByText('Has access by group Designers').waitFor()
    await page.getByRole('menuitem', { name: 'View group' }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: 'Revoke grant' }).count(), 0)
    assert.equal(await page.getByRole('menuitem', { name: 'Change role' }).count(), 0)
    await page.keyboard.press('Escape')
    await page.getByLabel('Select Ada Lovelace').check()
    await page.getByText('1 selected user without a grant here').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Revoke/ }).count(), 0)

    await act(page, 'group Designers', 'Revoke grant')
    await says(page, '1 person loses access')
    await says(page, '1 person becomes editor')
    await apply(page)
    await ada.waitFor({ state: 'detached' })
    await groups.waitFor({ state: 'detached' })
    assert.deepEqual(await ofGroup(company), [])
    await button(page, 'Undo').click()
    await groups.getByRole('link', { name: 'Designers' }).click()
    await page.getByRole('heading', { level: 2, name: 'Designers' }).waitFor()
    assert.equal((await ofGroup(company)).length, 1)
    assert.deepEqual(faults, [])
  })

  it('gets a role for some time beside the standing one, and is listed with its expired grant', async () => {
    const company = await newCompanyWithGroup()
    const expiresAt = Math.floor(Date.now() / 1_000) - 86_400
    await company.grant(
      { groupId: 'design', type: 'document', id: 'roadmap', accessRole: 'viewer' },
      { groupId: 'design', type: 'folder', id: 'plans', accessRole: 'viewer', expiresAt },
    )
    const { page, faults } = await openRoadmap(company)
    const expired = page.getByRole('region', { name: 'Expired grants' })
    await expired.getByRole('row').filter({ hasText: 'Designers' }).getByRole('link', { name: 'Plans' }).waitFor()
    await act(page, 'group Designers', 'Give a role temporarily')
    await page.getByRole('dialog').getByText('Designers').waitFor()
    await page.getByRole('dialog').getByLabel('Expires').selectOption('In 7 days')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Preview').click()
    await says(page, '2 people become editors')
    await company.grant({ groupId: 'design', type: 'document', id: 'roadmap', accessRole: 'viewer', expiresAt: LATER })
    await button(page, 'Apply').click()
    await page.getByRole('alert').getByText('User group').waitFor()
    await apply(page)
    assert.deepEqual(
      (await ofGroup(company)).flatMap(({ id, accessRole }) => (id === 'roadmap' ? [accessRole] : [])),
      ['viewer', 'editor'],
    )
    await row(page, 'Bob Stone').getByText('by group').waitFor()
    assert.deepEqual(faults, [])
  })
})
