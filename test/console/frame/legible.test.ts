/**
 * Ordinary names are shown in full in every view, on a phone and in a small and a large window. What scrolls sideways says
 * so, and texts and boxes to check stand out from their ground in both colour schemes.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, it } from 'vitest'
import { addGrants } from '#contract/access/grants.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { createApiKey, updateApiKey } from '#contract/keys/api-keys.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addInvitation } from '#contract/resources/invitations.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { addUsers } from '#contract/users/users.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { ROOT } from '../../../scripts/root.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import type { Visit } from '../support/browser.ts'
import { address, type Company, LATER, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { misplaced } from '../support/layout.ts'
import { cutTexts, faintOutlines, unevenLines } from '../support/look.ts'
import { newWorkspace } from '../support/sign-in.ts'

const { server, visit } = await openConsole()

const PHONE = { width: 390, height: 844 }
const WINDOWS = [PHONE, { width: 1024, height: 800 }, { width: 1440, height: 900 }]

const NAMES = ['Aisha Mansour', 'Amara Okafor', 'Wolfgang Steinmann', 'Clara Peeters']

/** As long as names of companies, people and documents often are. */
const LONG = {
  organizationName: 'Larkspur Bicycles International GmbH',
  name: 'Maximiliane von Hohenlohe-Langenburg',
  folderName: 'Contracts with suppliers and dealers',
  documentName: 'Minutes of the annual general meeting',
  groupName: 'Working group for order processing',
}

let company: Company
let visited: Visit
let views: string[]

beforeAll(async () => {
  company = await newCompany(server)
  const { apiKey, client, owner } = company
  await owner.call(updateApiKey, { apiKey, apiKeyName: 'Larkspur testing' })
  const other = await owner.call(createApiKey, { ...createApiKey.example, apiKeyName: 'Larkspur production' })
  await owner.call(inviteOperator, { email: 'ines.moreau@example.com', name: 'Inès Moreau', role: 'developer' })
  const press = {
    folderId: 'press',
    folderName: 'Press releases',
    parentFolderId: 'work',
    accessType: 'public' as const,
  }
  await client.call(addFolders, { organizationId, folders: [press] })
  const users = NAMES.map((name) => ({
    userId: name.toLowerCase().replace(' ', '.'),
    name,
    accessRole: 'viewer' as const,
  }))
  await client.call(addUsers, { organizationId, users })
  await company.documents('press', { documentId: 'launch', documentName: 'Launch plan' })
  const [userId = '', otherId = ''] = users.map((user) => user.userId)
  await company.grant(
    { userId, type: 'document', id: 'launch', accessRole: 'editor' },
    { userId: otherId, type: 'folder', id: 'plans', accessRole: 'viewer', expiresAt: 1 },
  )
  const organizationUserGroups = [{ groupId: 'launch', groupName: 'Spring launch team' }]
  await client.call(addUserGroups, { organizationId, organizationUserGroups })
  await client.call(addInvitation, {
    ...{ organizationId, type: 'doc_user', documentId: 'roadmap', documentName: 'Road map' },
    ...{ email: 'controller@example.com', invitedBy: { name: 'Mei Lin' } },
  })
  const from = { userId, name: NAMES[0] ?? '' }
  await client.call(addThreads, {
    ...{ organizationId, documentId: 'launch' },
    commentAnnotations: [{ annotationId: 'week', commentData: [{ from, commentText: 'Is it?' }], assignedTo: from }],
  })
  await client.call(migrateDocument, { organizationId, documentId: 'launch', newDocumentId: 'roadmap' })
  await client.call(updateAdvancedWebhookConfig, { isEnabled: true })
  const url = 'https://hooks.example.com/commonhold'
  const { id: endpointId } = await client.call(createWebhookEndpoint, { url })
  const key = `keys/${apiKey}`
  const of = (view: string, search: Record<string, string> = {}) =>
    address(`${key}/${view}`, { organizationId, ...search })
  views = [
    ...['keys', 'keys/new', 'workspace-tokens', 'people', 'account', 'device', 'single-sign-on', key],
    ...['', '/tokens', '/domains', '/email', '/webhooks', '/comments', '/moving'].map((tab) => `${key}/settings${tab}`),
    address(`${key}/settings/compare`, { with: other.apiKey }),
    ...['worth-a-look', 'organizations', 'events', 'webhooks', `webhooks/${endpointId}`].map(
      (view) => `${key}/${view}`,
    ),
    ...['users', 'groups', 'invitations', 'threads', 'migrations', 'access-review'].map((view) => of(view)),
    of('organizations/resources', { folderId: 'press' }),
    ...['work', 'plans', 'press'].map((id) => of('access', { type: 'folder', id })),
    of('access', { type: 'document', id: 'launch' }),
    of('inside', { type: 'folder', id: 'plans' }),
    of('matrix', { folderId: 'press' }),
    of('why', { type: 'document', id: 'roadmap', userId }),
    of('users/user', { userId }),
    of('groups', { groupId: 'launch' }),
    of('threads/thread', { documentId: 'launch', annotationId: 'week' }),
    of('changes', { type: 'document', id: 'launch' }),
  ]
  visited = await visit('', { as: company })
})

async function open(view: string): Promise<Page> {
  const { page } = visited
  await page.goto(`${server.url}/console/${view}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForLoadState('networkidle')
  return page
}

describe('ordinary names', () => {
  it('are tested in every view', () => {
    const router = readFileSync(path.join(ROOT, 'console/src/router.tsx'), 'utf8')
    const routes = [...router.matchAll(/ path: '([^']+)'/g)].map(([, route = '']) => route)
    const shown = views.map((view) => view.split('?')[0])
    for (const route of routes.filter((one) => one !== '/' && one !== 'sign-in/$place')) {
      const pattern = new RegExp(`(^|/)${route.replace(/\$\w+/g, '[^/]+')}$`)
      assert.ok(
        shown.some((view) => pattern.test(view ?? '')),
        route,
      )
    }
  })

  for (const viewport of WINDOWS)
    it(`are shown in full in a window of ${viewport.width} pixels`, async () => {
      await visited.page.setViewportSize(viewport)
      const found: string[] = []
      for (const view of views) {
        const page = await open(view)
        const faults = [...(await cutTexts(page)), ...(await misplaced(page)), ...(await faintOutlines(page))]
        faults.push(...(await unevenLines(page)), ...(await violationsInBothSchemes(page)))
        found.push(...faults.map((fault) => `${view}: ${fault}`))
      }
      assert.deepEqual(found, [])
      assert.deepEqual(visited.faults, [])
    })
})

describe('long names and roles that expire', () => {
  it('are shown in full in lists and paths, in a small and a large window', async () => {
    const { client, apiKey } = company
    const [organization, long] = ['long', { organizationId: 'long' }]
    const { organizationName, name, folderName, documentName, groupName } = LONG
    await client.call(addOrganizations, { organizations: [{ organizationId: organization, organizationName }] })
    await client.call(addFolders, { ...long, folders: [{ folderId: 'long-folder', folderName }] })
    const documents = [{ documentId: 'minutes', documentName, accessType: 'restricted' as const }]
    await client.call(addDocuments, { ...long, folderId: 'long-folder', documents })
    await client.call(addUsers, { ...long, users: [{ userId: 'mia', name, email: 'mia@example.com' }] })
    const onDocument = { ...long, type: 'document' as const, id: 'minutes' }
    await client.call(addGrants, {
      grants: [{ userId: 'mia', ...onDocument, accessRole: 'viewer', expiresAt: LATER }],
    })
    await client.call(addUserGroups, { ...long, organizationUserGroups: [{ groupId: 'orders', groupName }] })
    await client.call(addUserGroupUsers, { ...long, organizationUserGroupId: 'orders', userIds: ['mia'] })
    const of = (view: string, search: Record<string, string> = {}) =>
      address(`keys/${apiKey}/${view}`, { ...long, ...search })
    const lists = [
      `keys/${apiKey}/organizations`,
      ...[of('users'), of('groups'), of('groups', { groupId: 'orders' }), of('access-review'), of('matrix')],
      ...[of('organizations/resources'), of('organizations/resources', { folderId: 'long-folder' })],
      ...[of('access', { type: 'organization' }), of('access', { type: 'document', id: 'minutes' })],
      ...[of('why', { type: 'document', id: 'minutes', userId: 'mia' }), of('users/user', { userId: 'mia' })],
    ]
    const found: string[] = []
    for (const viewport of WINDOWS.slice(1)) {
      await visited.page.setViewportSize(viewport)
      for (const view of lists)
        for (const fault of await cutTexts(await open(view))) found.push(`${viewport.width}, ${view}: ${fault}`)
    }
    assert.deepEqual(found, [])
    await open(of('users/user', { userId: 'mia' }))
    const expiring = visited.page
      .getByRole('table', { name: 'Accessible resources' })
      .getByRole('row')
      .filter({ hasText: 'Minutes' })
    assert.equal(await expiring.first().evaluate((row) => row.getBoundingClientRect().height), 44)
    await visited.page.setViewportSize({ width: 390, height: 844 })
    assert.deepEqual(await cutTexts(await open(of('why', { type: 'document', id: 'minutes', userId: 'mia' }))), [])
  })
})

describe('names that are too long for a row', () => {
  const overlong = (end: string) => `${'Quarterlyresults'.repeat(5)}${end}`

  it('show how they begin and end, in full on hover, and make no page scroll sideways', async () => {
    const somebody = await newWorkspace(server.url)
    const { client, apiKey } = somebody
    const long = { organizationId: 'long' }
    await client.call(addOrganizations, { organizations: [{ ...long, organizationName: overlong('GmbH') }] })
    const users = ['one', 'two'].map((userId) => ({ userId, name: overlong(userId), accessRole: 'viewer' as const }))
    await client.call(addUsers, { ...long, users })
    await client.call(addFolders, { ...long, folders: [{ folderId: overlong('plans'), folderName: 'العقود' }] })
    await client.call(addGrants, {
      grants: [{ ...long, userId: 'one', type: 'folder', id: overlong('plasn'), accessRole: 'editor' }],
    })
    const { page, faults } = await visit(address(`keys/${apiKey}/users`, long), { as: somebody, viewport: PHONE })
    for (const { userId, name } of users) {
      const shown = page.getByTitle(name, { exact: true })
      await shown.waitFor()
      const text = await shown.locator('[aria-hidden]').innerText()
      assert.ok(text.startsWith('Quarterly') && text.endsWith(userId), text)
      await page.getByRole('link', { name, exact: true }).waitFor()
    }
    await page.goto(`${server.url}/console/keys/${apiKey}/worth-a-look`)
    await page.getByRole('button', { name: /^Give on/ }).waitFor()
    assert.deepEqual(await misplaced(page), [])
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const groupId = overlong('design')
    await client.call(addUserGroups, { ...long, organizationUserGroups: [{ groupId }] })
    await client.call(addUserGroupUsers, { ...long, organizationUserGroupId: groupId, userIds: ['two'] })
    await client.call(addDocuments, { ...long, folderId: overlong('plans'), documents: [{ documentId: 'costs' }] })
    await client.call(addGrants, {
      grants: [{ ...long, groupId, type: 'folder', id: overlong('plans'), accessRole: 'editor' }],
    })
    const access = address('access', { ...long, type: 'document', id: 'costs' })
    await page.goto(`${server.url}/console/keys/${apiKey}/${access}`)
    const source = page.getByRole('row').getByText(`by group ${groupId} on العقود`)
    await source.and(page.locator('[tabindex="0"]')).waitFor()
    await source.focus()
    await page.getByRole('tooltip').getByText(`by group ${groupId} on العقود`).waitFor()
    assert.deepEqual(await misplaced(page), [])
    assert.deepEqual(faults, [])
  })
})

describe('boxes to check', () => {
  it('stand out from their ground in the dark', async () => {
    const page = await open(views.find((view) => view.endsWith('/settings')) ?? '')
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await faintOutlines(page), [])
    await page.emulateMedia({ colorScheme: 'light' })
  })
})
