/** Explanations of access in the console: one sentence, and the evaluation path as a list. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { removePermissions } from '#contract/access/permissions.ts'
import { disableDocuments } from '#contract/resources/documents.ts'
import { updateFolders } from '#contract/resources/folders.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { completeMigration } from '#testing/jobs.ts'
import { FULL } from '#testing/run/mode.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { address, type Company, HOSTILE_IDS, newCompany, organizationId, written } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { signIn } from '../support/sign-in.ts'

const { server, visit } = await openConsole()

const link = (company: Company, userId: string, type = 'document', id = 'roadmap') =>
  `keys/${company.apiKey}/${address('why', { organizationId, type, id, userId })}`

async function ask(company: Company, userId: string, type?: string, id?: string) {
  const opened = await visit(link(company, userId, type, id), { as: company })
  await opened.page.getByRole('region', { name: 'Decision' }).waitFor()
  return opened
}

const sentence = (page: Page, text: string) => page.getByRole('region', { name: 'Decision' }).getByText(text).waitFor()
const THING = 'Organization, folder or document'

/** Searches in a field, and picks the option with a text. */
async function pick(page: Page, label: string, typed: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).fill(typed)
  await page.getByRole('option').filter({ hasText: option }).click()
}

const steps = (page: Page) => page.getByRole('list', { name: 'From the organization' }).locator('> li').allInnerTexts()

describe('why', () => {
  it('shows the evaluation path with the boundary, the grants and the deciding one', async () => {
    const company = await newCompany(server)
    const { page, faults } = await ask(company, 'bob')
    await sentence(page, 'User Bob Stone may edit document Road map until 18 May 2033')
    await sentence(page, 'Rule 3 of 6')
    const [organization = '', work = '', plans = '', roadmap = '', result = ''] = await steps(page)
    assert.match(organization, /Acme.*does not apply here/s)
    assert.match(work, /Work.*inherits its access type.*no grant/s)
    assert.match(
      plans,
      /Boundary: from here on, the access type is restricted.*decides.*own access type.*editor.*gives access/s,
    )
    assert.match(roadmap, /Road map.*checked resource.*no grant/s)
    assert.match(result, /bob.*editor.*expires/s)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.setViewportSize({ width: 390, height: 844 })
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await page.getByRole('list', { name: 'From the organization' }).getByRole('link', { name: 'Plans' }).click()
    await page.getByRole('heading', { level: 1, name: 'Plans' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('explains expired grants, disabled and missing documents', async () => {
    const company = await newCompany(server)
    await company.grant({ userId: 'eve', type: 'folder', id: 'plans', accessRole: 'editor', expiresAt: 1 })
    const { page } = await ask(company, 'eve')
    await sentence(page, 'the grant on folder Plans expired 1 Jan 1970')
    await page.getByText('ignored').waitFor()
    await company.client.call(disableDocuments, { organizationId, documentIds: ['roadmap'], disabled: true })
    await page.reload()
    await sentence(page, 'Nobody has access to document Road map: it is disabled.')
    await page.getByText('decides', { exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Give access to this user' }).count(), 0)
    await page.getByRole('link', { name: 'Go to its folder to enable it' }).waitFor()
    await page.getByRole('button', { name: 'Enter ids' }).click()
    await page.getByRole('combobox', { name: 'Id', exact: true }).fill('nope')
    await page.getByRole('button', { name: 'Explain' }).click()
    await sentence(page, 'There is no document "nope" in organization Acme')
    assert.deepEqual(await violationsInBothSchemes(page), [])
  })

  it.runIf(FULL)('shows how many people each change admits, and which grants were probably meant', async () => {
    const company = await newCompany(server)
    await company.grant({ userId: 'ada', type: 'document', id: 'raodmap', accessRole: 'viewer' })
    const { page, faults } = await ask(company, 'ada')
    const changes = page.getByRole('region', { name: 'What would change it' }).getByRole('listitem')
    await changes.nth(1).waitFor()
    const [first = '', second = ''] = await changes.allInnerTexts()
    assert.match(first, /^Grant user Ada Lovelace .* Lets in 1 person\.\s+Preview…$/)
    assert.match(
      second,
      /^Set the access type of document Road map to organization private\. Lets in 1 person\.\s+Preview…$/,
    )
    await page.getByText('has a grant on raodmap, which was never added').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it('offers similar ids for a user, a thing or an organization that is not known', async () => {
    const company = await newCompany(server)
    const { page, faults } = await ask(company, 'bobb')
    const meant = page.getByRole('region', { name: 'Similar ids' })
    await meant.getByRole('link', { name: 'Bob Stone' }).click()
    await sentence(page, 'User Bob Stone may edit document Road map')
    assert.equal(await meant.count(), 0)
    for (const [organization, type, id, name, said] of [
      [organizationId, 'document', 'raodmap', 'Road map', 'document Road map'],
      [organizationId, 'folder', 'plnas', 'Plans', 'folder Plans'],
      ['acem', 'document', 'roadmap', 'Acme', 'document Road map'],
    ] as const) {
      const view = address('why', { organizationId: organization, type, id, userId: 'bob' })
      await page.goto(`${server.url}/console/keys/${company.apiKey}/${view}`)
      await meant.getByRole('link', { name, exact: true }).click()
      await sentence(page, `User Bob Stone may edit ${said}`)
    }
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('previews a way to give access, applies it, and undoes it', async () => {
    const company = await newCompany(server)
    const { page, faults } = await ask(company, 'ada')
    const ways = page.getByRole('region', { name: 'What would change it' }).getByRole('listitem')
    await ways.filter({ hasText: 'the role of viewer' }).getByRole('button', { name: 'Preview…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Preview' })
    await dialog.getByText('1 person gains access as viewer').first().waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await sentence(page, 'User Ada Lovelace may view document Road map')
    await page.getByRole('button', { name: 'Undo' }).click()
    await sentence(page, 'User Ada Lovelace has no access to document Road map')
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('names the user group of a grant, and says when it does not count', async () => {
    const company = await newCompany(server)
    const group = { groupId: 'design', groupName: 'Designers' }
    const userIds = ['ada']
    await company.client.call(addUserGroups, { organizationId, organizationUserGroups: [group] })
    await company.client.call(addUserGroupUsers, { organizationId, organizationUserGroupId: 'design', userIds })
    await company.grant({ groupId: 'design', type: 'folder', id: 'plans', accessRole: 'editor' })
    const { page, faults } = await ask(company, 'ada')
    await sentence(page, 'user group Designers, which the user is in,')
    const path = page.getByRole('list', { name: 'From the organization' })
    await path.getByRole('link', { name: 'Designers' }).waitFor()
    await company.grant({ groupId: 'design', type: 'document', id: 'roadmpa', accessRole: 'viewer' })
    await page.reload()
    const near = page.getByText('has a grant on').filter({ hasText: 'roadmpa' })
    await near.getByRole('link', { name: 'Designers' }).waitFor()
    assert.match((await steps(page))[2] ?? '', /Grant of user group.*Designers.*design.*editor.*gives access/s)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await company.client.call(removePermissions, {
      userId: 'ada',
      permissions: { resources: [{ type: 'organization', id: organizationId }] },
    })
    await page.reload()
    await path.getByText('because the user is not a member of the organization').waitFor()
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('shows all of a long name at the end of the evaluation path, on a phone too', async () => {
    const company = await newCompany(server)
    const name = `Maximiliane von ${'Hohenlohe-Langenburg-'.repeat(4)}Waldenburg`
    await company.client.call(setProfiles, { users: [{ userId: 'ada', name }] })
    const { page } = await visit(link(company, 'ada'), { as: company, viewport: { width: 390, height: 844 } })
    const path = page.getByRole('list', { name: 'From the organization' })
    const shown = path.getByRole('listitem').last().getByText(name, { exact: true })
    await shown.waitFor()
    const { x = 0, width = 390 } = (await shown.boundingBox()) ?? {}
    assert.ok(x + width < 390, `${x} + ${width}`)
  })

  it.runIf(FULL)('names a folder by its id if another one in the chain has the same name', async () => {
    const company = await newCompany(server)
    const folders = [{ folderId: 'work', folderName: 'Plans' }]
    await company.client.call(updateFolders, { organizationId, folders })
    const { page } = await ask(company, 'bob')
    await sentence(page, 'User Bob Stone may edit document Road map')
    await sentence(page, 'on folder "plans"')
  })

  it.runIf(FULL)('shows in the time zone of the browser when a grant expired', async () => {
    const company = await newCompany(server)
    await company.grant({ userId: 'ada', type: 'document', id: 'roadmap', accessRole: 'viewer', expiresAt: 1_800 })
    const { page } = await visit(link(company, 'ada'), { timezoneId: 'Asia/Kolkata', as: company })
    await sentence(page, 'the grant on it expired 1 Jan 1970, 06:00')
  })

  it.runIf(FULL)('links from the old id of a migrated document to the new one', async () => {
    const company = await newCompany(server)
    const ids = { organizationId, documentId: 'roadmap', newDocumentId: 'roadmap-2' }
    await completeMigration(company.client, ids)
    const { page } = await ask(company, 'bob')
    await page.getByRole('link', { name: 'under its new id' }).click()
    await sentence(page, 'User Bob Stone may edit document Road map')
    assert.equal(new URL(page.url()).searchParams.get('id'), 'roadmap-2')
  })

  it('uses a form that finds users by name, and has a URL that can be shared', async () => {
    const company = await newCompany(server)
    const { page, faults } = await visit(`keys/${company.apiKey}`, {
      as: company,
    })
    await page.getByRole('link', { name: 'Why' }).click()
    await page.getByText('No question yet').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('Select a user.').waitFor()
    await pick(page, THING, 'PLÀNS', 'Plans')
    await pick(page, 'User', 'stone', 'Bob Stone')
    await sentence(page, 'User Bob Stone may edit folder Plans')
    await page.getByRole('region', { name: 'Decision' }).and(page.locator(':focus')).waitFor()
    const { page: colleague } = await visit(new URL(page.url()).href.split('/console/')[1])
    await signIn(colleague, company)
    await sentence(colleague, 'User Bob Stone may edit folder Plans')
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)(
    'accepts people and documents in any order, people also by a typed id, and offers the last ones until signing out',
    async () => {
      const company = await newCompany(server)
      const { page, faults } = await visit(`keys/${company.apiKey}/why`, { as: company })
      await pick(page, 'User', 'lovelace', 'Ada Lovelace')
      await pick(page, THING, 'road', 'Road map')
      await sentence(page, 'User Ada Lovelace has no access')
      await pick(page, 'User', 'cem', 'Use the id cem')
      await sentence(page, 'User "cem"')
      await page.goto(`${server.url}/console/keys/${company.apiKey}/why`)
      await page.getByRole('combobox', { name: 'User' }).click()
      const offered = page.getByRole('option').filter({ visible: true })
      await offered.filter({ hasText: 'Ada Lovelace' }).waitFor()
      assert.deepEqual(await offered.allInnerTexts().then((texts) => texts.length), 2)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Account' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
      assert.equal(await page.evaluate('Object.keys(localStorage).filter((name) => name.includes("recent")).length'), 0)
      assert.deepEqual(faults, [])
    },
  )

  it.runIf(FULL)('repeats a recent question with a link or a key, and forgets it when signing out', async () => {
    const company = await newCompany(server)
    const { page, faults } = await ask(company, 'bob')
    await sentence(page, 'User Bob Stone may edit')
    await page.goto(`${server.url}/console/${link(company, 'ada')}`)
    await sentence(page, 'User Ada Lovelace has no access')
    const recent = page.getByRole('navigation', { name: 'Recent questions' })
    assert.deepEqual(await recent.getByRole('link').allInnerTexts(), ['Bob Stone on Road map'])
    await page.keyboard.press('Alt+ArrowUp')
    await sentence(page, 'User Bob Stone may edit')
    const user = page.getByRole('combobox', { name: 'User' })
    await user.fill('stone')
    await page.getByRole('option', { name: 'Bob Stone' }).waitFor()
    await page.keyboard.press('Alt+ArrowUp')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await sentence(page, 'User Bob Stone may edit')
    await user.press('Alt+ArrowUp')
    await sentence(page, 'User Ada Lovelace has no access')
    await page.goto(`${server.url}/console/keys/${company.apiKey}/why`)
    await recent.getByRole('link', { name: 'Bob Stone on Road map' }).click()
    await sentence(page, 'User Bob Stone may edit')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const kept = () => page.evaluate('Object.entries(localStorage).filter(([name]) => name.includes("questions"))')
    assert.doesNotMatch(JSON.stringify(await kept()), /editor|grant|sentence/, 'answers are not stored')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    assert.deepEqual(await kept(), [])
    assert.deepEqual(faults, [])
  })

  it('shows the answer and the ways to change it without scrolling', async () => {
    const company = await newCompany(server)
    const { page } = await ask(company, 'ada')
    await page.setViewportSize({ width: 1280, height: 800 })
    const ways = [
      page.getByRole('region', { name: 'Decision' }),
      page.getByRole('region', { name: 'What would change it' }),
      page.getByRole('link', { name: 'Give access to this user' }),
      page.getByRole('link', { name: 'Who has access' }),
    ]
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
    for (const way of ways) {
      const { y = 0, height = 0 } = (await way.boundingBox()) ?? {}
      assert.ok(height > 0 && y + height <= 800, `${way} ends at ${y + height}`)
    }
  })

  it.runIf(FULL)('links to the form for giving the user access', async () => {
    const company = await newCompany(server)
    const { page } = await ask(company, 'ada')
    await sentence(page, 'has no access')
    await page.getByRole('link', { name: 'Give access to this user' }).click()
    await page.getByRole('dialog', { name: 'Give access' }).getByText('ada', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('1 person gains access as viewer', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.waitForURL((url) => !url.searchParams.has('give'))
    await page.goBack()
    await sentence(page, 'User Ada Lovelace may view document Road map')
  })

  it.runIf(FULL)('shows hostile ids verbatim, from links written by hand', async () => {
    const company = await newCompany(server)
    const { page, faults } = await ask(company, 'bob')
    for (const id of [...HOSTILE_IDS, '12345678901234567890', '007', 'true']) {
      await page.goto(`${server.url}/console/${link(company, written(id))}`)
      const answer = page.getByRole('region', { name: 'Decision' })
      await answer.getByText(id, { exact: true }).waitFor()
      await answer
        .locator('bdi')
        .filter({ hasText: `"${id}"` })
        .waitFor()
      assert.equal(await page.title(), 'Why · Commonhold')
    }
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })
})
