/** Beside lists of who has access to a folder, the console shows who has access to something inside it. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { openAccess } from '../support/access-page.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { address, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { heading, row } from '../support/steps.ts'

const { server, visit } = await openConsole()

describe('beside who has access to a folder', () => {
  it('the others with access to something inside are counted and listed, each with the resource', async () => {
    const company = await newCompany(server)
    await company.grant({ userId: 'ada', type: 'document', id: 'roadmap', accessRole: 'editor' })
    const { page, faults } = await openAccess(visit, company, 'folder', 'plans', 'Plans')
    await row(page, 'Bob Stone').waitFor()
    const others = page.getByRole('link', { name: '2 others have access to something inside' })
    await others.waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await others.click()
    await heading(page, 'Inside Plans')
    await row(page, 'Ada Lovelace').getByText('editor').waitFor()
    await row(page, 'cem').getByText('viewer').waitFor()
    assert.equal(await row(page, 'Bob Stone').count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await row(page, 'cem').getByRole('button', { name: 'Actions for cem' }).click()
    await page.getByRole('menuitem', { name: 'Give access to the folder…' }).click()
    await page.getByRole('dialog', { name: 'Give access' }).getByText('cem').first().waitFor()
    await page.goBack()
    await row(page, 'cem').getByRole('link', { name: '1 resource' }).click()
    await heading(page, 'cem')
    const access = page.getByRole('region', { name: 'Access', exact: true })
    await access.getByText('Only in').waitFor()
    await access.getByRole('link', { name: 'Plans' }).waitFor()
    await access.getByRole('row').filter({ hasText: 'roadmap' }).getByText('viewer').waitFor()
    assert.equal(await access.getByRole('row').filter({ hasText: 'work' }).count(), 0)
    await access.getByRole('link', { name: 'Show the whole organization' }).click()
    await access.getByRole('row').filter({ hasText: 'work' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('at least 100 are counted, and all are listed', async () => {
    const company = await newCompany(server)
    const userIds = Array.from({ length: 100 }, (_, n) => `user${n}`)
    await company.grant(
      ...userIds.map((userId) => ({ userId, type: 'document' as const, id: 'roadmap', accessRole: 'viewer' as const })),
    )
    const { page } = await openAccess(visit, company, 'folder', 'plans', 'Plans')
    await page.getByRole('link', { name: 'At least 100 others have access to something inside' }).click()
    await page.getByText('101 in total').waitFor()
  })

  it('the matrix is named for a public folder, whose lists do not have users with grants inside', async () => {
    const company = await newCompany(server)
    const { page, faults } = await openAccess(visit, company, 'folder', 'work', 'Work')
    await page.getByText('users with grants inside it are not counted here').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('link', { name: 'matrix', exact: true }).click()
    await page.getByRole('gridcell').getByRole('link', { name: 'cem, Road map: viewer' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('a folder with too much inside is reported, and the list of who has access to it is still shown', async () => {
    const company = await newCompany(server)
    const documents = Array.from({ length: LIMITS.insideResourcesMax }, (_, nth) => ({ documentId: `paper${nth}` }))
    for (let start = 0; start < documents.length; start += 1_000)
      await company.documents('plans', ...documents.slice(start, start + 1_000))
    const { page, faults } = await openAccess(visit, company, 'folder', 'plans', 'Plans')
    await page.getByText('This contains too much to list the users with access to something inside.').waitFor()
    await row(page, 'Bob Stone').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.goto(
      `${server.url}/console/keys/${company.apiKey}/${address('inside', { organizationId, type: 'folder', id: 'plans' })}`,
    )
    const refusal = page.getByRole('alert')
    await refusal.getByText('This is more than the limit').waitFor()
    await refusal.getByText('More than 10,000 folders and documents are inside; ask about a folder in it').waitFor()
    assert.equal(await refusal.getByText('Wait a moment').count(), 0)
    assert.deepEqual(faults, [])
  })

  it('nobody else is listed if nothing inside is open to others', async () => {
    const company = await newCompany(server)
    const folders = [{ folderId: 'vault', parentFolderId: 'plans' }]
    await company.client.call(addFolders, { organizationId, folders })
    const { page } = await openAccess(visit, company, 'folder', 'vault')
    await page.getByText('Nobody has access only to something inside.').waitFor()
    const restricted = [{ folderId: 'empty', accessType: 'restricted' as const }]
    await company.client.call(addFolders, { organizationId, folders: restricted })
    const empty = await openAccess(visit, company, 'folder', 'empty')
    await empty.page.getByText('Nobody has access only to something inside.').waitFor()
  })
})

describe('beside the members of an organization', () => {
  it('resources inside that are open to everyone are counted, with the role', async () => {
    const company = await newCompany(server)
    await company.documents('work', { documentId: 'minutes' })
    const says = 'Everyone has access to 2 resources inside as editor, because they are public.'
    const { page, faults } = await openAccess(visit, company, 'organization', organizationId, 'Acme')
    await page.getByText(says).waitFor()
    await page.getByRole('link', { name: '1 other has access to something inside' }).waitFor()
    await page.goto(`${server.url}/console/keys/${company.apiKey}/${address('users', { organizationId })}`)
    await page.getByText(says).waitFor()
    await page.getByRole('link', { name: '1 other has access to something inside' }).click()
    await heading(page, 'Inside Acme')
    await row(page, 'cem').getByRole('link', { name: '3 resources' }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })
})
