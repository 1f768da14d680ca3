/**
 * The access review lists every grant of an organization with its history; people decide now or later, and remove
 * grants after a preview.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups } from '#contract/users/user-groups.ts'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'

const { server, visit } = await openConsole()
const organizationId = 'acme'

async function openReview() {
  const somebody = await newWorkspace(server.url)
  const { client } = somebody
  const documents = [{ documentId: 'salaries', documentName: 'Salaries', accessType: 'restricted' as const }]
  await client.call(addDocuments, { organizationId, createOrganization: true, documents })
  await client.call(setProfiles, { users: [{ userId: 'ada', name: 'Ada Lovelace' }] })
  await client.call(addUserGroups, {
    organizationId,
    organizationUserGroups: [{ groupId: 'staff', groupName: 'Staff' }],
  })
  const salaries = { type: 'document', id: 'salaries', organizationId } as const
  await client.call(addGrants, {
    grants: [
      { userId: 'ada', ...salaries, accessRole: 'viewer' },
      { userId: 'ada', ...salaries, accessRole: 'editor', expiresAt: 4_000_000_000 },
      { userId: 'bob', ...salaries, accessRole: 'viewer' },
      { groupId: 'staff', ...salaries, accessRole: 'viewer' },
    ],
  })
  const opened = await visit(`keys/${somebody.apiKey}/access-review?organizationId=${organizationId}`, { as: somebody })
  await row(opened.page, 'bob').waitFor()
  return { ...opened, client, owner: somebody.owner, apiKey: somebody.apiKey }
}

const row = (page: Page, text: string) =>
  page.getByRole('table', { name: 'Grants' }).getByRole('row').filter({ hasText: text })
const decide = (page: Page, text: string, decision: string) =>
  row(page, text).getByRole('radiogroup').getByText(decision, { exact: true }).click()

describe('an access review', () => {
  it('lists each holder and resource once, with role, start and grantor, and is accessible', async () => {
    const { page, faults } = await openReview()
    assert.equal(await page.getByRole('table', { name: 'Grants' }).getByRole('row').count(), 4)
    for (const text of ['Ada Lovelace', 'Salaries', 'editor', 'then viewer again', 'by '])
      await row(page, 'Ada').getByText(text).filter({ visible: true }).first().waitFor()
    assert.match(await row(page, 'Ada').innerText(), /unknown/, 'Ada has not signed in')
    await row(page, 'Staff').getByText('viewer').filter({ visible: true }).waitFor()
    await row(page, 'Staff').getByText('never').filter({ visible: true }).waitFor()
    await page.getByText('0 of 3 grants decided').waitFor()
    await page.setViewportSize({ width: 1024, height: 768 })
    for (const name of ['Ada Lovelace', 'Salaries'])
      assert.equal(
        await row(page, 'Ada')
          .getByRole('link', { name })
          .evaluate((link) => link.scrollWidth <= link.clientWidth),
        true,
        `${name} is cut off in a small window`,
      )
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it('shows the strongest of the grants, and an expiry only if that one expires', async () => {
    const { page, client } = await openReview()
    const cem = { userId: 'cem', type: 'document', id: 'salaries', organizationId } as const
    await client.call(addGrants, {
      grants: [
        { ...cem, accessRole: 'editor' },
        { ...cem, accessRole: 'viewer', expiresAt: 4_000_000_000 },
      ],
    })
    await page.reload()
    await row(page, 'cem').getByText('never').filter({ visible: true }).waitFor()
    assert.doesNotMatch(await row(page, 'cem').innerText(), /viewer|again/)
    await row(page, 'cem').getByText('editor', { exact: true }).filter({ visible: true }).waitFor()
  })

  it('offers to show later grants without moving rows, and strikes through the role that expired', async () => {
    const { page, client } = await openReview()
    const expiresAt = Math.floor(Date.now() / 1_000) + 3
    const cem = { userId: 'cem', type: 'document', id: 'salaries', organizationId } as const
    await client.call(addGrants, { grants: [{ ...cem, accessRole: 'viewer', expiresAt }] })
    const refresh = page.getByRole('button', { name: 'Grants have changed: refresh' })
    await refresh.waitFor()
    assert.equal(await row(page, 'cem').count(), 0)
    await refresh.click()
    await page.getByText('0 of 4 grants decided').waitFor()
    await row(page, 'cem').getByText('expired').filter({ visible: true }).waitFor()
    assert.match(await row(page, 'cem').innerText(), /viewer/)
    assert.doesNotMatch(await row(page, 'cem').innerText(), /none/)
  })

  it('names all holders of a page with one call, whatever they have grants on', async () => {
    const { page, client } = await openReview()
    const ids = Array.from({ length: 12 }, (_, index) => `plan-${index}`)
    const grants = ids.map(
      (id) => ({ userId: `guest-${id}`, type: 'document', id, organizationId, accessRole: 'viewer' }) as const,
    )
    await client.call(setProfiles, { users: grants.map(({ userId }) => ({ userId, name: `Guest of ${userId}` })) })
    await client.call(addGrants, { grants })
    const calls: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/v2/users/')) calls.push(new URL(request.url()).pathname)
    })
    await page.reload()
    await page.getByText('0 of 15 grants decided').waitFor()
    await row(page, 'Guest of guest-plan-7').first().waitFor()
    assert.deepEqual(calls, ['/v2/users/profiles/list'])
  })

  it('asks again about a grant that has changed since it was decided', async () => {
    const { page, client } = await openReview()
    await decide(page, 'bob', 'Keep')
    await decide(page, 'Staff', 'Remove')
    await page.getByText('2 of 3 grants decided').waitFor()
    const bob = { userId: 'bob', type: 'document', id: 'salaries', organizationId } as const
    await client.call(addGrants, { grants: [{ ...bob, accessRole: 'editor' }] })
    await page.getByRole('button', { name: 'Grants have changed: refresh' }).click()
    await row(page, 'bob').getByText('editor', { exact: true }).filter({ visible: true }).waitFor()
    await page.getByText('1 of 3 grants decided').waitFor()
    await client.call(addGrants, { grants: [{ ...bob, accessRole: 'viewer' }] })
    await page.reload()
    await page.getByText('2 of 3 grants decided').waitFor()
  })

  it('takes starting again back, except what was decided since', async () => {
    const { page } = await openReview()
    await decide(page, 'bob', 'Keep')
    await decide(page, 'Staff', 'Remove')
    await page.getByRole('button', { name: 'Start again' }).click()
    await page.getByText('0 of 3 grants decided').waitFor()
    await decide(page, 'Ada', 'Keep')
    await decide(page, 'Staff', 'Keep')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('3 of 3 grants decided').waitFor()
    await page.getByRole('button', { name: 'Remove grants…' }).waitFor()
  })

  it('shows in each tab what is decided and started again in another', async () => {
    const { page, context } = await openReview()
    await decide(page, 'bob', 'Keep')
    const other = await context.newPage()
    await other.goto(page.url())
    await other.getByText('1 of 3 grants decided').waitFor()
    await decide(page, 'Staff', 'Remove')
    await other.getByText('2 of 3 grants decided').waitFor()
    await page.getByRole('button', { name: 'Start again' }).click()
    await other.getByText('0 of 3 grants decided').waitFor()
    await decide(other, 'Ada', 'Keep')
    await page.getByRole('button', { name: 'Undo' }).click()
    for (const tab of [page, other]) await tab.getByText('3 of 3 grants decided').waitFor()
  })

  it('says when the browser has no room for more decisions, and counts them all the same', async () => {
    const { page } = await openReview()
    await decide(page, 'bob', 'Keep')
    await page.evaluate(() => {
      for (let size = 2 ** 22; size >= 1; size /= 2)
        for (let nth = 0; nth < 3; nth++)
          try {
            localStorage.setItem(`full ${size} ${nth}`, 'x'.repeat(size))
          } catch {}
    })
    await decide(page, 'Ada', 'Remove')
    await page.getByText('This browser has no room for more decisions').waitFor()
    await decide(page, 'Staff', 'Keep')
    await page.getByText('3 of 3 grants decided').waitFor()
    await page.evaluate(() => {
      for (const name of Object.keys(localStorage)) if (name.startsWith('full ')) localStorage.removeItem(name)
    })
    await decide(page, 'bob', 'Remove')
    await page.getByText('This browser has no room for more decisions').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('3 of 3 grants decided').waitFor()
  })

  it('removes nothing if one of the grants has changed since it was decided', async () => {
    const { page, client } = await openReview()
    await decide(page, 'bob', 'Remove')
    await decide(page, 'Staff', 'Remove')
    await page.getByRole('button', { name: 'Remove 2 grants…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove access' })
    await dialog.getByText('1 person loses access').waitFor()
    const bob = { userId: 'bob', type: 'document', id: 'salaries', organizationId } as const
    await client.call(addGrants, { grants: [{ ...bob, accessRole: 'editor' }] })
    await dialog.getByRole('button', { name: 'Remove 2 grants' }).click()
    await dialog.getByText('1 grant changed since this page has read them, so nothing was removed.').waitFor()
    const { grants } = await client.call(listGrants, { organizationId })
    assert.equal(grants.length, 4)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Grants have changed: refresh' }).click()
    await page.getByText('1 of 3 grants decided').waitFor()
  })

  it('shows the decisions of one person to nobody else who signs in', async () => {
    const { page, owner, apiKey } = await openReview()
    await decide(page, 'bob', 'Remove')
    await page.getByText('1 of 3 grants decided').waitFor()
    const view = `${server.url}/console/keys/${apiKey}/access-review?organizationId=${organizationId}`
    async function signInAs(email: string): Promise<void> {
      await page.getByRole('button', { name: 'Account' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
      const { link } = await owner.call(inviteOperator, { email, role: 'admin' })
      await page.goto('about:blank')
      await page.goto(link ?? '')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await page.goto(view)
      await row(page, 'bob').waitFor()
    }
    const places = () =>
      page.evaluate('Object.keys(localStorage).filter((name) => name.includes("access-review")).length')
    await signInAs('kim@example.com')
    assert.equal(await places(), 0, 'several people can have the same token')
    await page.getByText('0 of 3 grants decided').waitFor()
    await decide(page, 'Staff', 'Remove')
    await page.reload()
    await page.getByText('1 of 3 grants decided').waitFor()
    await signInAs('lou@example.com')
    await page.getByText('0 of 3 grants decided').waitFor()
    assert.equal(await places(), 1, 'Kim can continue')
  })

  it('is continued later in the same browser, and removes the chosen grants after a preview', async () => {
    const { page, client, faults } = await openReview()
    await decide(page, 'Ada', 'Keep')
    await decide(page, 'bob', 'Remove')
    await page.reload()
    await page.getByText('2 of 3 grants decided').waitFor()
    await page.getByRole('radiogroup', { name: 'Decision', exact: true }).getByText('Undecided').click()
    await row(page, 'Staff').waitFor()
    assert.equal(await row(page, 'bob').count(), 0)

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    assert.equal(lines.length, 5)
    assert.ok(lines.some((line) => line.startsWith('bob,') && line.endsWith(',remove')))

    await page.getByRole('button', { name: 'Remove 1 grant…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove access' })
    await dialog.getByText('1 person loses access').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('radiogroup', { name: 'Decision', exact: true }).getByText('All').click()
    await decide(page, 'Staff', 'Remove')
    await page.getByRole('button', { name: 'Remove 2 grants…' }).click()
    await dialog.getByText('1 person loses access').waitFor()
    let calls = 0
    await page.route('**/permissions/remove', (route) => (++calls === 2 ? route.abort() : route.continue()))
    await dialog.getByRole('button', { name: 'Remove 2 grants' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('button', { name: 'Remove 1 grant' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('1 of 1 grant decided').waitFor()
    const { grants } = await client.call(listGrants, { organizationId })
    assert.deepEqual(
      grants.flatMap(({ userId }) => userId ?? []),
      ['ada', 'ada'],
    )
    assert.deepEqual(faults, [])
  })
})
