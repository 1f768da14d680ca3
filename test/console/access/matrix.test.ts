/** The matrix of the console: cells, sorting, keyboard, CSV export, and large matrices. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addFolders } from '#contract/resources/folders.ts'
import { until } from '#testing/eventually.ts'
import { patient } from '#testing/run/mode.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { address, type Company, HOSTILE_IDS, LATER, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'

const { server, visit } = await openConsole()

async function open(company: Company, folderId?: string) {
  const search = address('matrix', { organizationId, ...(folderId !== undefined && { folderId }) })
  const opened = await visit(`keys/${company.apiKey}/${search}`, { as: company })
  await opened.page.getByRole('grid').waitFor({ timeout: patient(120_000) })
  return opened
}

const users = (page: Page) => page.getByRole('rowheader').allInnerTexts()
/** The effect of the last key may not be shown yet. */
const usersAre = (page: Page, ...expected: string[]) =>
  until(`the users are ${expected}`, async () => isDeepStrictEqual(await users(page), expected))
const cell = (page: Page, name: string | RegExp) => page.getByRole('gridcell').getByRole('link', { name })

async function exported(
  page: Page,
  button = 'Export as CSV',
): Promise<{ name: string; text: string; rows: string[][] }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ])
  const text = await readFile(await download.path(), 'utf8')
  return { name: download.suggestedFilename(), text, rows: parse(text, { bom: true }) as string[][] }
}

describe('the matrix', () => {
  it('shows roles as colours and letters, and links to the explanation', async () => {
    const company = await newCompany(server)
    await company.documents('plans', { documentId: 'budget', documentName: 'Budget' })
    const { page, faults } = await open(company, 'plans')
    await usersAre(page, 'Bob Stone', 'cem')
    await cell(page, /^Bob Stone, Budget: editor, expires/).waitFor()
    assert.equal(await cell(page, 'cem, Budget: none').textContent(), '–')
    assert.equal(await cell(page, 'cem, Road map: viewer').textContent(), 'V')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByLabel('Include users without access').check()
    await usersAre(page, 'Ada Lovelace', 'Bob Stone', 'cem')
    await page.getByRole('button', { name: 'Access', exact: true }).click()
    await usersAre(page, 'Bob Stone', 'cem', 'Ada Lovelace')
    await page.getByRole('columnheader', { name: 'Access' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await page.getByRole('button', { name: 'User', exact: true }).click()
    await page.getByRole('button', { name: 'User', exact: true }).click()
    await usersAre(page, 'cem', 'Bob Stone', 'Ada Lovelace')
    await page.getByText('3 users, 2 documents', { exact: true }).waitFor()
    await cell(page, 'cem, Road map: viewer').click()
    await page.getByText('User "cem" may view document Road map').waitFor()
    assert.deepEqual(faults, [])
  })

  it('shows access that expires while it is open as expired', async () => {
    const company = await newCompany(server)
    const view = address('matrix', { organizationId, folderId: 'plans' })
    const { page } = await visit(`keys/${company.apiKey}/${view}`, { as: company, setsClock: true })
    await cell(page, /^Bob Stone, Road map: editor, expires/).waitFor()
    await page.clock.setSystemTime((LATER + 60) * 1_000)
    const expired = cell(page, /^Bob Stone, Road map: editor, expired/)
    await expired.and(page.locator('[data-expired]')).waitFor()
    assert.equal(await expired.locator('svg').count(), 0, 'the clock of what will expire')
    assert.deepEqual(await violationsInBothSchemes(page), [])
  })

  it('is navigated with the arrow keys', async () => {
    const company = await newCompany(server)
    await company.documents('plans', { documentId: 'budget', documentName: 'Budget' })
    const { page } = await open(company, 'plans')
    await page.getByRole('button', { name: 'Access', exact: true }).focus()
    await page.keyboard.press('Tab')
    const focused = (name: string | RegExp) => cell(page, name).and(page.locator(':focus')).waitFor()
    await focused(/^Bob Stone, Budget/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
    await focused('cem, Road map: viewer')
    await page.keyboard.press('Control+Home')
    await focused(/^Bob Stone, Budget/)
    await page.keyboard.press('Enter')
    await page.getByText('User Bob Stone may edit document Budget').waitFor()
  })

  it('is exported as CSV without formulas', async () => {
    const company = await newCompany(server)
    const ids = [...HOSTILE_IDS, '=HYPERLINK("http://example.com","x")', '+1', '-2', '@SUM(A1)', 'semi;colon, "comma"']
    await company.grant(
      ...ids.map((userId) => ({ userId, type: 'document' as const, id: 'roadmap', accessRole: 'viewer' as const })),
    )
    const { page, faults } = await open(company, 'plans')
    const { name, text, rows } = await exported(page)
    assert.equal(name, 'access plans.csv')
    const [head, ...rest] = rows
    assert.deepEqual(head, ['User id', 'User name', 'Documents with access', 'Road map (roadmap)'])
    const expected = ids.map((id) => (/^[=+\-@]/.test(id) ? `'${id}` : id))
    assert.deepEqual(rest.map(([id]) => id).toSorted(), ['bob', 'cem', ...expected].toSorted())
    assert.deepEqual(
      rest.find(([id]) => id === 'bob'),
      ['bob', 'Bob Stone', '1', 'editor until 2033-05-18T03:33:20Z'],
    )
    assert.doesNotMatch(text, /(^|[\r\n,])"?[=+\-@]/m)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it('shows the documents of the folders below, and users who have access only to something inside', async () => {
    const company = await newCompany(server)
    await company.documents('work', { documentId: 'minutes', documentName: 'Minutes' })
    const { page, faults } = await open(company, 'work')
    await page.getByText('Everyone has access to 1 resource inside as editor, because it is public.').waitFor()
    await page.getByText('3 users, 2 documents').waitFor()
    await cell(page, 'Ada Lovelace, Minutes: viewer').waitFor()
    await cell(page, 'Ada Lovelace, Road map: none').waitFor()
    await cell(page, 'cem, Road map: viewer').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it('is exported with everything in the folder, without formulas, with a row for each user and resource', async () => {
    const company = await newCompany(server)
    await company.grant({ userId: '=1+1', type: 'document', id: 'roadmap', accessRole: 'editor' })
    const { page, faults } = await open(company, 'work')
    const { name, rows } = await exported(page, 'Export everything as CSV')
    assert.equal(name, 'all access work.csv')
    const [head = [], ...rest] = rows
    const found = rest.map((row) => Object.fromEntries(head.map((title, nth) => [title, row[nth]])))
    // Folders have no order that a reader could expect.
    assert.deepEqual(
      found.map((row) => [row.everyone || row.userId, row.id, row.accessRole, row.reason].join(' ')).toSorted(),
      [
        "'=1+1 roadmap editor grant",
        'ada work viewer grant',
        'bob plans editor grant',
        'bob roadmap editor grant',
        'bob work viewer grant',
        'cem roadmap viewer grant',
        'true work editor access_type',
      ],
    )
    assert.deepEqual(faults, [])
  })

  it('shows many documents in parts', async () => {
    const company = await newCompany(server)
    const ids = Array.from({ length: 1_001 }, (_, n) => `doc${String(n).padStart(4, '0')}`)
    for (const some of [ids.slice(0, 1_000), ids.slice(1_000)])
      await company.documents('plans', ...some.map((documentId) => ({ documentId })))
    const { page } = await open(company, 'plans')
    await page.getByText('Documents 1 to 1,000').waitFor()
    await page.getByRole('button', { name: 'Next documents' }).click()
    await page.getByText('Documents 1,001 to 1,002').waitFor()
    await cell(page, 'cem, Road map: viewer').waitFor()
    await page.getByRole('button', { name: 'Previous documents' }).click()
    await page.getByText('Documents 1 to 1,000').waitFor()
    await page.getByRole('gridcell', { name: '1,000', exact: true }).first().waitFor()
    // Numbers are as in the texts around them, whatever the language of the browser is.
    const folder = address('organizations/resources', { organizationId, folderId: 'plans' })
    const german = await visit(`keys/${company.apiKey}/${folder}`, { as: company, locale: 'de-DE' })
    await german.page.getByText('1,002 documents directly in this folder').waitFor()
  })

  it('explains the empty state', async () => {
    const company = await newCompany(server)
    await company.client.call(addFolders, { organizationId, folders: [{ folderId: 'empty', parentFolderId: 'work' }] })
    const { page } = await visit(`keys/${company.apiKey}/${address('matrix', { organizationId, folderId: 'empty' })}`, {
      as: company,
    })
    await page.getByText('No documents here').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
  })

  it('shows rows as soon as they are checked, can be stopped, and keeps few cells in the DOM, however large it is', async () => {
    const company = await newCompany(server)
    const many = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(4, '0')}`)
    await company.client.call(addFolders, { organizationId, folders: [{ folderId: 'archive' }] })
    await company.documents('archive', ...many(200, 'doc').map((documentId) => ({ documentId })))
    await company.grant(
      ...many(1_000, 'user').map((userId) => ({
        userId,
        type: 'folder' as const,
        id: 'archive',
        accessRole: 'viewer' as const,
      })),
    )
    const { page, faults } = await visit('', { as: company })
    // A page takes the changes of the last five seconds for new ones.
    await sleep(6_000)
    // Ten calls of a thousand checks are complete rows of fifty users.
    let held = Promise.withResolvers<void>()
    let calls = 0
    await page.route('**/v2/auth/permissions/check', async (route) => {
      if (++calls > 10) await held.promise
      await route.continue()
    })
    const search = address('matrix', { organizationId, folderId: 'archive' })
    await page.goto(`${server.url}/console/keys/${company.apiKey}/${search}`)
    await page.getByText('50 of 1,003 users checked').waitFor()
    await cell(page, 'user0000, doc0000: viewer').waitFor()
    const exporting = page.getByRole('button', { name: 'Export as CSV' })
    assert.ok(await exporting.isDisabled())
    await page.getByRole('button', { name: 'Stop' }).click()
    held.resolve()
    await page.getByText('Stopped', { exact: true }).waitFor()
    // The four calls that were under way have ended.
    await page.getByText('70 of 1,003 users checked').waitFor()
    assert.deepEqual([calls, await exporting.isDisabled()], [14, true])
    held = Promise.withResolvers()
    await page.getByRole('button', { name: 'Go on' }).click()
    await until('more calls', () => calls === 18)
    const event = page.waitForResponse(async (response) => (await response.text()).includes('newcomer'))
    await company.grant({ userId: 'newcomer', type: 'folder', id: 'archive', accessRole: 'viewer' })
    await event
    held.resolve()
    await page.getByText('1,003 users, 200 documents').waitFor()
    assert.equal(calls, 201)
    await page.getByRole('button', { name: 'Access has changed: check again' }).waitFor()
    assert.ok(await exporting.isEnabled())
    assert.ok((await page.getByRole('gridcell').count()) < 2_000)
    await cell(page, 'user0000, doc0000: viewer').focus()
    await page.keyboard.press('Control+End')
    await cell(page, 'user0999, doc0199: viewer').and(page.locator(':focus')).waitFor()
    await page.getByRole('columnheader', { name: 'doc0199' }).waitFor()
    await page.getByRole('rowheader', { name: 'user0999' }).waitFor()
    const { rows } = await exported(page)
    assert.deepEqual([rows.length, rows[0]?.length], [1_004, 203])
    assert.deepEqual(faults, [])
  })
})
