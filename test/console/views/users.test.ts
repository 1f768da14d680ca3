/** Users in the console: profiles, memberships, access, tokens, and data protection. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { listProfiles, setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { generateToken, verifyToken } from '#contract/users/user-tokens.ts'
import { addUsers, getUsers } from '#contract/users/users.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace, type Somebody } from '../support/sign-in.ts'
import { act, row } from '../support/steps.ts'

const { server, visit } = await openConsole()

const organizationId = 'acme'
const PEOPLE = [
  { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com', accessRole: 'editor' as const },
  { userId: 'bob', name: 'Bob Martin', accessRole: 'viewer' as const },
]

async function openUsers(search: Record<string, string> = {}, view = 'users') {
  const somebody = await newWorkspace(server.url)
  const { client } = somebody
  await client.call(addOrganizations, { organizations: [{ organizationId, organizationName: 'Acme' }] })
  await client.call(addUsers, { organizationId, users: PEOPLE })
  await client.call(addDocuments, { organizationId, documents: [{ documentId: 'roadmap', accessType: 'restricted' }] })
  await client.call(addPermissions, {
    user: { userId: 'ada' },
    permissions: { resources: [{ type: 'document', id: 'roadmap', organizationId, accessRole: 'viewer' }] },
  })
  await client.call(addUserGroups, {
    organizationId,
    organizationUserGroups: [{ groupId: 'design', groupName: 'Design' }],
  })
  await client.call(addUserGroupUsers, { organizationId, organizationUserGroupId: 'design', userIds: ['ada'] })
  const opened = await visit(`keys/${somebody.apiKey}/${view}?${new URLSearchParams(search)}`, {
    as: somebody,
  })
  await opened.page.getByRole('heading', { level: 1 }).waitFor()
  return { ...opened, somebody }
}

const openUser = (userId: string) => openUsers({ userId }, 'users/user')

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).first()

async function members({ client }: Somebody): Promise<string[]> {
  return ((await client.call(getUsers, { organizationId })) as { userId: string }[]).map(({ userId }) => userId)
}

async function profile({ client }: Somebody, userId: string) {
  const { profiles } = await client.call(listProfiles, {})
  return profiles.find((profile) => profile.userId === userId)
}

describe('users in the console', () => {
  it('lists all profiles, filters loaded ones, and searches the members of an organization', async () => {
    const { page, faults } = await openUsers()
    await row(page, 'Ada Lovelace').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const find = page.getByRole('textbox', { name: 'Search by id, name or e-mail address' })
    await find.fill('ADA@')
    await row(page, 'Bob Martin').waitFor({ state: 'detached' })
    await page.getByText('Searched all profiles, best match first.').waitFor()
    await find.fill('')
    await page.getByRole('combobox', { name: 'Organization' }).click()
    await page.getByRole('option', { name: 'Acme' }).click()
    await row(page, 'Ada Lovelace').getByText('editor').waitFor()
    await find.fill('mart')
    await row(page, 'Ada Lovelace').waitFor({ state: 'detached' })
    await row(page, 'Bob Martin').getByText('viewer').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await find.fill('nobody at all')
    await page.getByText('No matching users').waitFor()
    assert.deepEqual(faults, [])
  })

  it('adds a member, and stores the profile of a user without membership', async () => {
    const { page, somebody } = await openUsers({ organizationId })
    await page.getByRole('button', { name: 'Add user' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add user' })
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByText('Enter an id.').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog.getByLabel('Id', { exact: false }).first().fill('eve')
    await dialog.getByLabel('Name').fill('Eve')
    await dialog.getByLabel('Guest').check()
    await dialog.getByRole('button', { name: 'Add' }).click()
    await row(page, 'Eve').getByText('viewer').waitFor()
    assert.deepEqual(await members(somebody), ['ada', 'bob', 'eve'])
    assert.deepEqual(await profile(somebody, 'eve'), { userId: 'eve', name: 'Eve', isGuest: true })
  })

  it('changes nobody who has the id of a new user', async () => {
    const { page, somebody } = await openUsers({ organizationId })
    await page.getByRole('button', { name: 'Add user' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add user' })
    await dialog.getByLabel('Id', { exact: false }).first().fill('ada')
    await dialog.getByLabel('Name').fill('Eve')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog
      .getByRole('alert')
      .filter({ hasText: 'Ada Lovelace is a member of the organization already, as editor.' })
      .waitFor()
    await dialog.getByText('It already exists').waitFor()
    await dialog.getByLabel('Role in the organization').selectOption('none')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'Ada Lovelace has this id and a profile already' }).waitFor()
    const [ada] = (await somebody.client.call(getUsers, { organizationId, userIds: ['ada'] })) as object[]
    assert.partialDeepStrictEqual(ada, { name: 'Ada Lovelace', accessRole: 'editor' })
  })

  it('changes a profile, and undoes it', async () => {
    const { page, somebody } = await openUser('ada')
    await part(page, 'Profile').getByText('ada@example.com').waitFor()
    await page.getByRole('button', { name: 'Edit profile' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit profile' })
    await dialog.getByLabel('Name').fill('Countess')
    await dialog.getByLabel('E-mail address').fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Countess' }).waitFor()
    assert.deepEqual(await profile(somebody, 'ada'), { userId: 'ada', name: 'Countess' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor()
    assert.equal((await profile(somebody, 'ada'))?.email, 'ada@example.com')
  })

  it('changes only what was edited, also when somebody else changes the profile meanwhile', async () => {
    const { page, somebody } = await openUser('ada')
    await page.getByRole('button', { name: 'Edit profile' }).click()
    await somebody.client.post(setProfiles.path, { users: [{ userId: 'ada', name: 'Augusta' }] })
    await page.getByRole('heading', { level: 1, name: 'Augusta', includeHidden: true }).waitFor()
    const dialog = page.getByRole('dialog', { name: 'Edit profile' })
    await dialog.getByLabel('E-mail address').fill('augusta@example.com')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(await profile(somebody, 'ada'), { userId: 'ada', name: 'Augusta', email: 'augusta@example.com' })
  })

  it('shows fields of the application without JSON', async () => {
    const { page, somebody } = await openUser('ada')
    const context = { team: 'Design', floors: [2, 3], remote: true }
    await somebody.client.post(setProfiles.path, { users: [{ userId: 'ada', context }] })
    await page.reload()
    const shown = page.getByRole('table', { name: 'Profile' }).getByRole('row').filter({ hasText: 'context' })
    await shown.getByText('team: Design').waitFor()
    assert.equal(await shown.getByRole('cell').innerText(), 'team: Design\nfloors: 2, 3\nremote: on')
  })

  it('shows the memberships and the access of a user', async () => {
    const { page, somebody, faults } = await openUser('ada')
    const belongs = part(page, 'Organizations, grants and groups')
    await belongs.getByRole('link', { name: 'Acme', exact: true }).waitFor()
    await belongs.getByRole('row').filter({ hasText: 'roadmap' }).getByText('viewer').waitFor()
    await belongs.getByRole('row').filter({ hasText: 'acme' }).getByText('editor').waitFor()
    await belongs.getByRole('link', { name: 'Design' }).waitFor()
    await row(page, 'roadmap').getByText('own grant').waitFor()
    await somebody.client.call(addPermissions, {
      group: { organizationId, groupId: 'design' },
      permissions: { resources: [{ type: 'document', id: 'sketch', organizationId, accessRole: 'viewer' }] },
    })
    await page.reload()
    await row(page, 'sketch').getByText('by group').waitFor()
    await row(page, 'sketch').getByRole('link', { name: 'Design' }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it('shows what has happened to a user, as it happens, and leads to all of it', async () => {
    const { page, somebody, faults } = await openUser('ada')
    const events = part(page, 'Latest events')
    await events.getByText('Ada Lovelace').first().waitFor()
    assert.equal(await events.getByText('Bob Martin').count(), 0)
    const height = () => events.evaluate((element) => element.getBoundingClientRect().height)
    const unseen = await height()
    await events.scrollIntoViewIfNeeded()
    await page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))')
    assert.equal(await height(), unseen, 'nothing moves when it is scrolled into view')
    await somebody.client.call(setProfiles, { users: [{ userId: 'ada', name: 'Ada King' }] })
    const first = events.getByRole('listitem').first()
    await first.getByText('Ada King').first().waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await first.getByRole('button').click()
    await page.getByRole('dialog', { name: 'Event' }).getByText('Before and after').waitFor()
    await page.keyboard.press('Escape')
    await events.getByRole('link', { name: 'All events of this user' }).click()
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('userId'), 'ada')
    assert.deepEqual(faults, [])
  })

  it('revokes the tokens of a user', async () => {
    const { page, somebody } = await openUser('ada')
    const { token } = await somebody.client.call(generateToken, { userId: 'ada' })
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Disable…' }).click()
    await dialog.getByText('Blocks all access of Ada Lovelace').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Revoke all tokens…' }).click()
    await dialog.getByText('any current token of Ada Lovelace').waitFor()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('All tokens of the user were revoked.').waitFor()
    assert.equal((await somebody.client.call(verifyToken, { token })).reason, 'revoked')
  })

  it('removes a member after the name is typed, and keeps the profile', async () => {
    const { page, somebody } = await openUsers({ organizationId })
    await act(page, 'Bob Martin', 'Remove from organization')
    const dialog = page.getByRole('dialog', { name: 'Remove the user from the organization' })
    await dialog.getByText(/Every grant of Bob Martin\s*bob\s*in Acme\s*acme\s*is revoked/).waitFor()
    await dialog.getByRole('textbox').fill('Bob')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByText('This does not match the name.').waitFor()
    await dialog.getByRole('textbox').fill('Bob Martin')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await row(page, 'Bob Martin').waitFor({ state: 'detached' })
    assert.deepEqual(await members(somebody), ['ada'])
    assert.equal((await profile(somebody, 'bob'))?.name, 'Bob Martin')
  })

  it('asks for the id of somebody whose name cannot be read, and takes nothing else', async () => {
    const { page, somebody } = await openUsers({ organizationId })
    await somebody.client.call(addUsers, { organizationId, users: [{ userId: 'zoe', name: '\u200B\u200B' }] })
    await page.reload()
    await act(page, 'zoe', 'Remove from organization')
    const dialog = page.getByRole('dialog', { name: 'Remove the user from the organization' })
    await dialog.getByText('Type zoe to confirm').waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByText('This does not match the name.').waitFor()
    await dialog.getByRole('textbox').fill('zoe')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(await members(somebody), ['ada', 'bob'])
  })

  it('shows all of a name that has to be typed, and takes it as it is read', async () => {
    const { page, somebody } = await openUsers({ organizationId })
    // With ü as two characters, two spaces, a direction mark and a variation selector.
    const name = `Ju\u0308rgen  Müller\u200E\uFE0F-${'Lüdenscheidt-'.repeat(9)}Waldenburg`
    await somebody.client.call(addUsers, { organizationId, users: [{ userId: 'jm', name }] })
    await page.reload()
    await row(page, 'jm')
      .getByRole('button', { name: /^Actions for/ })
      .click()
    await page.getByRole('menuitem', { name: 'Remove from organization' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove the user from the organization' })
    const shown = dialog.locator('label').filter({ hasText: 'to confirm' }).locator('bdi')
    const right = async (part: Locator) => {
      const { x = 0, width = Infinity } = (await part.boundingBox()) ?? {}
      return x + width
    }
    assert.ok((await right(shown)) <= (await right(dialog.getByRole('textbox'))))
    await dialog.getByRole('textbox').fill(`Jürgen Müller-${'Lüdenscheidt-'.repeat(9)}Waldenburg`)
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(await members(somebody), ['ada', 'bob'])
  })

  it('removes a user from the page of the user after a count, and undoes it', async () => {
    const { page, somebody, faults } = await openUser('ada')
    const belongs = part(page, 'Organizations, grants and groups')
    await belongs.getByRole('button', { name: 'Remove…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove the user from the organization' })
    await dialog.getByText('2 grants and 1 group membership will be removed.').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog.getByRole('textbox').fill('Ada Lovelace')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('This user has no grants or groups in any organization.', { exact: false }).waitFor()
    assert.deepEqual(await members(somebody), ['bob'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await belongs.getByRole('row').filter({ hasText: 'roadmap' }).getByText('viewer').waitFor()
    await belongs.getByRole('link', { name: 'Design' }).waitFor()
    assert.deepEqual(await members(somebody), ['ada', 'bob'])
    assert.deepEqual(faults, [])
  })

  it('exports all data of a user', async () => {
    const { page, faults } = await openUser('ada')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export data' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'ada.json')
    const { userId, profile, organizations } = JSON.parse(await readFile(await download.path(), 'utf8'))
    assert.deepEqual([userId, profile.name], ['ada', 'Ada Lovelace'])
    const [acme] = organizations.filter((each: { organizationId?: string }) => each.organizationId === organizationId)
    assert.deepEqual(acme.grants.length, 2)
    assert.deepEqual(faults, [])
  })

  it('erases a user after the id is typed, and shows the progress', async () => {
    const { page, somebody } = await openUser('ada')
    await page.getByRole('button', { name: 'Erase…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Erase user' })
    await dialog.getByRole('textbox').fill('ada')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog.getByRole('button', { name: 'Erase' }).click()
    await page.getByText('Erased.', { exact: true }).waitFor()
    assert.equal(await page.getByRole('progressbar').getAttribute('aria-valuenow'), '100')
    await page.getByText('No profile stored.', { exact: false }).waitFor()
    assert.equal(await profile(somebody, 'ada'), undefined)
    assert.deepEqual(await members(somebody), ['bob'])
  })

  it('shows ids and names verbatim', async () => {
    const ids = ['<img src=x onerror=alert(1)>', '"quoted\' `id`', 'abc\u202edcba', '..', 'x'.repeat(256), '7']
    const { page, faults, somebody } = await openUsers()
    await somebody.client.call(setProfiles, { users: ids.map((userId) => ({ userId, name: `<b>${userId}` })) })
    await page.reload()
    await row(page, 'onerror').waitFor()
    const shown = await page.locator('tbody td:nth-child(2) bdi[title]').allTextContents()
    assert.deepEqual(shown.toSorted(), ['ada', 'bob', ...ids].toSorted())
    assert.equal(await page.locator('main :is(img, b)').count(), 0)
    for (const id of ids) {
      await page.getByRole('link', { name: `<b>${id}`, exact: true }).click()
      await page.getByRole('heading', { level: 1, name: `<b>${id}` }).waitFor()
      assert.equal(new URL(page.url()).searchParams.get('userId')?.replaceAll('"', ''), id.replaceAll('"', ''))
      await page.goBack()
    }
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })
})
