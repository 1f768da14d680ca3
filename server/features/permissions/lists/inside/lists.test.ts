/** Who has access to something inside, through the API. test/matrix/worlds.test.ts compares it with the interpreter in random worlds. */
import assert from 'node:assert/strict'
import { afterAll, beforeEach, describe, it } from 'vitest'
import { listPermittedUsers } from '#contract/access/access-lists.ts'
import { addGrants } from '#contract/access/grants.ts'
import { addPermissions, type ResourceName } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments, disableDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { disableOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { createPageTokens } from '#platform/secrets/page-token.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { pagesOf } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../../../test/conformance/support/refused.ts'
import { createInsideLists } from './lists.ts'

const server = await startServer()
afterAll(() => server.clock.set(null))

let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
  await acme.key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await acme.addTree({ payroll: ['root', 'restricted'], salaries: 'payroll', bonus: ['salaries', 'restricted'] })
  await acme.addDocuments('payroll', { documentId: 'plan' })
  await acme.addDocuments('bonus', { documentId: 'list' }, { documentId: 'draft' })
})

const document = (id: string) => ({ type: 'document' as const, id, organizationId })
const folder = (id: string) => ({ type: 'folder' as const, id, organizationId })
const organization = { type: 'organization' as const, id: organizationId }
const grant = (userId: string, resource: ResourceName, more: object = {}) =>
  acme.key.call(addPermissions, { user: { userId }, permissions: { resources: [{ ...resource, ...more }] } })

const list = (resource: ResourceName, data: object = {}) =>
  acme.key.post(listPermittedUsers.path, { resource, inside: true, ...data })

const numbered = <Item>(count: number, item: (nth: number) => Item) =>
  Array.from({ length: count }, (_, nth) => item(nth))

/** Reads all pages: the access of each user inside, and that of everyone. */
async function inside(resource: ResourceName, data: object = {}) {
  const users: string[] = []
  const everyone: object[] = []
  for await (const page of pagesOf((pageToken) => list(resource, { ...data, pageToken }))) {
    for (const { userId, inside: found } of page.data.users)
      users.push(`${userId} ${found.accessRole} ${found.resources}`)
    if (page.data.everyoneInside !== undefined) everyone.push(page.data.everyoneInside)
  }
  assert.equal(everyone.length, 1, 'what everyone has is on the first page alone')
  return { users, everyone: everyone[0] }
}

describe('permitted-users.list with inside', () => {
  it('lists users who have access only to something inside a folder, with the number and the strongest role', async () => {
    await grant('owner', folder('payroll'))
    await grant('one', document('list'), { accessRole: 'viewer' })
    await grant('below', folder('salaries'), { accessRole: 'viewer' })
    await grant('mixed', folder('bonus'), { accessRole: 'viewer' })
    await grant('mixed', document('list'))
    await grant('over', document('list'), { expiresAt: 1 })
    await grant('member', organization)
    const { body } = await list(folder('payroll'))
    const denied = { allowed: false, accessType: 'restricted', reason: 'no_grant' }
    assert.deepEqual(body.result.data, {
      users: [
        { userId: 'below', ...denied, inside: { resources: 1, accessRole: 'viewer' } },
        { userId: 'mixed', ...denied, inside: { resources: 3, accessRole: 'editor' } },
        { userId: 'one', ...denied, inside: { resources: 1, accessRole: 'viewer' } },
      ],
      everyone: false,
      everyoneInside: { resources: 0 },
    })
    assert.deepEqual((await inside(folder('payroll'), { pageSize: 1 })).users, [
      'below viewer 1',
      'mixed editor 3',
      'one viewer 1',
    ])
    assert.deepEqual((await inside(folder('bonus'))).users, ['one viewer 1'])
    assert.deepEqual((await inside(organization)).users, [
      'below viewer 1',
      'mixed editor 3',
      'one viewer 1',
      'owner editor 3',
    ])
  })

  it('requires the requested role, on the resource and inside it', async () => {
    await grant('reader', folder('payroll'), { accessRole: 'viewer' })
    await grant('editor', document('list'))
    await grant('reader', document('list'))
    await grant('viewer', document('list'), { accessRole: 'viewer' })
    assert.deepEqual((await inside(folder('payroll'), { atLeast: 'editor' })).users, [
      'editor editor 1',
      'reader editor 1',
    ])
    assert.deepEqual((await inside(folder('payroll'))).users, ['editor editor 1', 'viewer viewer 1'])
  })

  it('lists the users of groups while they are members, and members if something inside is organizationPrivate', async () => {
    for (const userId of ['ada', 'bob', 'cleo']) await grant(userId, organization, { accessRole: 'viewer' })
    await grant('bob', organization, { expiresAt: 100, replaceExisting: true })
    await acme.call(addUserGroups, { organizationUserGroups: [{ groupId: 'hr' }] })
    server.clock.set(new Date(0))
    await acme.call(addUserGroupUsers, { organizationUserGroupId: 'hr', userIds: ['ada', 'bob'] })
    await acme.key.call(addGrants, { grants: [{ groupId: 'hr', ...folder('bonus'), accessRole: 'viewer' }] })
    assert.deepEqual((await inside(folder('payroll'))).users, ['ada viewer 3', 'bob viewer 3'])
    server.clock.set(null)
    assert.deepEqual((await inside(folder('payroll'))).users, ['ada viewer 3'])
    await acme.addDocuments('salaries', { documentId: 'calendar', accessType: 'organizationPrivate' })
    assert.deepEqual((await inside(folder('payroll'))).users, ['ada viewer 4', 'cleo viewer 1'])
  })

  it('reports the access of everyone inside, and does not list users only for that', async () => {
    await acme.addDocuments('salaries', { documentId: 'calendar', accessType: 'public' })
    await grant('member', organization, { accessRole: 'viewer' })
    await grant('one', document('list'), { accessRole: 'viewer' })
    const found = await inside(folder('payroll'))
    assert.deepEqual(found, { users: ['one editor 2'], everyone: { resources: 1, accessRole: 'editor' } })
    assert.deepEqual(await inside(folder('payroll'), { pageSize: 1 }), found)
    await acme.key.call(updateKeyConfig, { defaultDocumentAccessType: 'public' })
    assert.deepEqual((await list(organization)).body.result.data.everyone, false)
    await acme.addTree({ open: 'root' })
    assert.deepEqual((await inside(organization)).everyone, { resources: 2, accessRole: 'editor' })
    assert.deepEqual((await list(folder('open'))).body.result.data.everyone, true)
  })

  it('lists nobody for disabled contents, or in a disabled organization', async () => {
    await grant('one', document('list'))
    await acme.call(disableDocuments, { documentIds: ['list'], disabled: true })
    assert.deepEqual((await inside(folder('payroll'))).users, [])
    await grant('two', document('plan'))
    await acme.addDocuments('salaries', { documentId: 'calendar', accessType: 'public' })
    await acme.key.call(disableOrganizations, { organizationIds: [organizationId], disabled: true })
    assert.deepEqual(await inside(folder('payroll')), { users: [], everyone: { resources: 0 } })
  })

  it('is exact up to 10,000 folders and documents inside, and refused beyond them', async () => {
    await acme.addTree({ many: ['salaries', 'public'], more: ['many', 'restricted'] })
    const documents = numbered(LIMITS.insideResourcesMax - 8, (nth) => ({ documentId: `d${nth}` }))
    for (let start = 0; start < documents.length; start += 1_000)
      await acme.call(addDocuments, { folderId: 'many', documents: documents.slice(start, start + 1_000) })
    await acme.addDocuments('more', { documentId: 'last' })
    await grant('above', organization, { accessRole: 'viewer' })
    await grant('public', document('d0'))
    await grant('one', document('last'), { accessRole: 'viewer' })
    await grant('all', folder('many'), { accessRole: 'viewer' })
    const elsewhere = numbered(150, (nth) => ({ folderId: `elsewhere ${nth}` }))
    await acme.call(addFolders, { folders: elsewhere })
    for (const userId of ['above', 'elsewhere'])
      await acme.key.call(addPermissions, {
        user: { userId },
        permissions: { resources: elsewhere.map(({ folderId }) => folder(folderId)) },
      })
    const open = documents.length + 1
    const everyone = { resources: open, accessRole: 'editor' }
    const users = [`all viewer ${open}`, `one editor ${open + 1}`, `public editor ${open}`]
    assert.deepEqual(await inside(folder('payroll')), { users, everyone })
    await acme.addDocuments('salaries', { documentId: 'one too many' })
    const { reason, message } = refused(await list(folder('payroll')), 'RESOURCE_EXHAUSTED')
    assert.equal(reason, 'too_much_inside')
    assert.match(message, /More than 10,000 folders and documents are inside; ask about a folder in it/)
    assert.equal(refused(await list(organization), 'RESOURCE_EXHAUSTED').reason, 'too_much_inside')
    assert.deepEqual(await inside(folder('more')), { users: ['one viewer 1'], everyone: { resources: 0 } })
  })

  it('reports whether everyone has access with the requested role, and their role', async () => {
    await acme.addTree({ lobby: ['root', 'public'] })
    const everyoneOf = async (data: object) => {
      const { everyone, everyoneRole } = (await list(folder('lobby'), data)).body.result.data
      return [everyone, everyoneRole]
    }
    assert.deepEqual(await everyoneOf({}), [true, 'editor'])
    assert.deepEqual(await everyoneOf({ atLeast: 'editor' }), [true, 'editor'])
    await acme.key.call(updateKeyConfig, { defaultAccessRole: 'viewer' })
    assert.deepEqual(await everyoneOf({}), [true, 'viewer'])
    assert.deepEqual(await everyoneOf({ atLeast: 'editor' }), [false, undefined])
  })

  it('continues on the next page after the time limit of a page', async () => {
    await grant('bob', document('list'), { accessRole: 'viewer' })
    await grant('owner', folder('payroll'))
    await grant('zoe', document('list'))
    const whole = await inside(folder('payroll'))
    assert.deepEqual(whole.users, ['bob viewer 1', 'zoe editor 1'])
    const lists = createInsideLists({ db: server.db, pageTokens: createPageTokens(Buffer.alloc(32)), pageMsMax: -1 })
    const caller = { apiKeyId: apiKeyOf(acme.key), defaultAccessType: 'restricted' } as Caller
    const pages: string[][] = []
    let pageToken: string | undefined
    do {
      const page = await lists.users(caller, { resource: folder('payroll'), ...(pageToken && { pageToken }) })
      pages.push(page.data.users.map(({ userId }) => userId))
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    assert.deepEqual(pages, [['bob'], ['zoe'], []])
  })

  it('refuses a document, a missing resource, and a token of another query', async () => {
    refusedField(await list(document('list')), 'inside', /nothing is inside/)
    assert.equal(refused(await list(folder('nope')), 'NOT_FOUND').reason, 'folder_does_not_exist')
    await grant('one', document('list'))
    await grant('two', document('list'))
    const { body } = await list(folder('payroll'), { pageSize: 1 })
    const pageToken = body.result.nextPageToken
    refusedField(await list(folder('salaries'), { pageToken }), 'pageToken', /does not belong to this query/)
    refusedField(await list(folder('payroll'), { pageToken, inside: false }), 'pageToken', /does not belong/)
    assert.equal((await list(folder('payroll'), { pageToken, pageSize: 7 })).http, 200)
  })
})
