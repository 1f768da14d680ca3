/** Folders and documents in the console: browsing, adding, renaming, moving, access, disabling and deleting. */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { Static } from 'typebox'
import { describe, it } from 'vitest'
import type { DataOf } from '#contract/core/operation.ts'
import { addDocuments, type DocumentRecord, deleteDocuments, getDocuments } from '#contract/resources/documents.ts'
import { addFolders, getFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUsers } from '#contract/users/users.ts'
import { until } from '#testing/eventually.ts'
import { FULL } from '#testing/run/mode.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace, type Somebody } from '../support/sign-in.ts'
import { act } from '../support/steps.ts'

const { server, visit } = await openConsole()

const organizationId = 'acme'
type Folders = DataOf<typeof addFolders>['folders']
type Documents = DataOf<typeof addDocuments>['documents']

interface Content {
  folders?: Folders
  /** The children by parent folder; `root` is the top level. */
  documents?: Record<string, Documents>
}

const USUAL: Content = {
  folders: [
    { folderId: 'plans', folderName: 'Plans', accessType: 'organizationPrivate' },
    { folderId: 'drafts', folderName: 'Drafts', parentFolderId: 'plans' },
    { folderId: 'archive', folderName: 'Archive' },
  ],
  documents: {
    root: [{ documentId: 'letter', documentName: 'Letter' }, { documentId: 'notes' }],
    plans: [{ documentId: 'roadmap', documentName: 'Roadmap' }],
    drafts: [{ documentId: 'idea' }],
  },
}

async function openResources({ folders = [], documents = {} }: Content = USUAL, folderId?: string) {
  const somebody = await newWorkspace(server.url)
  const { client } = somebody
  await client.call(addOrganizations, { organizations: [{ organizationId, organizationName: 'Acme' }] })
  if (folders.length > 0) await client.call(addFolders, { organizationId, folders })
  for (const [folderId, some] of Object.entries(documents))
    await client.call(addDocuments, { organizationId, folderId, documents: some })
  const search = new URLSearchParams({ organizationId, ...(folderId === undefined ? {} : { folderId }) })
  const opened = await visit(`keys/${somebody.apiKey}/organizations/resources?${search}`, {
    as: somebody,
  })
  await opened.page.getByRole('tree').waitFor()
  return { ...opened, somebody }
}

const table = (page: Page) => page.getByRole('table', { name: 'Folders and documents' })
const row = (page: Page, text: string) => table(page).getByRole('row').filter({ hasText: text })
const item = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true })
const gone = (locator: Locator) => locator.waitFor({ state: 'detached' })

async function undo(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
}

async function document({ client }: Somebody, id: string): Promise<Static<typeof DocumentRecord>> {
  const [found] = await client.call(getDocuments, { organizationId, documentIds: [id] })
  return found as Static<typeof DocumentRecord>
}

async function parentOf({ client }: Somebody, folderId: string): Promise<string | undefined> {
  const [found] = await client.call(getFolders, { organizationId, folderId, maxDepth: 0 })
  return found?.parentFolderId
}

describe('the folders and documents of an organization in the console', () => {
  it('explains the empty state, and adds the first folder and document', async () => {
    const { page, somebody, faults } = await openResources({})
    await page.getByText('No folders or documents yet').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Add folder' }).first().click()
    const folder = page.getByRole('dialog', { name: 'Add folder' })
    await folder.getByLabel('Id').fill('plans')
    await folder.getByLabel('Name').fill('Plans')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await folder.getByRole('button', { name: 'Add' }).click()
    await item(page, 'Plans').click()
    await page.getByRole('heading', { level: 1, name: 'Plans' }).waitFor()
    await page.getByRole('button', { name: 'Add document' }).first().click()
    const added = page.getByRole('dialog', { name: 'Add document' })
    await added.getByLabel('Id').fill('roadmap')
    await added.getByLabel('restricted').check()
    await added.getByRole('button', { name: 'Add' }).click()
    await row(page, 'roadmap').waitFor()
    const { folderId, accessType, inheritAccessFromParent } = await document(somebody, 'roadmap')
    assert.deepEqual([folderId, accessType, inheritAccessFromParent], ['plans', 'restricted', false])
    assert.deepEqual(faults, [])
  })

  it('loads a branch of the tree when it is opened, and has the open folder in the URL', async () => {
    const { page, faults } = await openResources()
    await item(page, 'Plans').waitFor()
    assert.equal(await item(page, 'Drafts').count(), 0)
    await item(page, 'Plans').focus()
    await page.keyboard.press('ArrowRight')
    await item(page, 'Drafts').waitFor()
    await page.keyboard.press('ArrowRight')
    await item(page, 'Drafts').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Drafts' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('folderId'), 'drafts')
    await row(page, 'idea').getByText('from Plans').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.reload()
    await item(page, 'Drafts').waitFor()
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Plans' }).click()
    await row(page, 'Roadmap').waitFor()
    assert.deepEqual(faults, [])
  })

  it('shows where the access type comes from, changes it and undoes the change', async () => {
    const { page, somebody } = await openResources(USUAL, 'plans')
    await row(page, 'Roadmap').getByText('from Plans').waitFor()
    await act(page, 'document Roadmap', 'Access type')
    await somebody.client.call(addUsers, { organizationId, users: [{ userId: 'ada' }, { userId: 'bob' }] })
    await page.getByRole('dialog').getByLabel('restricted').check()
    await page.getByRole('dialog').getByText('2 people lose access.').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await row(page, 'Roadmap').getByText('set here').waitFor()
    assert.equal((await document(somebody, 'roadmap')).accessType, 'restricted')
    await undo(page)
    await row(page, 'Roadmap').getByText('from Plans').waitFor()
    assert.equal((await document(somebody, 'roadmap')).inheritAccessFromParent, true)
  })

  it.runIf(FULL)('renames, and undoes it', async () => {
    const { page, somebody } = await openResources()
    await act(page, 'document Letter', 'Rename')
    await page.getByRole('dialog').getByLabel('Name').fill('Annual letter')
    await page.keyboard.press('Enter')
    await row(page, 'Annual letter').waitFor()
    await undo(page)
    await gone(row(page, 'Annual letter'))
    assert.equal((await document(somebody, 'letter')).documentName, 'Letter')
  })

  it.runIf(FULL)('moves rows that are dragged onto a folder of the tree, and undoes it', async () => {
    const { page, somebody, faults } = await openResources()
    await row(page, 'Letter').dragTo(item(page, 'Archive'))
    await gone(row(page, 'Letter'))
    assert.equal((await document(somebody, 'letter')).folderId, 'archive')
    await undo(page)
    await row(page, 'Letter').waitFor()
    assert.equal((await document(somebody, 'letter')).folderId, undefined)
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('moves a folder into another one, but not into itself', async () => {
    const { page, somebody } = await openResources()
    await item(page, 'Plans').focus()
    await page.keyboard.press('ArrowRight')
    await row(page, 'Plans').dragTo(item(page, 'Drafts'))
    await row(page, 'Archive').dragTo(row(page, 'Plans'))
    await gone(row(page, 'Archive'))
    assert.deepEqual([await parentOf(somebody, 'archive'), await parentOf(somebody, 'plans')], ['plans', 'root'])
  })

  it.runIf(FULL)('moves with the keyboard alone', async () => {
    const { page, somebody } = await openResources()
    const actions = page.getByRole('button', { name: 'Actions for document Letter' })
    await actions.waitFor()
    await page.getByRole('textbox', { name: 'Find by name or id' }).focus()
    for (let pressed = 0; pressed < 40 && !(await actions.and(page.locator(':focus')).count()); pressed++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const move = page.getByRole('menuitem', { name: 'Move…' })
    await move.waitFor()
    await page.locator('[role=menuitem]:focus').waitFor() // a key that is pressed before goes to the button
    for (let pressed = 0; pressed < 9 && !(await move.and(page.locator(':focus')).count()); pressed++)
      await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Move “Letter”' })
    await dialog.getByRole('treeitem', { name: 'Archive' }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const top = dialog.getByRole('treeitem', { name: 'Acme' }).and(page.locator(':focus'))
    for (let pressed = 0; pressed < 5 && !(await top.count()); pressed++) await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const here = dialog.getByRole('button', { name: 'Move here' })
    for (let pressed = 0; pressed < 5 && !(await here.and(page.locator(':focus')).count()); pressed++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await gone(row(page, 'Letter'))
    assert.equal((await document(somebody, 'letter')).folderId, 'archive')
  })

  it.runIf(FULL)('disables a document and enables it again', async () => {
    const { page, somebody } = await openResources()
    await act(page, 'document Letter', 'Disable')
    await row(page, 'Letter').getByText('disabled').waitFor()
    assert.equal((await document(somebody, 'letter')).disabled, true)
    await undo(page)
    await gone(row(page, 'Letter').getByText('disabled'))
    assert.equal((await document(somebody, 'letter')).disabled, false)
  })

  it.runIf(FULL)(
    'counts the contents of a folder before deleting it, and deletes it after its name is typed',
    async () => {
      const { page, somebody } = await openResources()
      await act(page, 'folder Plans', 'Delete')
      const dialog = page.getByRole('dialog', { name: 'Delete folder' })
      await dialog.getByText('2 folders and 2 documents').waitFor()
      assert.deepEqual(await violationsInBothSchemes(page), [])
      await dialog.getByRole('textbox').fill('Plan')
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByText('This does not match the name.').waitFor()
      await dialog.getByRole('textbox').fill('Plans')
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await gone(row(page, 'Plans'))
      await gone(item(page, 'Plans'))
      const left = (await somebody.client.call(getDocuments, { organizationId })) as { id: string }[]
      assert.deepEqual(
        left.map(({ id }) => id),
        ['letter', 'notes'],
      )
    },
  )

  it.runIf(FULL)('offers the same actions for the open folder, and opens its parent after deleting it', async () => {
    const { page, somebody, faults } = await openResources(USUAL, 'drafts')
    await act(page, 'folder Drafts', /^(?:Rename|Edit)$/)
    await page.getByRole('dialog').getByLabel('Name').fill('Sketches')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Sketches' }).waitFor()
    await act(page, 'folder Sketches', 'Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete folder' })
    await dialog.getByText('1 folder and 1 document').waitFor()
    await dialog.getByRole('textbox').fill('Sketches')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { level: 1, name: 'Plans' }).waitFor()
    await row(page, 'Roadmap').waitFor()
    assert.equal((await somebody.client.call(getFolders, { organizationId, folderId: 'plans' })).length, 1)
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('applies actions to all selected rows', async () => {
    const { page, somebody } = await openResources()
    for (const id of ['folder Archive', 'document Letter', 'document notes'])
      await page.getByRole('checkbox', { name: `Select ${id}` }).check()
    const bar = page.getByRole('region', { name: 'Selection' })
    await bar.getByText('1 folder and 2 documents selected').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await bar.getByRole('button', { name: 'Disable documents' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable 2 documents' }).click()
    await row(page, 'Letter').getByText('disabled').waitFor()
    assert.equal((await document(somebody, 'notes')).disabled, true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    for (const id of ['folder Archive', 'document Letter'])
      await page.getByRole('checkbox', { name: `Select ${id}` }).check()
    await bar.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 1 folder and 1 document' })
    await dialog.getByRole('textbox').fill('2')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await gone(row(page, 'Letter'))
    await row(page, 'notes').waitFor()
  })

  it.runIf(FULL)('searches the whole organization by a part of a name or id while somebody types', async () => {
    const { page } = await openResources()
    const find = page.getByRole('textbox', { name: 'Find by name or id' })
    await find.fill('lett')
    await gone(row(page, 'notes'))
    await row(page, 'Letter').waitFor()
    await page.getByText('Found in the whole organization').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await find.fill('DEA')
    await row(page, 'idea').getByText('from Plans').waitFor()
    await find.fill('nobody')
    await page.getByText('No matching folders or documents').waitFor()
    await find.fill('')
    await row(page, 'notes').waitFor()
  })

  it('shows why the server refused', async () => {
    const { page } = await openResources()
    await page.getByRole('button', { name: 'Add folder' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add folder' })
    await dialog.getByLabel('Id').fill('plans')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByRole('alert').getByText('The folder already exists.').waitFor()
  })

  it.runIf(FULL)(
    'loads more rows while scrolling, renders only visible ones, and keeps its position after a change',
    async () => {
      const documents = (start: number) =>
        Array.from({ length: 1_000 }, (_, n) => ({ documentId: `doc-${String(start + n).padStart(5, '0')}` }))
      const { page, somebody } = await openResources({ documents: { root: documents(0) } })
      await somebody.client.call(addDocuments, { organizationId, documents: documents(1_000) })
      await page.reload()
      await page.getByRole('checkbox', { name: 'Select document doc-00000' }).check()
      const region = page.getByRole('group', { name: 'Folders and documents' })
      await until('last document', async () => {
        await region.press('End')
        return (await row(page, 'doc-01999').count()) > 0
      })
      assert.ok((await page.getByRole('row').count()) < 60)
      assert.equal(await row(page, 'doc-01999').getAttribute('aria-rowindex'), '2001')
      await act(page, 'document doc-01998', 'Rename')
      // The list is in the order of names, so this row stays the last but one.
      await page.getByRole('dialog').getByLabel('Name').fill('DOC-01998 renamed')
      await page.keyboard.press('Enter')
      await row(page, 'DOC-01998 renamed').waitFor()
      await somebody.client.call(deleteDocuments, { organizationId, documentIds: ['doc-01999'] })
      await act(page, 'document doc-01997', 'Disable')
      await gone(row(page, 'doc-01999'))
      await page.getByText('1,999 in total').waitFor()
      assert.equal(await row(page, 'DOC-01998 renamed').getAttribute('aria-rowindex'), '2000')
      await region.press('Home')
      await row(page, 'doc-00000').waitFor()
    },
  )

  it.runIf(FULL)('keeps rows selected that are scrolled out of view', async () => {
    const documents = Array.from({ length: 200 }, (_, n) => ({ documentId: `doc-${String(n).padStart(3, '0')}` }))
    const { page, somebody } = await openResources({ documents: { root: documents } })
    await page.getByRole('checkbox', { name: 'Select document doc-000' }).check()
    const region = page.getByRole('group', { name: 'Folders and documents' })
    await region.press('End')
    await page.getByText('200 in total').waitFor()
    await region.press('End')
    await page.getByRole('checkbox', { name: 'Select document doc-199' }).check()
    assert.equal(await row(page, 'doc-000').count(), 0)
    await page.getByRole('button', { name: 'Disable documents' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable 2 documents' }).click()
    await row(page, 'doc-199').getByText('disabled').waitFor()
    assert.equal((await document(somebody, 'doc-000')).disabled, true)
  })

  it.runIf(FULL)('shows many subfolders a batch at a time', async () => {
    const inside = Array.from({ length: 250 }, (_, n) => ({
      folderId: `in-${String(n).padStart(3, '0')}`,
      parentFolderId: 'plans',
    }))
    const { page } = await openResources({ folders: [{ folderId: 'plans' }, ...inside] }, 'plans')
    await item(page, 'plans').focus()
    await page.keyboard.press('ArrowRight')
    await item(page, 'in-199').waitFor()
    assert.equal(await item(page, 'in-200').count(), 0)
    await item(page, 'Show more folders').click()
    await item(page, 'in-249').waitFor()
  })

  it.runIf(FULL)('shows ids verbatim', async () => {
    const ids = ['<img src=x onerror=alert(1)>', '"quoted\' `id`', 'abc\u202edcba', '..', 'x'.repeat(256), '7', 'true']
    const { page, faults } = await openResources({
      folders: ids.map((folderId) => ({ folderId })),
      documents: { root: ids.map((documentId) => ({ documentId })) },
    })
    await row(page, 'onerror').nth(1).waitFor()
    const shown = await page.locator('tbody td:nth-child(3) bdi[title]').allTextContents()
    assert.deepEqual(shown.toSorted(), [...ids, ...ids].toSorted())
    assert.equal(await page.locator('main img').count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    for (const id of FULL ? ids : ids.slice(0, 2)) {
      await item(page, id).click()
      await page.getByText('No folders or documents yet').waitFor()
      assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), id)
      await page.reload()
      await page.getByText('No folders or documents yet').waitFor()
      await item(page, 'Acme').click()
      await row(page, 'onerror').first().waitFor()
    }
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('reports an unknown organization and an unknown folder', async () => {
    const { page } = await openResources()
    await page.goto(page.url().replace('organizationId=acme', 'organizationId=nobody'))
    await page.getByText('No organization has this id.', { exact: false }).waitFor()
    await page.goto(page.url().replace('organizationId=nobody', 'organizationId=acme&folderId=nowhere'))
    await page.getByText('No folder of the organization has this id.', { exact: false }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
  })
})
