/** Organizations in the console: adding, finding, renaming, disabling and deleting. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { addUsers } from '#contract/users/users.ts'
import { until } from '#testing/eventually.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace, type Somebody } from '../support/sign-in.ts'
import { row } from '../support/steps.ts'

const { server, visit } = await openConsole()

/** Opens the view with the organizations `ids`. */
async function openOrganizations(ids: readonly string[] = []) {
  const somebody = await newWorkspace(server.url)
  if (ids.length > 0)
    await somebody.client.call(addOrganizations, { organizations: ids.map((organizationId) => ({ organizationId })) })
  const opened = await visit(`keys/${somebody.apiKey}/organizations`, {
    as: somebody,
  })
  await opened.page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor()
  return { ...opened, somebody }
}

async function act(page: Page, id: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${id}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** Returns the organizations as stored. */
async function stored({ client }: Somebody): Promise<object[]> {
  return (await client.call(getOrganizations, {})) as object[]
}

describe('organizations in the console', () => {
  it('explains the empty state, and adds the first one', async () => {
    const { page, faults, somebody } = await openOrganizations()
    await page.getByText('No organizations yet').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Add organization' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add organization' })
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByText('Enter an id.').waitFor()
    await dialog.getByLabel('Id').fill('acme')
    await dialog.getByLabel('Name').fill('Acme Inc.')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog.getByRole('button', { name: 'Add' }).click()
    await row(page, 'Acme Inc.').waitFor()
    // The list is as high as its rows.
    const { height = 0 } = (await page.getByRole('group', { name: 'Organizations' }).boundingBox()) ?? {}
    assert.ok(height < 100, `${height}`)
    assert.deepEqual(await stored(somebody), [{ id: 'acme', organizationName: 'Acme Inc.', disabled: false }])
    assert.deepEqual(faults, [])
  })

  it('shows why the server refused, with the request id', async () => {
    const { page } = await openOrganizations()
    await page.getByRole('button', { name: 'Add organization' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add organization' })
    await dialog.getByLabel('Id').fill('x'.repeat(300))
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog
      .getByRole('alert')
      .getByText(/^Request /)
      .waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
  })

  it('does not rename the organization that has the id of a new one', async () => {
    const { page, somebody } = await openOrganizations(['acme'])
    await page.getByRole('button', { name: 'Add organization' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add organization' })
    await dialog.getByLabel('Id').fill('acme')
    await dialog.getByLabel('Name').fill('Another')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'An organization without a name has this id.' }).waitFor()
    await dialog.getByText('It already exists').waitFor()
    assert.deepEqual(await stored(somebody), [{ id: 'acme', disabled: false }])
  })

  it('renames, disables after a count of the contents, and undoes both', async () => {
    const { page, somebody, faults } = await openOrganizations(['acme'])
    const { client } = somebody
    await client.call(addDocuments, { organizationId: 'acme', documents: [{ documentId: 'roadmap' }] })
    await client.call(addUsers, { organizationId: 'acme', users: [{ userId: 'ada' }] })
    await act(page, 'Acme', 'Rename')
    await page.getByRole('dialog').getByLabel('Name').fill('Acme Corporation')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await row(page, 'Acme Corporation').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'Acme Corporation').waitFor({ state: 'detached' })
    await act(page, 'Acme', 'Disable…')
    const dialog = page.getByRole('dialog', { name: 'Disable acme' })
    await dialog.getByText('1 document and 1 membership become inaccessible.').waitFor()
    // Enter, pressed twice on the item of the menu, must not disable it.
    await dialog.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await row(page, 'disabled').waitFor()
    assert.deepEqual(await stored(somebody), [{ id: 'acme', disabled: true }])
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'enabled').waitFor()
    assert.deepEqual(await stored(somebody), [{ id: 'acme', disabled: false }])
    assert.deepEqual(faults, [])
  })

  it('deletes one only after its name is typed', async () => {
    const { page, somebody } = await openOrganizations(['acme', 'globex'])
    await act(page, 'Acme', 'Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete organization' })
    await dialog.getByText('0 documents and 0 memberships will be deleted.').waitFor()
    await dialog.getByRole('textbox').fill('acm')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('This does not match the name.').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.equal((await stored(somebody)).length, 2)
    await dialog.getByRole('textbox').fill('acme')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.waitFor({ state: 'detached' })
    await row(page, 'acme').waitFor({ state: 'detached' })
    assert.deepEqual(await stored(somebody), [{ id: 'globex', disabled: false }])
  })

  it('finds them by a part of the name or id, and reports when there is none', async () => {
    const { page } = await openOrganizations(['acme', 'globex'])
    const find = page.getByRole('textbox', { name: 'Find by name or id' })
    await find.fill('OBEX')
    await row(page, 'acme').waitFor({ state: 'detached' })
    await row(page, 'globex').waitFor()
    await find.fill('nobody')
    await page.getByText('No matching organizations').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await row(page, 'acme').waitFor()
  })

  it('loads more rows while scrolling, and renders only visible ones', async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `org-${String(n).padStart(4, '0')}`)
    const { page } = await openOrganizations(ids)
    await row(page, 'org-0000').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const table = page.getByRole('group', { name: 'Organizations' })
    await until('last organization', async () => {
      await table.press('End')
      return (await row(page, 'org-0999').count()) > 0
    })
    assert.ok((await page.getByRole('row').count()) < 60)
  })

  it('shows ids verbatim', async () => {
    const ids = ['<img src=x onerror=alert(1)>', '"quoted\' `id`', 'abc\u202edcba', '..', 'x'.repeat(256)]
    const { page, faults } = await openOrganizations(ids)
    await row(page, 'onerror').waitFor()
    const shown = await page.locator('tbody bdi[title]:not([data-cut])').allTextContents()
    assert.deepEqual(shown.toSorted(), ids.toSorted())
    assert.equal(await page.locator('tbody img').count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })
})
