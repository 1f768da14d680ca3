/**
 * The dialogs of sharing in a browser: with the keyboard alone, with a preview, for editors, readers and people
 * outside, accessible in light and dark.
 */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addGrants, type GrantInput } from '#contract/access/grants.ts'
import { removePermissions } from '#contract/access/permissions.ts'
import { SHARING_OPERATIONS } from '#contract/access/sharing.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { until } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import { CallError } from '../../components/connection/call-error.ts'
import { saySharingError } from '../../components/connection/sharing.ts'
import { sayPreview } from '../../components/words/changes.ts'
import { speaker } from '../../components/words/texts.ts'
import { violations } from '../console/support/accessibility.ts'
import { newTeam, type PersonId, SHARING, type Team } from './support/page.ts'

const server = await sharedServer()
const organizationId = 'acme'
const roadmap = { type: 'document', id: 'roadmap', organizationId } as const
let team: Team

beforeEach(async () => {
  team = await newTeam(server)
  await team.key.call(updateKeyConfig, { userSharing: 'editors', defaultDocumentAccessType: 'restricted' })
})

const grant = (...grants: GrantInput[]) => team.key.call(addGrants, { grants })
const roleOf = async (userId: string) =>
  (await team.key.call(checkPermissions, { checks: [{ userId, resource: roadmap }] })).checks[0]?.accessRole
const open = (as: PersonId, options: Parameters<Team['open']>[1] = {}) =>
  team.open(as, { article: SHARING, attributes: 'hidden', ...options })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

async function chooseBob(page: Page) {
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const share = dialog(page, 'Share this document')
  await share.getByRole('combobox', { name: 'People and groups' }).fill('bob')
  await share.getByRole('option', { name: 'Bob Noyce' }).click()
  return share
}

/** Returns the name or text of the focused element. */
const focused = (page: Page) =>
  page.evaluate(`(() => {
    let one = document.activeElement
    while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
    return one.getAttribute('aria-label') ?? one.id
  })()`) as Promise<string>

describe('sharing', () => {
  it('is done with the keyboard alone, after a preview, and returns the focus', async () => {
    await grant({ userId: 'out', type: 'organization', id: organizationId, accessRole: 'viewer' })
    const { page, faults } = await open('ada')
    await page.getByRole('button', { name: 'Share', exact: true }).focus()
    await page.keyboard.press('Enter')
    const share = dialog(page, 'Share this document')
    await until('the field has the focus', async () => (await focused(page)) === 'field')
    // Types fast, so that Enter comes before the search has returned.
    await page.keyboard.type('cyd')
    await page.keyboard.press('Enter')
    await share.getByRole('button', { name: 'Do not share with Cyd Charisse' }).waitFor()
    await page.keyboard.type('no')
    await share.getByText('Nobody with that name').waitFor({ state: 'detached' })
    await share.getByRole('option', { name: 'Bob Noyce' }).waitFor()
    await page.keyboard.press('Escape')
    await share.getByRole('listbox').waitFor({ state: 'detached' })
    await share.getByLabel('Role').selectOption('Can edit')
    await share
      .getByText('Cyd Charisse: Can edit, no longer Can view'.replace('Cyd Charisse', '\u2068Cyd Charisse\u2069'))
      .waitFor()
    assert.equal(await roleOf('cyd'), 'viewer')
    await share.getByRole('button', { name: 'Share', exact: true }).focus()
    await page.keyboard.press('Enter')
    await share.getByText('Access changed.').waitFor({ state: 'attached' })
    assert.equal(await roleOf('cyd'), 'editor')
    await until('the field has the focus again', async () => (await focused(page)) === 'field')
    for (let steps = 0; steps < 12; steps++) {
      await page.keyboard.press('Tab')
      assert.equal(
        await page.evaluate(
          `document.activeElement === document.body || document.activeElement.tagName === 'COMMONHOLD-SHARE'`,
        ),
        true,
      )
    }
    await page.keyboard.press('Escape')
    await share.waitFor({ state: 'hidden' })
    assert.equal(await focused(page), 'open')
    assert.deepEqual(faults, [])
  })

  it('shows how many members of a group gain access, and when an end of access is', async () => {
    await team.key.call(addUserGroups, {
      organizationId,
      organizationUserGroups: [{ groupId: 'design', groupName: 'Design' }],
    })
    await grant({ ...roadmap, userId: 'ada', accessRole: 'editor', expiresAt: 4_102_444_800 })
    const { page } = await open('ada')
    await team.key.call(addUserGroupUsers, { organizationId, organizationUserGroupId: 'design', userIds: ['bob'] })
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    const share = dialog(page, 'Share this document')
    await share.getByRole('combobox', { name: 'People and groups' }).fill('des')
    await share.getByRole('option', { name: 'Design Group' }).click()
    // The sharer's own access expires, so nothing can be given for longer.
    assert.deepEqual(await share.getByLabel('Access ends').locator('option').allTextContents(), [
      ...['When mine does, Jan 1, 2100', 'In 1 day', 'In 7 days', 'In 30 days', 'In 90 days'],
    ])
    await share.getByLabel('Role').selectOption('Can edit')
    await share.getByText('\u2068Design\u2069 gets access: Can edit, until Jan 1, 2100').waitFor()
    await share.getByText('1 member keeps access with another role or end date').waitFor()
  })

  it('says why it fails and what to do', async () => {
    const { page } = await open('ada')
    const share = await chooseBob(page)
    await share.getByText('This would lower a stronger role').waitFor()
    await team.key.call(updateKeyConfig, { userSharing: 'none' })
    await share.getByLabel('Role').selectOption('Can edit')
    await share.getByText('This app does not let its users share.').waitFor()
    await team.key.call(updateKeyConfig, { userSharing: 'editors' })
    await share.getByRole('button', { name: 'Try again' }).click()
    await share.getByText('Can edit, no longer Can comment').waitFor()
    await team.key.call(removePermissions, {
      userId: 'ada',
      permissions: { resources: [{ type: 'organization', id: organizationId }] },
    })
    await share.getByRole('button', { name: 'Share', exact: true }).click()
    await share.getByText('This document is no longer open to you.').waitFor()
    assert.equal(await roleOf('bob'), 'commenter')
  })
})

describe('a change', () => {
  it('is made once when the response is lost, and again with a new key after a refusal', async () => {
    const { page } = await open('ada')
    const attempts: { key: string | undefined; body: string | null }[] = []
    let isLost = false
    await page.route('**/v2/auth/sharing/update', async (route) => {
      const request = route.request()
      if (request.postData()?.includes('"dryRun":true')) return route.continue()
      attempts.push({ key: request.headers()['idempotency-key'], body: request.postData() })
      if (!isLost) return route.continue()
      isLost = false
      await route.fetch()
      return route.abort()
    })
    const share = await chooseBob(page)
    await share.getByLabel('Role').selectOption('Can edit')
    await share.getByLabel('Access ends').selectOption('In 1 day')
    await share.getByText('Can edit, until').waitFor()
    const apply = share.getByRole('button', { name: 'Share', exact: true })
    await team.key.call(updateKeyConfig, { userSharing: 'none' })
    await apply.click()
    await share.getByText('This app does not let its users share.').waitFor()
    await team.key.call(updateKeyConfig, { userSharing: 'editors' })
    isLost = true
    await apply.click()
    await share.getByText('The server could not be reached.').waitFor()
    // The end is counted in seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await share.getByRole('button', { name: 'Try again' }).click()
    await share.getByText('Access changed.').waitFor({ state: 'attached' })
    const [refused, lost, repeated] = attempts
    assert.notEqual(refused?.key, lost?.key)
    assert.deepEqual(repeated, lost)
    assert.equal(await roleOf('bob'), 'editor')
  })

  it('applies only to the document and the user for which it was chosen', async () => {
    await team.key.call(addDocuments, { organizationId, documents: [{ documentId: 'other' }] })
    const { page } = await open('ada')
    const share = await chooseBob(page)
    await share.getByLabel('Role').selectOption('Can edit')
    await share.getByText('Can edit, no longer Can comment').waitFor()
    const host = (script: string) =>
      page.evaluate(`{ const host = document.querySelector('commonhold-share'); ${script} }`)
    // React does this with each rendering.
    await host(`host.token = async () => (await fetch('/token?as=ada')).text()`)
    await share.getByLabel('Access ends').selectOption('In 1 day')
    await share.getByText('Can edit, until').waitFor()
    await host(`host.token = async () => (await fetch('/token?as=bob')).text()`)
    await share.getByRole('button', { name: 'Share', exact: true }).click()
    await share.getByText('You are signed in as somebody else now.').waitFor()
    await host(`host.token = async () => (await fetch('/token?as=ada')).text(); host.documentId = 'other'`)
    await share.getByText('Choose somebody').waitFor()
    assert.deepEqual(await share.getByRole('button', { name: /Bob|^Share$/ }).count(), 0)
    await host(`host.documentId = undefined`)
    await share.getByText('This page does not say yet').waitFor()
    assert.equal(await roleOf('bob'), 'commenter')
  })

  it("cannot be edited while it is applied, ends with the sharer's access, and keeps a standing grant", async () => {
    const end = 4_102_444_800
    await grant(
      { ...roadmap, userId: 'guest', accessRole: 'viewer' },
      { ...roadmap, userId: 'guest', accessRole: 'editor', expiresAt: end - 86_400 },
    )
    const { page } = await open('ada')
    let answer = () => {}
    await page.route('**/v2/auth/sharing/update', async (route) => {
      if (!route.request().postData()?.includes('"dryRun":true'))
        await new Promise<void>((resolve) => {
          answer = resolve
        })
      await route.continue()
    })
    await page.getByRole('button', { name: 'Who has access' }).click()
    const access = dialog(page, 'Who has access')
    const role = access.getByLabel('Role of guest')
    await role.selectOption('Can view')
    await access.getByText('\u2068guest\u2069: Can view, no longer Can edit, until').waitFor()
    await access.getByRole('button', { name: 'Apply changes' }).click()
    await access.getByText('Applying…').waitFor()
    assert.equal(await role.isDisabled(), true)
    answer()
    await access.getByText('Access changed.').waitFor({ state: 'attached' })
    await access.getByRole('button', { name: 'Close' }).click()
    await grant({ ...roadmap, userId: 'ada', accessRole: 'editor', expiresAt: end })
    await page.getByRole('button', { name: 'Who has access' }).click()
    await role.selectOption('Can comment')
    await access.getByText('it ends when yours does, Jan 1, 2100').waitFor()
    await access.getByText('\u2068guest\u2069: Can comment, until Jan 1, 2100, no longer Can view').waitFor()
  })

  it('is announced in words, and so is each refusal', () => {
    const say = speaker(undefined, 'en')
    for (const reason of new Set<string>(SHARING_OPERATIONS.flatMap(({ reasons }) => reasons as readonly string[])))
      assert.doesNotMatch(saySharingError(new CallError('FAILED_PRECONDITION', 'raw', reason), say), /raw/, reason)
    const via = { type: 'folder', id: 'f', name: 'Plans', inherited: true } as const
    const after = { accessRole: 'editor', via: { type: 'keyDefault', inherited: true } } as const
    const members = { gaining: 1_000, changing: 0, losing: 0, isExact: false }
    const changes = [
      { userId: 'bob', effect: 'removed', after },
      { userId: 'cyd', effect: 'removed', after: { ...after, via } },
      { groupId: 'all', effect: 'given', after, members },
      { groupId: 'big', effect: 'given', after, members: { ...members, gaining: 0 } },
    ] as const
    assert.deepEqual(sayPreview({ changes: [...changes], user: { canShare: true } }, [], say, 'en'), [
      '\u2068bob\u2069 keeps access: Can edit',
      '\u2068cyd\u2069 keeps access through the folder \u2068Plans\u2069: Can edit',
      '\u2068all\u2069 gets access: Can edit',
      'At least 1,000 members gain access',
      '\u2068big\u2069 gets access: Can edit',
      'The group is too large to count all members whose access changes',
    ])
  })
})

describe('who has access', () => {
  it('keeps the pages that were read, and shows nothing after access is lost', async () => {
    const { page } = await open('ada', { script: 'configure({ pollSeconds: 1 })' })
    let reads = 0
    await page.route('**/v2/auth/sharing/get', (route) => {
      reads++
      const { data } = route.request().postDataJSON()
      return route.continue({ postData: JSON.stringify({ data: { ...data, pageSize: 1 } }) })
    })
    const show = page.getByRole('button', { name: 'Who has access' })
    await show.click()
    const access = dialog(page, 'Who has access')
    for (const count of [1, 2, 3]) {
      await until('the pages are shown', async () => (await access.getByRole('listitem').count()) === count)
      if (count < 3) await access.getByRole('button', { name: 'Show more' }).click()
    }
    const before = reads
    await page.evaluate(`document.querySelector('commonhold-access').refresh()`)
    assert.ok(reads > before)
    assert.equal(await access.getByRole('listitem').count(), 3)
    await access.getByRole('button', { name: 'Close' }).click()
    await team.key.call(updateKeyConfig, { userSharing: 'none' })
    await show.click()
    await access.getByText('This app does not let its users share.').waitFor()
    assert.equal(await access.getByRole('listitem').count(), 0)
  })

  it('shows the source of the access, changes and removes it after a preview, and shows what remains', async () => {
    await grant(
      { ...roadmap, userId: 'bob', accessRole: 'editor' },
      { ...roadmap, userId: 'guest', accessRole: 'viewer' },
      { ...roadmap, userId: 'ada', accessRole: 'editor' },
    )
    const { page, faults } = await open('ada', {
      script: `addEventListener('commonhold-shared', ({ detail }) => { globalThis.shared = detail })`,
    })
    await page.getByRole('button', { name: 'Who has access' }).click()
    const access = dialog(page, 'Who has access')
    const entry = (name: string) => access.getByRole('listitem').filter({ hasText: name })
    await entry('Cyd Charisse').getByText('through the organization').waitFor()
    await entry('Cyd Charisse').getByText('It can be changed only there.').waitFor()
    await access.getByLabel('Role of Bob Noyce').selectOption('Remove access')
    await access.getByLabel('Role of guest').selectOption('Can comment')
    await access.getByText('\u2068Bob Noyce\u2069 keeps access through the organization: Can comment').waitFor()
    await access.getByText('\u2068guest\u2069: Can comment, no longer Can view').waitFor()
    await access.getByRole('button', { name: 'Apply changes' }).click()
    await access.getByText('Access changed.').waitFor({ state: 'attached' })
    assert.deepEqual([await roleOf('bob'), await roleOf('guest')], ['commenter', 'commenter'])
    assert.deepEqual(await page.evaluate('globalThis.shared.changes.map(({ effect }) => effect)'), [
      'changed',
      'removed',
    ])
    await entry('Bob Noyce').getByText('through the organization').waitFor()

    await access.getByLabel('Role of guest').selectOption('Remove access')
    await access.getByText('\u2068guest\u2069 loses access').waitFor()
    await access.getByRole('button', { name: 'Close' }).click()
    assert.equal(await roleOf('guest'), 'commenter')
    assert.deepEqual(faults, [])
  })

  it('warns before somebody gives up their own right to share', async () => {
    await grant({ ...roadmap, userId: 'cyd', accessRole: 'editor' })
    const { page } = await open('cyd')
    await page.getByRole('button', { name: 'Who has access' }).click()
    const access = dialog(page, 'Who has access')
    await access.getByLabel('Role of Cyd Charisse').selectOption('Leave the document')
    await access.getByText('After this, you can no longer share this document').waitFor()
    await access.getByRole('button', { name: 'Apply changes' }).click()
    await access.waitFor({ state: 'hidden' })
    assert.equal(await roleOf('cyd'), 'viewer')
  })

  it('can only be read by readers, if the API key allows that', async () => {
    const { page } = await open('cyd')
    await page.getByRole('button', { name: 'Who has access' }).click()
    const access = dialog(page, 'Who has access')
    await access.getByText('Your role does not allow this').waitFor()
    await team.key.call(updateKeyConfig, { userSharing: 'editorsAndReaders' })
    await access.getByRole('button', { name: 'Try again' }).click()
    await access.getByText('Only editors can change this.').waitFor()
    assert.equal(await access.getByRole('combobox').count(), 0)
  })
})

for (const [name, html, texts] of [
  ['from left to right', 'lang="en"', {}],
  [
    'from right to left, in another language',
    'lang="ar" dir="rtl"',
    { share: 'مشاركة', accessTitle: 'من لديه حق الوصول' },
  ],
] as const)
  it(`the dialogs are accessible in light and dark, ${name}`, async () => {
    await grant({ ...roadmap, userId: 'bob', accessRole: 'editor', expiresAt: 4_102_444_800 })
    const { page, faults } = await open('ada', {
      html,
      script: `configure({ texts: ${JSON.stringify(texts)} })`,
      viewport: { width: 360, height: 740 },
    })
    const words = { share: 'Share', accessTitle: 'Who has access', ...texts }
    const inBothSchemes = async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        assert.deepEqual(await violations(page), [])
      }
      const box = await page.getByRole('dialog').boundingBox()
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 360)
    }
    await page.getByRole('button', { name: words.share, exact: true }).click()
    await page.getByRole('combobox', { name: 'People and groups' }).fill('cyd')
    await page.getByRole('option', { name: 'Cyd' }).waitFor()
    await inBothSchemes()
    await page.getByRole('option', { name: 'Cyd' }).click()
    await page.getByRole('listitem').first().waitFor()
    await inBothSchemes()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: words.accessTitle }).click()
    await page.getByLabel('Role of Bob Noyce').selectOption('Remove access')
    await page.getByText('keeps access').waitFor()
    await inBothSchemes()
    assert.deepEqual(faults, [])
  })

it('the buttons do not break words in a row that is too narrow', async () => {
  const { page } = await open('ada', {
    article: `<div style="display: flex; width: 120px">${SHARING}</div>`,
    viewport: { width: 360, height: 740 },
  })
  const share = (await page.getByRole('button', { name: 'Share', exact: true }).boundingBox()) ?? assert.fail()
  const access = (await page.getByRole('button', { name: 'Who has access' }).boundingBox()) ?? assert.fail()
  // The height of one line; three words below each other would need more.
  assert.ok(share.height < 40 && access.height < 100, JSON.stringify({ share, access }))
})
