/** The lists of the console are in the order of names, can be sorted at their headers, and are searched as a whole. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups } from '#contract/users/user-groups.ts'
import { until } from '#testing/eventually.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { address, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'

const { server, visit } = await openConsole()

/** Waits until a table begins with these rows. */
async function begins(page: Page, label: string, names: readonly string[]): Promise<void> {
  const rows = page.getByRole('table', { name: label }).locator('tbody').getByRole('row')
  for (const [nth, name] of names.entries()) await rows.nth(nth).getByRole('link', { name }).first().waitFor()
}

const header = (page: Page, label: string, name: string) =>
  page.getByRole('table', { name: label }).getByRole('columnheader', { name, exact: true })

describe('a list in the console', () => {
  it('of organizations is in the order of names, from either end or by ids, with the keyboard too', async () => {
    const company = await newCompany(server)
    const organizations = [
      { organizationId: 'z', organizationName: 'Äpfel' },
      { organizationId: 'a', organizationName: 'zebra' },
      { organizationId: 'mango' },
    ]
    await company.client.call(addOrganizations, { organizations })
    const { page, faults } = await visit(`keys/${company.apiKey}/organizations`, { as: company })
    await begins(page, 'Organizations', ['Acme', 'Äpfel', 'mango', 'zebra'])
    const name = header(page, 'Organizations', 'Name')
    assert.equal(await name.getAttribute('aria-sort'), 'ascending')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await name.getByRole('button').press('Enter')
    await begins(page, 'Organizations', ['zebra', 'mango', 'Äpfel', 'Acme'])
    assert.equal(await name.getAttribute('aria-sort'), 'descending')
    await header(page, 'Organizations', 'Id').getByRole('button').click()
    await begins(page, 'Organizations', ['zebra', 'Acme', 'mango', 'Äpfel'])
    assert.equal(await header(page, 'Organizations', 'State').getAttribute('aria-sort'), null)
    await page.reload()
    await begins(page, 'Organizations', ['zebra', 'Acme', 'mango', 'Äpfel'])
    assert.equal(new URL(page.url()).searchParams.get('orderBy'), 'id')
    await page.goBack()
    await begins(page, 'Organizations', ['zebra', 'mango', 'Äpfel', 'Acme'])
    await page.goBack()
    await begins(page, 'Organizations', ['Acme', 'Äpfel', 'mango', 'zebra'])
    assert.equal(new URL(page.url()).search, '')
    assert.deepEqual(faults, [])
  })

  it('keeps the order in its URL while its filters change, also for a colleague who gets the link', async () => {
    const company = await newCompany(server)
    const organizationUserGroups = [
      { groupId: 'z', groupName: 'Alpha' },
      { groupId: 'a', groupName: 'Beta' },
    ]
    await company.client.call(addUserGroups, { organizationId, organizationUserGroups })
    const open = (view: string) => page.goto(`${server.url}/console/${view}`)
    const { page, faults } = await visit(
      `keys/${company.apiKey}/${address('groups', { organizationId, orderBy: 'name desc' })}`,
      { as: company },
    )
    await begins(page, 'Groups', ['Beta', 'Alpha'])
    await page.getByRole('link', { name: 'Alpha' }).click()
    await page.waitForURL(/groupId=z/)
    await begins(page, 'Groups', ['Beta', 'Alpha'])
    await open(`keys/${company.apiKey}/${address('users', { orderBy: 'name desc' })}`)
    await begins(page, 'Users', ['Bob Stone', 'Ada Lovelace'])
    await page.getByRole('checkbox', { name: 'Only disabled users' }).check()
    await page.getByText('No disabled users').waitFor()
    await page.getByRole('checkbox', { name: 'Only disabled users' }).uncheck()
    await begins(page, 'Users', ['Bob Stone', 'Ada Lovelace'])
    await company.client.call(addFolders, { organizationId, folders: [{ folderId: 'a', folderName: 'Zoo' }] })
    await open(`keys/${company.apiKey}/${address('organizations/resources', { organizationId, orderBy: 'id' })}`)
    await begins(page, 'Folders and documents', ['Zoo', 'Work'])
    await header(page, 'Folders and documents', 'Name').getByRole('button').click()
    await begins(page, 'Folders and documents', ['Work', 'Zoo'])
    await open(`keys/${company.apiKey}/organizations?orderBy=nonsense`)
    await header(page, 'Organizations', 'Name').and(page.locator('[aria-sort=ascending]')).waitFor()
    assert.deepEqual(faults, [])
  })

  it('of groups is searched as a whole, and is not marked as sorted while it shows results of a search', async () => {
    const company = await newCompany(server)
    const organizationUserGroups = Array.from({ length: 300 }, (_, nth) => ({
      groupId: `g${nth}`,
      groupName: nth === 299 ? 'Zöllner' : `Team ${String(nth).padStart(3, '0')}`,
    }))
    await company.client.call(addUserGroups, { organizationId, organizationUserGroups })
    const { page } = await visit(`keys/${company.apiKey}/${address('groups', { organizationId })}`, { as: company })
    await begins(page, 'Groups', ['Team 000', 'Team 001'])
    await page.getByRole('textbox', { name: 'Find by name or id' }).fill('zoll')
    await begins(page, 'Groups', ['Zöllner'])
    await page.getByText('1 in total').waitFor()
    assert.equal(await header(page, 'Groups', 'Name').getByRole('button').count(), 0)
  })

  it('of the resources of a user is in the order of names by kind, also of more than fifty folders', async () => {
    const company = await newCompany(server)
    const folders = Array.from({ length: 80 }, (_, nth) => ({
      folderId: `f${String(nth).padStart(2, '0')}`,
      folderName: `Folder number ${nth}`,
      accessType: 'restricted' as const,
    }))
    await company.client.call(addFolders, { organizationId, folders })
    await company.grant(
      ...folders.map(({ folderId }) => ({
        userId: 'bob',
        type: 'folder' as const,
        id: folderId,
        accessRole: 'viewer' as const,
      })),
    )
    const { page } = await visit(`keys/${company.apiKey}/${address('users/user', { userId: 'bob', organizationId })}`, {
      as: company,
    })
    const access = page.getByRole('region', { name: 'Access', exact: true }).first()
    await access.getByText('Folder number').first().waitFor()
    await begins(page, 'Accessible resources', [
      'Acme',
      ...Array.from({ length: 8 }, (_, nth) => `Folder number ${nth}`),
    ])
    const list = access.getByRole('group', { name: 'Accessible resources' })
    const seen = new Set<string>()
    await until('rows of all folders', async () => {
      for (const text of await access.getByRole('row').allInnerTexts()) {
        const [name] = /Folder number \d+/.exec(text) ?? []
        if (name !== undefined) seen.add(name)
      }
      await list.press('PageDown')
      await page.waitForTimeout(50) // it renders the next rows
      return seen.size >= 80
    })
    assert.equal(seen.size, 80)
    await list.press('End')
    await access.getByText('grant on folder Plans').first().waitFor()
    assert.deepEqual(
      [...seen],
      Array.from({ length: 80 }, (_, nth) => `Folder number ${nth}`),
    )
  })
})
