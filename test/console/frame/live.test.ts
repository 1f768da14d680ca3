/** Pages that stay open show changes by others and expiries, without moving what somebody reads or writes. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addGrants } from '#contract/access/grants.ts'
import { removePermissions } from '#contract/access/permissions.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { deleteDocuments } from '#contract/resources/documents.ts'
import { addOrganizations, deleteOrganizations, updateOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups } from '#contract/users/user-groups.ts'
import { apply, chooseUsers, openAccess } from '../support/access-page.ts'
import type { VisitOptions } from '../support/browser.ts'
import { address, type Company, LATER, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { signInWithKey } from '../support/sign-in.ts'
import { act, button, row } from '../support/steps.ts'

const { server, visit } = await openConsole()

const openRoadmap = (company: Company, options: VisitOptions = {}) =>
  openAccess((view, more) => visit(view, { ...more, ...options }), company, 'document', 'roadmap', 'Road map')
const revoke = (company: Company, userId: string) =>
  company.client.call(removePermissions, {
    userId,
    permissions: { resources: [{ type: 'document', id: 'roadmap', organizationId }] },
  })

/** Counts the calls of a page from now on. */
function countCalls(page: Page): { calls: string[] } {
  const counted = { calls: [] as string[] }
  page.on('request', (request) => counted.calls.push(new URL(request.url()).pathname))
  return counted
}

/** Returns the texts of deleted rows without a line through them. An inline box does not get the one of its cell. */
const notStruckThrough = (page: Page) =>
  page.evaluate(`
    [...document.querySelectorAll('tr[inert] *')]
      .filter((one) => [...one.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue.trim() !== ''))
      .filter((one) => one.checkVisibility() && !getComputedStyle(one).textDecorationLine.includes('line-through'))
      .map((one) => one.textContent)`)

describe('an open page', () => {
  it('changes rows in place, marks deleted ones, and offers new ones', async () => {
    const company = await newCompany(server)
    const { page, faults } = await openRoadmap(company)
    await row(page, 'cem').getByText('viewer').waitFor()
    await company.grant({ userId: 'cem', type: 'document', id: 'roadmap', accessRole: 'editor' })
    await row(page, 'cem').getByText('editor').waitFor()
    const before = await row(page, 'cem').boundingBox()
    await company.grant({ userId: 'aaron', type: 'document', id: 'roadmap', accessRole: 'viewer' })
    await revoke(company, 'cem')
    await page.getByText('2 changes', { exact: false }).waitFor()
    assert.equal(await row(page, 'aaron').count(), 0)
    assert.deepEqual(await row(page, 'cem').boundingBox(), before)
    assert.equal(await row(page, 'cem').getAttribute('inert'), '')
    assert.deepEqual(await notStruckThrough(page), [])
    await button(page, 'Show').click()
    await row(page, 'aaron').waitFor()
    assert.equal(await row(page, 'cem').count(), 0)
    assert.deepEqual(faults, [])
  })

  it('keeps an open dialog and the text in it', async () => {
    const company = await newCompany(server)
    const { page } = await openRoadmap(company)
    await act(page, 'cem', 'Change role')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('editor', { exact: false }).first().waitFor()
    await revoke(company, 'cem')
    await page.locator('tr[inert]').waitFor({ state: 'attached' })
    await dialog.getByRole('button', { name: 'Preview' }).waitFor()
    await company.client.call(deleteDocuments, { organizationId, documentIds: ['roadmap'] })
    await page.getByText('It was deleted, or got another id, while this page was open.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await page.getByText('was never added').count(), 0)
    const main = page.getByRole('main')
    assert.doesNotMatch(await main.innerText(), /Who has access|Not found|Change access type|bob/)
    assert.equal(await button(page, 'Give access').count(), 0)

    const { page: organizations } = await visit(`keys/${company.apiKey}/organizations`, { as: company })
    await row(organizations, 'Acme').waitFor()
    await button(organizations, 'Add organization').click()
    await organizations.getByRole('textbox', { name: 'Id', exact: true }).fill('half-written')
    const organization = { organizationId: 'aaa', organizationName: 'Aaa' }
    await company.client.call(addOrganizations, { organizations: [organization] })
    await company.client.call(updateOrganizations, {
      organizations: [{ organizationId, organizationName: 'Acme Limited' }],
    })
    await organizations.getByText('Acme Limited').waitFor()
    assert.equal(await organizations.getByRole('textbox', { name: 'Id', exact: true }).inputValue(), 'half-written')
  })

  it('does not say who has access inside an organization that was deleted', async () => {
    const company = await newCompany(server)
    const { page } = await visit(`keys/${company.apiKey}/users?organizationId=${organizationId}`, { as: company })
    const inside = page.getByText('access to something inside', { exact: false })
    await inside
      .or(page.getByText('access only to something inside', { exact: false }))
      .first()
      .waitFor()
    await company.client.call(deleteOrganizations, { organizationIds: [organizationId] })
    await page.getByText('Not found').first().waitFor()
    await page.getByText('to something inside').first().waitFor({ state: 'detached' })
  })

  it('renders again what expires, and does not offer to undo what has expired', async () => {
    const company = await newCompany(server)
    const dora = { userId: 'dora', type: 'document', id: 'roadmap', accessRole: 'editor' } as const
    await company.grant({ ...dora, expiresAt: Math.ceil(Date.now() / 1000) + 20 })
    const { page } = await openRoadmap(company, { setsClock: true })
    await row(page, 'dora').getByText('expires', { exact: false }).waitFor()
    await page.getByRole('heading', { name: 'Expired grants' }).waitFor()
    await page.locator('tr[inert]').filter({ hasText: 'dora' }).waitFor({ state: 'attached' })
    await button(page, 'Show').click()
    await page.locator('tr[inert]').waitFor({ state: 'detached' })

    await button(page, 'Give access').click()
    await chooseUsers(page, 'ada')
    await page.getByRole('dialog').getByLabel('Expires').selectOption('In 1 day')
    await button(page, 'Preview').click()
    await apply(page)
    await button(page, 'Undo').waitFor()
    await page.clock.setSystemTime(Date.now() + 2 * 86_400_000)
    await page.getByText('The access that was given has expired, so there is nothing to undo.').waitFor()
    assert.equal(await button(page, 'Undo').count(), 0)
  })

  it('shows times in the chosen format, and on a phone the source and the end of access', async () => {
    const company = await newCompany(server)
    const view = address('access', { organizationId, type: 'folder', id: 'plans' })
    const { page } = await visit(`keys/${company.apiKey}/${view}`, { as: company })
    await row(page, 'Bob Stone').getByText('expires in', { exact: false }).waitFor()
    await button(page, 'Account').click()
    await page.getByRole('menuitem', { name: 'UTC' }).click()
    await row(page, 'Bob Stone').getByText('until 18 May 2033, 03:33 UTC').waitFor()
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 390, height: 800 })
    await row(page, 'Bob Stone').getByText('expires 18 May 2033, 03:33 UTC').filter({ visible: true }).waitFor()
    await page.goto(`${server.url}/console/keys/${company.apiKey}/settings`)
    const tabs = page.getByRole('navigation', { name: 'Settings' })
    await tabs.and(page.locator('[data-cue~=end]')).waitFor()
  })

  it('says of nothing that has happened that it will, although the clock of the browser is behind', async () => {
    const company = await newCompany(server)
    const { page } = await visit('keys', { as: company, setsClock: true })
    await page.clock.setSystemTime(Date.now() - 5 * 60_000)
    await page.goto(`${server.url}/console/keys/${company.apiKey}`)
    await page.getByRole('listitem').filter({ hasText: 'Bob Stone' }).first().getByText('now').waitFor()
    assert.doesNotMatch(await page.getByRole('main').innerText(), /^in \d+ (second|minute)s?$/m)
    const view = address('access', { organizationId, type: 'folder', id: 'plans' })
    await page.goto(`${server.url}/console/keys/${company.apiKey}/${view}`)
    await row(page, 'Bob Stone').getByText('expires in', { exact: false }).waitFor()
  })

  it('shows whole times in the narrow columns of lists, in each format', async () => {
    const company = await newCompany(server)
    const group = { organizationId, groupId: 'design' }
    await company.client.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'design' }] })
    await company.client.call(addGrants, {
      grants: [
        { ...group, type: 'folder', id: 'plans', accessRole: 'viewer', expiresAt: LATER },
        { ...group, type: 'folder', id: 'work', accessRole: 'viewer', expiresAt: Math.floor(Date.now() / 1_000) + 1 },
      ],
    })
    const { page } = await visit(`keys/${company.apiKey}/${address('groups', group)}`, {
      as: company,
      viewport: { width: 1440, height: 900 },
    })
    const grants = page.getByRole('table', { name: 'Grants of the group' })
    await grants.getByText('expired').filter({ visible: true }).waitFor()
    await button(page, 'Account').click()
    for (const format of ['Relative times', 'Local date and time', 'UTC']) {
      await page.getByRole('menuitem', { name: format }).click()
      const cells = await grants
        .locator('tbody td')
        .evaluateAll((all) =>
          all.map(({ scrollWidth, clientWidth, clientHeight }) => [scrollWidth - clientWidth, clientHeight]),
        )
      assert.ok(cells.length > 0 && cells.every(([cut]) => cut === 0), `cells are cut: ${format}`)
      assert.ok(
        cells.every(([, height = 0]) => height <= 44),
        `rows are higher than others: ${format}`,
      )
    }
  })

  it('queries the server rarely while nothing happens, and not at all while it is hidden', async () => {
    const company = await newCompany(server)
    const { page } = await openRoadmap(company)
    await page.waitForTimeout(20_000)
    const counted = countCalls(page)
    await page.waitForTimeout(20_000)
    assert.ok(counted.calls.length <= 3, counted.calls.join(' '))
    assert.deepEqual([...new Set(counted.calls)], ['/v2/workspace/events/list'])
  })

  it('of a token that must not read events is refreshed when the window gets the focus', async () => {
    const company = await newCompany(server)
    const data = { apiKey: company.apiKey, name: 'reader', scopes: ['read' as const] }
    const { authToken } = await company.owner.call(createAuthToken, data)
    const view = address('access', { organizationId, type: 'document', id: 'roadmap' })
    const { page } = await visit(`keys/${company.apiKey}/${view}`)
    await signInWithKey(page, { apiKey: company.apiKey, authToken: authToken.token })
    await row(page, 'cem').getByText('viewer').waitFor()
    const counted = countCalls(page)
    await company.grant({ userId: 'cem', type: 'document', id: 'roadmap', accessRole: 'editor' })
    await page.evaluate('dispatchEvent(new Event("focus"))')
    await row(page, 'cem').getByText('editor').waitFor()
    assert.ok(counted.calls.every((path) => path !== '/v2/workspace/events/list'))
  })
})
