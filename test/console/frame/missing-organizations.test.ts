/** Views of one organization say when there is none with the id of the address, or none at all, and what to do about it. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { it } from 'vitest'
import { deleteOrganizations } from '#contract/resources/organizations.ts'
import { address, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'

const { server, visit } = await openConsole()

const main = (page: Page) => page.getByRole('main')
const addGroup = (page: Page) => page.getByRole('button', { name: 'Add group' })

it('groups, an access review and a matrix of an organization that is deleted meanwhile say so', async () => {
  const company = await newCompany(server)
  const open = async (view: string, search: Record<string, string>) =>
    (await visit(`keys/${company.apiKey}/${address(view, search)}`, { as: company })).page
  const groups = await open('groups', { organizationId })
  await addGroup(groups).first().waitFor()
  const matrix = await open('matrix', { organizationId })
  await matrix.getByRole('heading', { name: 'Matrix of Acme' }).waitFor()
  await company.client.call(deleteOrganizations, { organizationIds: [organizationId] })
  await main(groups).getByText('Select another organization.').waitFor()
  assert.equal(await addGroup(groups).count(), 1)
  await addGroup(groups).and(groups.locator(':disabled')).waitFor()
  await main(matrix).getByText('No organization has this id.').waitFor()
  const review = await open('access-review', { organizationId })
  await main(review).getByText('Select another organization.').waitFor()
})

it('a page of something that is missing leads to the list in which it would be', async () => {
  const company = await newCompany(server)
  const { page } = await visit('', { as: company })
  const missing = { organizationId, documentId: 'roadmap', annotationId: 'none' }
  for (const [view, link, title] of [
    ['users/user', 'Users', 'Users'],
    [address('threads/thread', missing), 'Threads of the document', 'Threads'],
    ['webhooks/none', 'Webhooks', 'Webhooks'],
    [address('matrix', { organizationId: 'none' }), 'Go to organizations', 'Organizations'],
    [address('organizations/resources', { organizationId: 'none' }), 'Go to organizations', 'Organizations'],
    [address('organizations/resources', { organizationId, folderId: 'none' }), 'Go to Acme', 'Acme'],
    ['inside', 'Go to organizations', 'Organizations'],
  ] as const) {
    await page.goto(`${server.url}/console/keys/${company.apiKey}/${view}`)
    await main(page).getByRole('heading', { name: 'Not found' }).waitFor()
    await main(page).getByRole('link', { name: link, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  }
})

it('an access review and a matrix without an organization say how to select one', async () => {
  const company = await newCompany(server)
  const { page } = await visit(`keys/${company.apiKey}/access-review`, { as: company })
  await main(page).getByText('Select an organization above to review its grants.').waitFor()
  await page.goto(`${server.url}/console/keys/${company.apiKey}/matrix`)
  await main(page).getByText('No organization selected').waitFor()
  await main(page).getByRole('link', { name: 'Go to organizations' }).click()
  await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor()
})

it('a key without organizations leads to where one is added, from every view that needs one', async () => {
  const somebody = await newWorkspace(server.url)
  for (const view of ['groups', 'invitations', 'threads', 'migrations', 'access-review']) {
    const { page } = await visit(`keys/${somebody.apiKey}/${view}`, { as: somebody })
    await main(page).getByText('No organizations yet').waitFor()
    assert.equal(await main(page).getByRole('link', { name: 'Go to organizations' }).count(), 1, view)
  }
})
