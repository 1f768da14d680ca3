/** Conflicts on the access page: two people edit the same grant, and ids are hostile. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders, deleteFolder } from '#contract/resources/folders.ts'
import { apply, grantOf, openAccess, says } from '../support/access-page.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { address, type Company, HOSTILE_IDS, newCompany, organizationId, written } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { act, button, heading, row } from '../support/steps.ts'

const { server, visit } = await openConsole()

const openRoadmap = (company: Company) => openAccess(visit, company, 'document', 'roadmap', 'Road map')

describe('two people editing the same grant', () => {
  it('shows the second one the current state before anything is applied', async () => {
    const company = await newCompany(server)
    const { page: first } = await openRoadmap(company)
    const { page: second } = await openRoadmap(company)
    for (const page of [first, second]) {
      await act(page, 'cem', 'Change role or set an end')
      await page.getByRole('radio', { name: 'Editor: can read' }).check()
    }
    await second.getByRole('dialog').getByLabel('Expires').selectOption('In 30 days')
    for (const page of [first, second]) {
      await button(page, 'Preview').click()
      await says(page, '1 person becomes editor')
    }
    await apply(first)
    await button(second, 'Apply').click()
    await second.getByRole('alert').getByText('was viewer, is now editor').waitFor()
    await says(second, '1 person keeps editor with another expiry')
    assert.deepEqual(await violationsInBothSchemes(second), [])
    assert.equal((await grantOf(company, 'cem', 'roadmap'))?.expiresAt, undefined)
    await apply(second)
    assert.notEqual((await grantOf(company, 'cem', 'roadmap'))?.expiresAt, undefined)
    await button(first, 'Undo').click()
    await first.getByText('Somebody has changed this since').waitFor()
    assert.equal((await grantOf(company, 'cem', 'roadmap'))?.accessRole, 'editor')
  })

  it('warns in the preview when the grant has been revoked in between', async () => {
    const company = await newCompany(server)
    const { page: first } = await openRoadmap(company)
    const { page: second } = await openRoadmap(company)
    await act(second, 'cem', 'Change role or set an end')
    await act(first, 'cem', 'Revoke grant')
    await apply(first)
    await button(second, 'Preview').click()
    await second.getByRole('alert').getByText('was viewer, is now no grant here').waitFor()
    await says(second, '1 person gains access as viewer')
  })
})

describe('a folder that is deleted while a change of it is previewed', () => {
  it('is named in the refusal, without the fields of the call', async () => {
    const company = await newCompany(server)
    await company.client.call(addFolders, { organizationId, folders: [{ folderId: 'doomed', parentFolderId: 'root' }] })
    const { page } = await openAccess(visit, company, 'folder', 'doomed')
    await button(page, 'Change access type').click()
    await page.getByRole('radio', { name: 'Restricted' }).check()
    await button(page, 'Preview').click()
    await button(page, 'Apply').waitFor()
    await company.client.call(deleteFolder, { organizationId, folderId: 'doomed' })
    await button(page, 'Apply').click()
    const refusal = page.getByRole('dialog').getByRole('alert')
    await refusal.getByText(/^The folder "doomed" does not exist/).waitFor()
    await refusal.getByText('Somebody may have deleted it while this page was open.').waitFor()
  })
})

describe('hostile ids', () => {
  it('are shown verbatim in lists, fields and previews', async () => {
    const company = await newCompany(server)
    await company.grant(
      ...HOSTILE_IDS.map((userId) => ({
        userId,
        type: 'document' as const,
        id: 'roadmap',
        accessRole: 'viewer' as const,
      })),
    )
    const { page, faults } = await openRoadmap(company)
    for (const id of HOSTILE_IDS) await page.getByRole('table').getByText(id, { exact: true }).first().waitFor()
    for (const id of HOSTILE_IDS) await page.getByLabel(`Select ${id}`, { exact: true }).check()
    await button(page, `Revoke ${HOSTILE_IDS.length} grants`).click()
    await says(page, `${HOSTILE_IDS.length} people lose access`)
    for (const id of HOSTILE_IDS)
      await page
        .getByRole('list', { name: `${HOSTILE_IDS.length} people lose access` })
        .getByText(id, { exact: true })
        .waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.match(await page.title(), /^Road map/)
    await apply(page)
    assert.equal((await company.grants()).filter(({ userId = '' }) => HOSTILE_IDS.includes(userId)).length, 0)
    assert.deepEqual(faults, [])
  })

  it('of documents open from their links', async () => {
    const company = await newCompany(server)
    const documents = HOSTILE_IDS.map((documentId) => ({ documentId }))
    await company.client.call(addDocuments, { organizationId, folderId: 'plans', documents })
    const { page, faults } = await openRoadmap(company)
    for (const id of HOSTILE_IDS) {
      await page.goto(
        `${server.url}/console/keys/${company.apiKey}/${address('access', { organizationId, type: 'document', id: written(id) })}`,
      )
      await heading(page, id)
      await row(page, 'Bob Stone').waitFor()
    }
    assert.deepEqual(faults, [])
  })
})
