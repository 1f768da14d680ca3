/** Migrations in the console: dry run, start, progress and failures. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace, type Somebody } from '../support/sign-in.ts'
import { button, row } from '../support/steps.ts'

const { server, visit } = await openConsole()

const add = ({ client }: Somebody, ...ids: string[]) =>
  client.call(addDocuments, { organizationId: 'acme', documents: ids.map((documentId) => ({ documentId })) })

async function openMigrations(...documentIds: string[]) {
  const somebody = await newWorkspace(server.url)
  if (documentIds.length > 0) {
    await somebody.client.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    await add(somebody, ...documentIds)
  }
  const opened = await visit(`keys/${somebody.apiKey}/migrations`, {
    as: somebody,
  })
  await opened.page.getByRole('heading', { level: 1, name: 'Migrations' }).waitFor()
  return { somebody, ...opened }
}

async function enter(page: Page, documentId: string, newDocumentId: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Document', exact: true }).fill(documentId)
  await page.keyboard.press('Escape')
  await page.getByLabel('New id').fill(newDocumentId)
}

describe('migrations in the console', () => {
  it('explain the empty state', async () => {
    const { page } = await openMigrations()
    await page.getByText('No organizations yet').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
  })

  it('run dry without changing anything, then start and show their progress to the end', async () => {
    const { page, somebody, faults } = await openMigrations('roadmap', 'taken')
    await page.getByText('No migrations yet').waitFor()
    await enter(page, 'roadmap', 'roadmap')
    await button(page, 'Dry run').click()
    await page.getByText('New document id must not be equal to document id').waitFor()
    await enter(page, 'roadmap', 'taken')
    assert.equal(await button(page, 'Start migration').isDisabled(), true)
    await button(page, 'Dry run').press('Enter')
    await page.getByText('Migration would fail').waitFor()
    await button(page, 'Dry run').and(page.locator(':focus')).waitFor()
    assert.equal(await button(page, 'Start migration').isDisabled(), true)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByLabel('New id').fill('roadmap-2027')
    await button(page, 'Dry run').click()
    await page.getByText('Migration would succeed').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const ids = async () =>
      (await somebody.client.call(getDocuments, { organizationId: 'acme' })).map(({ id }) => id).toSorted()
    assert.deepEqual(await ids(), ['roadmap', 'taken'])
    await button(page, 'Start migration').click()
    await row(page, 'roadmap-2027').getByText('completed').waitFor()
    assert.deepEqual(await ids(), ['roadmap-2027', 'taken'])
    assert.deepEqual(faults, [])
  })

  it('show why they failed, and are found by status and document', async () => {
    const { page, somebody, faults } = await openMigrations('one', 'two')
    await enter(page, 'one', 'uno')
    await button(page, 'Dry run').click()
    await page.getByText('Migration would succeed').waitFor()
    await add(somebody, 'uno')
    await button(page, 'Start migration').click()
    await row(page, 'uno').getByText('failed').waitFor()
    await enter(page, 'two', 'dos')
    await button(page, 'Dry run').click()
    await button(page, 'Start migration').click()
    await row(page, 'dos').getByText('completed').waitFor()
    await page.getByLabel('Status').selectOption('failed')
    await row(page, 'dos').waitFor({ state: 'detached' })
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'one').click()
    const detail = page.getByRole('dialog', { name: 'Migration' })
    await detail.getByText('new_document_already_exists').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Close').click()
    await page.getByLabel('Status').selectOption('')
    await page.getByRole('combobox', { name: 'Old or new document id' }).fill('dos')
    await button(page, 'Find').click()
    await row(page, 'uno').waitFor({ state: 'detached' })
    await row(page, 'dos').waitFor()
    assert.deepEqual(faults, [])
  })
})
