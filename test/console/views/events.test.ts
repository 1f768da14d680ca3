/** Events in the console: sentences by day, live updates, filters and periods, details, export, and access in the past. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { removePermissions } from '#contract/access/permissions.ts'
import { deleteDocuments, updateDocuments } from '#contract/resources/documents.ts'
import { addOrganizations, updateOrganizations } from '#contract/resources/organizations.ts'
import { getUserData } from '#contract/users/user-data.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { address, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { misplaced } from '../support/layout.ts'
import { newWorkspace, type Somebody } from '../support/sign-in.ts'
import { button } from '../support/steps.ts'

const { server, visit } = await openConsole()

const PHONE = { viewport: { width: 390, height: 844 } }

async function openEvents(somebody: Somebody, search = '', options = {}) {
  const opened = await visit(`keys/${somebody.apiKey}/events${search}`, { as: somebody, ...options })
  await opened.page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  return opened
}

const add = ({ client }: Somebody, ...ids: string[]) =>
  client.call(addOrganizations, { organizations: ids.map((organizationId) => ({ organizationId })) })

const main = (page: Page) => page.getByRole('main')
const item = (page: Page, text: string | RegExp) => main(page).getByRole('listitem').filter({ hasText: text })
const day = (page: Page, name: string | RegExp) => main(page).getByRole('region', { name, exact: true })
const chip = (page: Page, name: string) =>
  main(page).getByRole('group', { name: 'Time' }).getByText(name, { exact: true })

/** Moves all events of a key into the past, as far as that changes the times of events. */
const backdate = ({ apiKey }: Somebody, days: number) =>
  server.db.query(`update events set changed_at = changed_at - $2::int * interval '1 day' where api_key_id = $1`, [
    apiKey,
    days,
  ])

describe('events in the console', () => {
  it('appear live, each once, and none is lost while paused', async () => {
    const somebody = await newWorkspace(server.url)
    await add(somebody, 'before')
    const { page, faults } = await openEvents(somebody)
    await item(page, 'added the organization before').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await add(somebody, 'meanwhile')
    await item(page, 'organization meanwhile').waitFor()
    await button(page, 'Pause').click()
    await page.getByText('Paused: new events appear when you resume.').waitFor()
    await add(somebody, 'stopped')
    await page.waitForTimeout(3_000)
    assert.equal(await item(page, 'stopped').count(), 0)
    await button(page, 'Resume').click()
    await item(page, 'stopped').waitFor()
    for (const id of ['before', 'meanwhile', 'stopped']) assert.equal(await item(page, id).count(), 1)
    assert.deepEqual(faults, [])
  })

  it('name people and resources, the role and the end, and ids only if there is no name', async () => {
    const company = await newCompany(server)
    const { page, faults } = await openEvents(company)
    await item(page, /gave Bob Stone editor on Plans, until 18 May 2033/).waitFor()
    await item(page, /gave user cem viewer on Road map/).waitFor()
    await item(page, /added the document Road map to Plans/).waitFor()
    await item(page, /added the folder Plans to Work, restricted/).waitFor()
    const text = await main(page).innerText()
    assert.doesNotMatch(text, /\b(permission|document|folder|organization|user)\.[a-z]/)
    assert.doesNotMatch(text, /\[object|undefined|roadmap/)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it('say on a phone who did what to what, and when', async () => {
    const company = await newCompany(server)
    const { page, faults } = await openEvents(company, '', PHONE)
    const row = item(page, /gave Bob Stone editor on Plans/)
    await row.waitFor()
    assert.match(
      (await row.innerText()).replaceAll(/\s+/g, ' '),
      /^The token .* gave Bob Stone editor on Plans, until 18 May 2033 Acme \d\d:\d\d$/,
    )
    assert.deepEqual(await misplaced(page), [])
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it('are grouped by the days of the browser, and shown for today, yesterday or seven days', async () => {
    const somebody = await newWorkspace(server.url)
    await add(somebody, 'old')
    await backdate(somebody, 5)
    await add(somebody, 'late')
    await backdate(somebody, 1)
    await add(somebody, 'new')
    const { page, faults } = await openEvents(somebody, '', { timezoneId: 'Pacific/Auckland' })
    await day(page, 'Today').getByText('new', { exact: true }).waitFor()
    await day(page, 'Yesterday').getByText('late', { exact: true }).waitFor()
    await item(page, 'old').waitFor()
    await chip(page, 'Yesterday').click()
    await day(page, 'Today').waitFor({ state: 'detached' })
    await item(page, 'late').waitFor()
    assert.equal(await item(page, 'old').count(), 0)
    await chip(page, '7 days').click()
    await item(page, 'old').waitFor()
    await chip(page, 'Today').click()
    await item(page, 'late').waitFor({ state: 'detached' })
    await item(page, 'new').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('period'), 'today')
    // One stop of the keyboard, in which the arrows select.
    await page.keyboard.press('ArrowRight')
    await main(page)
      .getByRole('radio', { name: 'Yesterday' })
      .and(page.locator(':focus:checked'))
      .waitFor({ state: 'attached' })
    await page.keyboard.press('ArrowLeft')
    await main(page)
      .getByRole('radio', { name: 'Today' })
      .and(page.locator(':focus:checked'))
      .waitFor({ state: 'attached' })
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
    await page.getByRole('button', { name: /gave the organization the name/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Event' })
    await dialog.getByText('The name or metadata of an organization were changed.').waitFor()
    await dialog.getByRole('row').filter({ hasText: /^name/ }).getByText('<script>alert(1)</script>').waitFor()
    await dialog.getByText(hostile).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog.getByRole('link', { name: 'All events of this organization' }).click()
    await page.waitForURL(/organizationId=/)
    await item(page, 'added the organization').waitFor()
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
    await item(page, 'other').waitFor({ state: 'detached' })
    await item(page, 'added the organization Acme').waitFor()
    assert.equal(await item(page, 'organization').count(), 1)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const { search } = new URL(page.url())
    const colleague = await openEvents(somebody, search)
    await item(colleague.page, 'Acme').waitFor()
    assert.equal(await item(colleague.page, 'organization').count(), 1)

    await page.getByLabel('Before').fill('soon')
    await page.getByLabel('From').focus()
    await page.getByText('Enter a date and a time such as').waitFor()
    await page.getByLabel('Before').fill('2020-01-01 00:00')
    await page.getByText('1 January 2020').waitFor()
    await button(page, 'Apply').click()
    await page.getByText('No matching events').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Show all events').click()
    await item(page, 'gave the organization the name Acme').waitFor()
    await page.getByLabel('Resource', { exact: true }).selectOption('document')
    await button(page, 'Apply').click()
    await page.getByText('Enter the id of the document.').waitFor()
    assert.deepEqual(faults, [])
  })

  it('are filtered by their actor', async () => {
    const somebody = await newWorkspace(server.url)
    await add(somebody, 'acme')
    const { page, faults } = await openEvents(somebody)
    await button(page, 'Filter').click()
    await page.getByLabel('By person').selectOption({ index: 1 })
    await button(page, 'Apply').click()
    await page.getByText('No matching events').waitFor()
    assert.match(page.url(), /operatorId=/)
    assert.deepEqual(faults, [])
  })

  it('are exported as CSV with the filters of the page, and no cell runs in a spreadsheet', async () => {
    const company = await newCompany(server)
    const documents = [{ documentId: 'roadmap', documentName: '=1+1' }]
    await company.client.call(updateDocuments, { organizationId, documents })
    const { page, faults } = await openEvents(company, '?types=["document.*"]')
    await item(page, 'changed the name').waitFor()
    await button(page, 'Export').click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ])
    assert.match(file.suggestedFilename(), /^events \d{4}-\d\d-\d\d\.csv$/)
    const [head, ...lines] = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    assert.match(head ?? '', /^\ufefftime,sentence,type,/)
    assert.equal(lines.length, 2)
    assert.match(
      lines[0] ?? '',
      /changed the name of the document from Road map to =1\+1\.,document\.updated,acme,Acme,document,roadmap,'=1\+1,/,
    )
    await button(page, 'Export').click()
    const [jsonl] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'JSON Lines' }).click(),
    ])
    const events = readFileSync(await jsonl.path(), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      events.map(({ type }) => type),
      ['document.updated', 'document.added'],
    )
    assert.deepEqual(faults, [])
  })

  it('are exported until the export is cancelled', async () => {
    const somebody = await newWorkspace(server.url)
    const { page, faults } = await openEvents(somebody, '?to=4000000000000')
    await item(page, 'Acme').first().waitFor()
    await page.route('**/workspace/events/list', () => {}) // no response
    await button(page, 'Export').click()
    await page.getByRole('menuitem', { name: 'CSV' }).click()
    await page.getByText('Exporting: 0 events so far').waitFor()
    await button(page, 'Cancel').click()
    await page.getByText('Exporting').waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('alert').filter({ hasText: /\S/ }).count(), 0)
    assert.deepEqual(faults, [])
  })

  it('of the workspace are exported for one person or all', async () => {
    const somebody = await newWorkspace(server.url)
    const { page, faults } = await visit('keys', { as: somebody })
    await item(page, 'created the testing API key').waitFor()
    await button(page, 'Export').click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ])
    assert.match(readFileSync(await file.path(), 'utf8'), /created the workspace .*,workspace\.created,/)
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
    const show = async (text: string, ...leadsTo: string[]) => {
      await item(page, text).getByRole('button').first().click()
      await links.waitFor()
      assert.deepEqual(await links.getByRole('link').allInnerTexts(), leadsTo)
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await links.waitFor({ state: 'detached' })
    }
    const ORGANIZATION = 'Contents of the organization'
    const others = (type: string) => [`All events of this ${type}`, 'All events of this organization']
    await show('deleted the document Road map', ORGANIZATION, ...others('document'))
    await show('added the user group Design', 'View user group', ORGANIZATION, 'All events of this organization')
    await show('added the folder Plans', 'Who has access to the folder', ORGANIZATION, ...others('folder'))
    const toOrganization = ['Who has access to the organization', ORGANIZATION, 'All events of this organization']
    await show('added the organization Acme', ...toOrganization)
    const user = ['Who has access to the folder', 'View user', ORGANIZATION, 'All events of this folder']
    const userEvents = ['All events of this user', 'All events of this organization']
    await show('editor on Plans', 'Why the user has or does not have access', ...user, ...userEvents)
    await item(page, 'editor on Plans').getByRole('button').first().click()
    await links.getByRole('link', { name: 'Why the user has or does not have access' }).click()
    await page.getByText('User Bob Stone may edit folder Plans').waitFor()
    assert.deepEqual(faults, [])
  })
})

describe('the changes between two moments', () => {
  /** Three weeks ago the state was that of `newCompany`. Now Ada edits the document through a group, and Cem has lost access. */
  async function changedCompany() {
    const company = await newCompany(server)
    await backdate(company, 20)
    const { client } = company
    await client.call(addUserGroups, {
      organizationId,
      organizationUserGroups: [{ groupId: 'team', groupName: 'Team' }],
    })
    await client.call(addUserGroupUsers, { organizationId, organizationUserGroupId: 'team', userIds: ['ada'] })
    await company.grant({ groupId: 'team', type: 'folder', id: 'plans', accessRole: 'editor' })
    const resource = { type: 'document' as const, id: 'roadmap', organizationId }
    await client.call(removePermissions, { userId: 'cem', permissions: { resources: [resource] } })
    return company
  }

  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
  const cells = async (page: Page, text: string) =>
    (await row(page, text).getByRole('cell').allInnerTexts()).map((cell) =>
      cell.replaceAll(/[\s\u2068\u2069]+/g, ' ').trim(),
    )

  it('of a document show who had access then and now, and the changes between', async () => {
    const company = await changedCompany()
    const opened = await visit(
      `keys/${company.apiKey}/${address('access', { organizationId, type: 'document', id: 'roadmap' })}`,
      { as: company },
    )
    const { page, faults } = opened
    await page.getByRole('link', { name: 'Changes', exact: true }).click()
    await page.locator('nav a[data-active]', { hasText: 'Events' }).waitFor()
    await page.getByText('1 gained access, 1 lost access, 1 the same').waitFor()
    assert.deepEqual(await cells(page, 'Ada Lovelace'), ['none', 'editor from Plans , through Team'])
    assert.deepEqual(await cells(page, 'cem'), ['viewer a grant here', 'none'])
    assert.equal(await row(page, 'Bob Stone').count(), 0)
    await button(page, 'Show 1 the same').click()
    assert.deepEqual(await cells(page, 'Bob Stone'), [
      'editor from Plans , until 18 May 2033',
      'editor from Plans , until 18 May 2033',
    ])
    await item(page, /removed viewer of user cem on Road map/).waitFor()
    await item(page, /gave Team editor on Plans/).waitFor()
    await item(page, /added Ada Lovelace to the user group Team of Acme/).waitFor()
    assert.equal(await item(page, 'Bob Stone').count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it('of a user show what they had access to, on a phone too', async () => {
    const company = await changedCompany()
    const opened = await visit(`keys/${company.apiKey}/${address('users/user', { userId: 'ada' })}`, {
      as: company,
      ...PHONE,
    })
    const { page, faults } = opened
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor()
    await page.getByText('viewer').first().waitFor()
    await page.route(`**${getUserData.path}`, async (route) => {
      await sleep(500)
      await route.continue()
    })
    await page.reload()
    await page.getByRole('link', { name: 'Changes', exact: true }).click() // not before it is known in which organization
    await page.getByText('1 with new access, 1 the same').waitFor()
    assert.deepEqual(await cells(page, 'Plans'), ['none', 'editor a grant here, through Team'])
    await item(page, /gave Team editor on Plans/).waitFor()
    assert.deepEqual(await misplaced(page), [])
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByText('90 days', { exact: true }).click()
    await page.getByText('2 with new access').waitFor()
    assert.deepEqual(faults, [])
  })
})
