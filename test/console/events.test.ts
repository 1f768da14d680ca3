/** Events in the console: live updates, filters, and details with the values before and after. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { deleteDocuments } from '#contract/documents.ts'
import { addOrganizations, updateOrganizations } from '#contract/organizations.ts'
import { addUserGroups } from '#contract/user-groups.ts'
import { violationsInBothSchemes } from './support/accessibility.ts'
import { newCompany, organizationId } from './support/company.ts'
import { openConsole } from './support/console.ts'
import { newWorkspace, type Somebody } from './support/sign-in.ts'

const { server, visit } = await openConsole()

async function openEvents(somebody: Somebody, search = '') {
  const opened = await visit(`keys/${somebody.apiKey}/events${search}`, {
    as: somebody,
  })
  await opened.page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  return opened
}

const add = ({ client }: Somebody, ...ids: string[]) =>
  client.call(addOrganizations, { organizations: ids.map((organizationId) => ({ organizationId })) })

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

describe('events in the console', () => {
  it('appear live, each once, and none is lost while paused', async () => {
    const somebody = await newWorkspace(server.url)
    await add(somebody, 'before')
    const { page, faults } = await openEvents(somebody)
    await row(page, 'before').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await add(somebody, 'meanwhile')
    await row(page, 'meanwhile').waitFor()
    await button(page, 'Pause').click()
    await page.getByText('Paused.').waitFor()
    await add(somebody, 'paused')
    await page.waitForTimeout(3_000)
    assert.equal(await row(page, 'paused').count(), 0)
    await button(page, 'Resume').click()
    await row(page, 'paused').waitFor()
    for (const id of ['before', 'meanwhile', 'paused']) assert.equal(await row(page, id).count(), 1)
    assert.deepEqual(faults, [])
  })

  it('show values before and after, whatever characters they contain', async () => {
    const somebody = await newWorkspace(server.url)
    const hostile = `"><img src=x onerror="alert(1)">\u202e`
    await add(somebody, hostile)
    await somebody.client.call(updateOrganizations, {
      organizations: [{ organizationId: hostile, organizationName: '<script>alert(1)</script>' }],
    })
    const { page, faults } = await openEvents(somebody)
    await page.getByRole('button', { name: 'organization.updated' }).click()
    const dialog = page.getByRole('dialog', { name: 'organization.updated' })
    await dialog.getByText('The name or metadata of an organization were changed.').waitFor()
    await dialog
      .getByRole('row')
      .filter({ hasText: 'organizationName' })
      .getByText('<script>alert(1)</script>')
      .waitFor()
    await dialog.getByText(hostile).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog.getByRole('link', { name: 'All events of this organization' }).click()
    await page.waitForURL(/organizationId=/)
    await row(page, 'organization.added').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('organizationId'), hostile)
    assert.equal(await page.locator('img[src=x]').count(), 0)
    assert.deepEqual(faults, [])
  })

  it('are filtered by type, organization and time, with a URL that can be shared', async () => {
    const somebody = await newWorkspace(server.url)
    await add(somebody, 'acme', 'other')
    await somebody.client.call(updateOrganizations, {
      organizations: [{ organizationId: 'acme', organizationName: 'Acme' }],
    })
    const { page, faults } = await openEvents(somebody)
    await button(page, 'Filter').click()
    await page.getByRole('combobox', { name: 'Types' }).fill('organization.added')
    await page.getByRole('option', { name: 'organization.added' }).click()
    await page.getByRole('combobox', { name: 'Organization', exact: true }).fill('acme')
    await button(page, 'Apply').click()
    await row(page, 'other').waitFor({ state: 'detached' })
    await row(page, 'acme').waitFor()
    assert.equal(await row(page, 'organization.').count(), 1)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const { search } = new URL(page.url())
    const colleague = await openEvents(somebody, search)
    await row(colleague.page, 'acme').waitFor()
    assert.equal(await row(colleague.page, 'organization.').count(), 1)

    await page.getByLabel('Before').fill('2020-01-01T00:00')
    await button(page, 'Apply').click()
    await page.getByText('No matching events').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Show all events').click()
    await row(page, 'organization.updated').waitFor()
    await page.getByLabel('Resource', { exact: true }).selectOption('document')
    await button(page, 'Apply').click()
    await page.getByText('Enter the id of the document.').waitFor()
    assert.deepEqual(faults, [])
  })

  it('link to their subjects, if those still exist', async () => {
    const company = await newCompany(server)
    const { client } = company
    const group = { organizationId, organizationUserGroups: [{ groupId: 'design', groupName: 'Design' }] }
    await client.call(addUserGroups, group)
    await client.call(deleteDocuments, { organizationId, documentIds: ['roadmap'] })
    const { page, faults } = await openEvents(company)
    const links = page.getByRole('dialog').getByRole('navigation', { name: 'Related' })
    const show = async (type: string, text: string, ...leadsTo: string[]) => {
      await row(page, type).filter({ hasText: text }).getByRole('button', { name: type }).first().click()
      await links.waitFor()
      assert.deepEqual(await links.getByRole('link').allInnerTexts(), leadsTo)
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await links.waitFor({ state: 'detached' })
    }
    const ORGANIZATION = 'Contents of the organization'
    const others = (type: string) => [`All events of this ${type}`, 'All events of this organization']
    await show('document.deleted', 'roadmap', ORGANIZATION, ...others('document'))
    await show('user_group.added', 'design', 'View user group', ORGANIZATION, 'All events of this organization')
    await show('folder.added', 'plans', 'Who has access to the folder', ORGANIZATION, ...others('folder'))
    const toOrganization = ['Who has access to the organization', ORGANIZATION, 'All events of this organization']
    await show('organization.added', 'acme', ...toOrganization)
    const user = ['Who has access to the folder', 'View user', ORGANIZATION, 'All events of this folder']
    const userEvents = ['All events of this user', 'All events of this organization']
    await show('permission.added', 'plans', 'Why the user has or does not have access', ...user, ...userEvents)
    await row(page, 'permission.added').filter({ hasText: 'plans' }).getByRole('button').first().click()
    await links.getByRole('link', { name: 'Why the user has or does not have access' }).click()
    await page.getByText('User "bob" may edit folder "plans"').waitFor()
    assert.deepEqual(faults, [])
  })
})
