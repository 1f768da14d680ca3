/**
 * Adding, updating and deleting users: profiles, membership and roles (rules/contract.md#merging,
 * rules/resources.md#members, rules/access.md#sign-in-grants).
 */
import assert from 'node:assert/strict'
import { afterAll, beforeEach, describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { listGrants } from '#contract/access/grants.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { addFolders, getFolders } from '#contract/resources/folders.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers, deleteUsers, getUsers, updateUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { eventsDuring, type StoredEvent } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await startServer()
const organizationId = 'acme'
let key: Client
beforeEach(async () => {
  key = await server.newKey()
})
afterAll(() => server.clock.set(null))

const add = (users: object[], more: object = {}) => key.post(addUsers.path, { organizationId, users, ...more })
const update = (users: object[], more: object = {}) => key.post(updateUsers.path, { organizationId, users, ...more })
const grant = (resource: object) =>
  key.post(addPermissions.path, { user: { userId: 'ada' }, permissions: { resources: [resource] } })
const eventsWhile = (work: () => Promise<unknown>) => eventsDuring(server.db, apiKeyOf(key), work)
const typesOf = (events: StoredEvent[]) => events.map(({ type }) => type)

/** Returns the stored profile of a user. */
async function profile(userId = 'ada'): Promise<unknown> {
  const { rows } = await server.db.query('select profile from users where api_key_id = $1 and user_id = $2', [
    apiKeyOf(key),
    userId,
  ])
  return (rows[0] as { profile: unknown } | undefined)?.profile
}

/** Returns the user's grants on the organization, folder f and document d. */
async function grants(userId = 'ada') {
  const { body } = await key.post(getPermissions.path, {
    organizationId,
    userIds: [userId],
    folderIds: ['f'],
    documentIds: ['d'],
    skipResourceExistenceValidation: true,
  })
  const { organization, folders, documents } = body.result.data[userId]
  const own = (entry: { reason: string; via?: { inherited: boolean }; accessRole: string }) =>
    entry.reason === 'grant' && entry.via?.inherited === false ? entry.accessRole : null
  return { organization: own(organization[organizationId]), folder: own(folders.f), document: own(documents.d) }
}

describe('users.add', () => {
  it('stores profiles and adds members, with a result for each id', async () => {
    const answer = await add([
      { userId: 'ada', name: 'Ada', email: 'ada@example.com', isAdmin: true, team: { name: 'x' } },
      { userId: 'bob', accessRole: 'viewer' },
    ])
    assert.equal(answer.body.result.message, 'Users processed successfully.')
    const { ada } = answer.body.result.data
    assert.match(ada.id, /^[0-9a-f]{32}$/)
    assert.deepEqual(ada, { success: true, id: ada.id, message: 'User added successfully.' })
    assert.deepEqual(await profile(), { name: 'Ada', email: 'ada@example.com', isAdmin: true, team: { name: 'x' } })
    assert.deepEqual(await grants(), { organization: 'editor', folder: null, document: null })
    assert.deepEqual(await grants('bob'), { organization: 'viewer', folder: null, document: null })
  })

  it('adds only the grant on the document or folder with documentId or folderId', async () => {
    await add([{ userId: 'ada', accessRole: 'viewer' }], { documentId: 'd' })
    assert.deepEqual(await grants(), { organization: null, folder: null, document: 'viewer' })
    await add([{ userId: 'ada' }], { folderId: 'f' })
    assert.deepEqual(await grants(), { organization: null, folder: 'editor', document: 'viewer' })
    refusedField(await add([{ userId: 'ada' }], { documentId: 'd', folderId: 'f' }), 'folderId')
    refusedField(await add([{ userId: 'ada' }], { folderId: 'root', createFolder: true }), 'folderId')
  })

  it('keeps the role of a live grant unless one is given', async () => {
    await add([{ userId: 'ada', accessRole: 'viewer' }])
    await add([{ userId: 'ada' }])
    assert.equal((await grants()).organization, 'viewer')
    await add([{ userId: 'ada', accessRole: 'editor' }])
    assert.equal((await grants()).organization, 'editor')
  })

  it('adds an editor grant if the old one has expired', async () => {
    await grant({ type: 'organization', id: organizationId, accessRole: 'viewer', expiresAt: 2_000 })
    await add([{ userId: 'ada' }])
    assert.equal((await grants()).organization, 'editor')
  })

  it('lets the last of two items with one id win', async () => {
    await add([
      { userId: 'ada', name: 'first', accessRole: 'viewer' },
      { userId: 'ada', name: 'last', accessRole: 'editor' },
    ])
    assert.deepEqual(await profile(), { name: 'last' })
    assert.equal((await grants()).organization, 'editor')
  })

  it('accepts 1,000 users in a call, and ids that are names of inherited object properties', async () => {
    const users = Array.from({ length: 1_000 }, (_, index) => ({ userId: `u${index}` }))
    assert.equal(Object.keys((await add(users)).body.result.data).length, 1_000)
    const named = ['__proto__', 'constructor', 'toString']
    const { body } = await add(named.map((userId) => ({ userId, name: userId })))
    assert.deepEqual(Object.keys(body.result.data), named)
    for (const userId of named) assert.deepEqual(await profile(userId), { name: userId })
  })

  it('merges profiles across all organizations of the key', async () => {
    await add([{ userId: 'ada', name: 'Ada', color: 'red' }])
    await add([{ userId: 'ada', color: 'blue' }], { organizationId: 'other' })
    assert.deepEqual(await profile(), { name: 'Ada', color: 'blue' })
  })

  it('accepts the organizationId of a user if it is that of the call', async () => {
    assert.equal((await add([{ userId: 'ada', organizationId }])).http, 200)
    assert.deepEqual(await profile(), {})
    refusedField(await add([{ userId: 'ada' }, { userId: 'bob', organizationId: 'x' }]), 'users[1].organizationId')
  })

  it('accepts an http or https URL, or an empty one, as photoUrl in every operation with profiles', async () => {
    const photo = async (photoUrl: unknown) => [
      await add([{ userId: 'ada', photoUrl }]),
      await update([{ userId: 'ada', photoUrl }]),
      await key.post(generateToken.path, { userId: 'ada', userProperties: { photoUrl } }),
    ]
    for (const good of ['https://example.com/a.png', 'http://example.com', ''])
      for (const answer of await photo(good)) assert.equal(answer.http, 200, answer.text)
    assert.deepEqual(await profile(), { photoUrl: 'http://example.com' })
    for (const bad of ['javascript:alert(1)', 'ftp://example.com', 'https://a b', `https://${'x'.repeat(2_000)}`, 7])
      for (const [nth, answer] of (await photo(bad)).entries())
        refusedField(answer, nth === 2 ? 'userProperties.photoUrl' : 'users[0].photoUrl')
  })

  it('refuses metadata that looks like protection, and names that the record uses', async () => {
    for (const name of ['role', 'permissions', 'expiresat', 'accesRole', 'disabled', 'liveGrants'])
      refusedField(await add([{ userId: 'ada', [name]: 'editor' }]), `users[0].${name}`)
    assert.equal(await profile(), undefined)
  })

  describe('with requireKnownResources', () => {
    beforeEach(async () => {
      key = await server.client.newKey({ requireKnownResources: true })
    })

    it('refuses resources that were not added, and stores no profile', async () => {
      for (const more of [{}, { documentId: 'd' }, { folderId: 'f' }])
        assert.equal(
          refused(await add([{ userId: 'ada' }], more), 'INVALID_ARGUMENT').reason,
          'resource_does_not_exist',
        )
      assert.equal(await profile(), undefined)
      assert.deepEqual(await key.call(getOrganizations, {}), [])
    })

    it('creates the resources allowed by the create flags', async () => {
      assert.equal((await add([{ userId: 'ada' }], { createOrganization: true })).http, 200)
      assert.equal((await add([{ userId: 'ada' }], { documentId: 'd', createDocument: true })).http, 200)
      assert.equal((await add([{ userId: 'ada' }], { folderId: 'f', createFolder: true })).http, 200)
      assert.deepEqual(await grants(), { organization: 'editor', folder: 'editor', document: 'editor' })
    })

    it('refuses to create a document in a missing organization', async () => {
      const answer = await add([{ userId: 'ada' }], { documentId: 'd', createDocument: true })
      assert.equal(refused(answer, 'INVALID_ARGUMENT').reason, 'resource_does_not_exist')
      const both = { documentId: 'd', createDocument: true, createOrganization: true }
      assert.equal((await add([{ userId: 'ada' }], both)).http, 200)
    })
  })

  describe('with parentFolderId', () => {
    const place = (parentFolderId: string, more: object = {}) =>
      add([{ userId: 'ada', accessRole: 'viewer' }], { folderId: 'f', createFolder: true, parentFolderId, ...more })
    const folders = async () => {
      const found = await key.call(getFolders, { organizationId })
      return found.map(({ folderId, ancestors, accessType }) => [...ancestors, folderId, accessType].join(' '))
    }
    beforeEach(async () => {
      const plans = { folderId: 'plans', accessType: 'restricted' as const }
      const added = { organizationId, createOrganization: true, folders: [plans, { folderId: 'other' }] }
      await key.call(addFolders, added)
    })

    it('places the folder that the call makes, which follows the access type of its parent', async () => {
      const events = await eventsWhile(() => place('plans'))
      assert.deepEqual(typesOf(events).sort(), ['folder.added', 'permission.added', 'user.added'])
      assert.equal(events.find(({ type }) => type === 'folder.added')?.after?.parentFolderId, 'plans')
      assert.deepEqual(await folders(), ['root plans f restricted', 'root other public', 'root plans restricted'])
      assert.equal((await grants()).folder, 'viewer')
    })

    it('does not move a folder that exists, and places one at the top with "root"', async () => {
      assert.equal((await place('root')).http, 200)
      assert.equal((await place('plans')).http, 200)
      assert.ok((await folders()).includes('root f public'))
    })

    it('adopts a folder that only a grant named, with the grant', async () => {
      await grant({ type: 'folder', id: 'f', organizationId, accessRole: 'editor' })
      await place('plans', { users: [{ userId: 'bob' }] })
      assert.ok((await folders()).includes('root plans f restricted'))
      assert.equal((await grants()).folder, 'editor')
    })

    it('refuses a parent that does not exist or is the folder itself, and stores nothing', async () => {
      for (const parent of ['nowhere', 'f']) {
        const answer = await place(parent)
        assert.equal(refused(answer, 'INVALID_ARGUMENT').reason, 'resource_does_not_exist')
        refusedField(answer, 'parentFolderId', `parentFolderId: the folder "${parent}" does not exist`)
      }
      refusedField(await place('plans', { organizationId: 'none' }), 'parentFolderId')
      assert.equal(await profile(), undefined)
      assert.equal((await folders()).length, 2)
      assert.deepEqual(
        (await key.call(getOrganizations, {})).map(({ id }) => id),
        [organizationId],
      )
    })

    it('refuses a folder below the deepest level', async () => {
      const levels = Array.from({ length: LIMITS.folderDepthMax }, (_, level) => ({
        folderId: `level${level}`,
        parentFolderId: level === 0 ? 'root' : `level${level - 1}`,
      }))
      await key.call(addFolders, { organizationId, folders: levels })
      refusedField(await place(`level${LIMITS.folderDepthMax - 1}`), 'parentFolderId', /at most 100 levels/)
      assert.equal((await place(`level${LIMITS.folderDepthMax - 2}`)).http, 200)
    })

    it('needs a folder that the call may create', async () => {
      for (const more of [{ createFolder: false }, { folderId: undefined }, { folderId: undefined, documentId: 'd' }])
        refusedField(await place('plans', more), 'parentFolderId', /folderId and createFolder: true are required/)
    })
  })

  it('writes events of the user and of the grant, and none if nothing changes', async () => {
    await key.call(addOrganizations, { organizations: [{ organizationId }] })
    const call = () => add([{ userId: 'ada', name: 'Ada', accessRole: 'viewer' }])
    const events = await eventsWhile(call)
    assert.deepEqual(typesOf(events).sort(), ['permission.added', 'user.added'])
    const added = events.find(({ type }) => type === 'user.added')
    assert.deepEqual([added?.userId, added?.before, added?.after], ['ada', null, { name: 'Ada' }])
    assert.deepEqual(await eventsWhile(call), [])
    const [updated, ...more] = await eventsWhile(() => add([{ userId: 'ada', name: 'Ada L.' }]))
    assert.equal(more.length, 0)
    assert.deepEqual(
      [updated?.type, updated?.before, updated?.after],
      ['user.updated', { name: 'Ada' }, { name: 'Ada L.' }],
    )
  })
})

describe('users.update', () => {
  beforeEach(() => add([{ userId: 'ada', name: 'Ada', email: 'ada@example.com', color: 'red', accessRole: 'viewer' }]))

  it('merges: absent fields are kept, null clears', async () => {
    const { body } = await update([{ userId: 'ada', name: 'Ada L.', email: null, color: null, team: 'x' }])
    const { ada } = body.result.data
    assert.deepEqual(ada, { success: true, id: ada.id, message: 'User updated successfully.' })
    assert.deepEqual(await profile(), { name: 'Ada L.', team: 'x' })
    assert.equal((await grants()).organization, 'viewer')
  })

  it('writes profiles alone with options.all, in an event of the key, without an organization', async () => {
    const all = (data: object) => key.post(updateUsers.path, { options: { all: true }, ...data })
    const events = await eventsWhile(async () => {
      const { body } = await all({
        users: [
          { userId: 'ada', name: 'Ada L.' },
          { userId: 'nobody', name: 'N' },
        ],
      })
      assert.deepEqual([body.result.data.ada.success, body.result.data.nobody.code], [true, 'not-found'])
    })
    assert.deepEqual(await profile(), { name: 'Ada L.', email: 'ada@example.com', color: 'red' })
    assert.deepEqual(
      events.map(({ type, organizationId: of }) => [type, of]),
      [['user.updated', null]],
    )
    assert.equal((await all({ organizationId: 'none', users: [{ userId: 'ada', team: 'x' }] })).http, 200)
    refusedField(await all({ users: [{ userId: 'ada', accessRole: 'viewer' }] }), 'users[0].accessRole')
    refusedField(await all({ documentId: 'd', users: [{ userId: 'ada' }] }), 'documentId')
    const without = await key.post(updateUsers.path, { options: {}, users: [{ userId: 'ada' }] })
    refusedField(without, 'organizationId', 'organizationId is required')
  })

  it('changes the role of an existing grant, and keeps its expiry', async () => {
    const grants = { accessRole: 'viewer', expiresAt: 2_000_000_000, replaceExisting: true }
    await grant({ type: 'organization', id: organizationId, ...grants })
    await update([{ userId: 'ada', accessRole: 'editor' }])
    const { body } = await key.post(getPermissions.path, { organizationId, userIds: ['ada'] })
    const { accessRole, expiresAt } = body.result.data.ada.organization.acme
    assert.deepEqual([accessRole, expiresAt], ['editor', 2_000_000_000])
  })

  it('changes the roles of both grants if both are live, and leaves an expired one', async () => {
    await grant({ type: 'organization', id: organizationId, accessRole: 'viewer', expiresAt: 2_000_000_000 })
    await update([{ userId: 'ada', accessRole: 'editor' }])
    const roles = async () => {
      const { grants } = await key.call(listGrants, { organizationId })
      return grants.map(({ accessRole, expiresAt }) => [accessRole, expiresAt])
    }
    assert.deepEqual(await roles(), [
      ['editor', undefined],
      ['editor', 2_000_000_000],
    ])
    await grant({ type: 'organization', id: organizationId, accessRole: 'viewer', expiresAt: 1_000 })
    await update([{ userId: 'ada', accessRole: 'viewer' }])
    await update([{ userId: 'ada', accessRole: 'editor' }])
    assert.deepEqual(await roles(), [
      ['editor', undefined],
      ['viewer', 1_000],
    ])
  })

  it('changes nothing if the role applies already, such as one that users.get returned', async () => {
    await grant({ type: 'organization', id: organizationId, accessRole: 'editor', expiresAt: 2_000_000_000 })
    await update([{ userId: 'ada', accessRole: 'editor', name: 'Ada L.' }])
    const { grants } = await key.call(listGrants, { organizationId })
    assert.deepEqual(
      grants.map(({ accessRole, expiresAt }) => [accessRole, expiresAt]),
      [
        ['viewer', undefined],
        ['editor', 2_000_000_000],
      ],
    )
  })

  it('fails for an expired grant, whose role would have no effect', async () => {
    const grants = { accessRole: 'viewer', expiresAt: 1_000, replaceExisting: true }
    await grant({ type: 'organization', id: organizationId, ...grants })
    const { body } = await update([{ userId: 'ada', accessRole: 'editor', name: 'Lost' }])
    assert.equal(body.result.data.ada.code, 'not-found')
    assert.deepEqual(await profile(), { name: 'Ada', email: 'ada@example.com', color: 'red' })
  })

  it('changes the role on the named document or folder', async () => {
    await add([{ userId: 'ada', accessRole: 'viewer' }], { documentId: 'd' })
    await update([{ userId: 'ada', accessRole: 'editor' }], { documentId: 'd' })
    assert.deepEqual(await grants(), { organization: 'viewer', folder: null, document: 'editor' })
    refusedField(await update([{ userId: 'ada' }], { documentId: 'd', folderId: 'f' }), 'folderId')
  })

  it('fails items with unknown users or missing grants completely, and updates the others', async () => {
    const { http, body } = await update([
      { userId: 'ada', accessRole: 'editor', name: 'New' },
      { userId: 'nobody', name: 'x' },
    ])
    assert.equal(http, 200)
    assert.equal(body.result.data.ada.success, true)
    assert.equal(body.result.data.nobody.code, 'not-found')
    assert.equal(await profile('nobody'), undefined)
    const missing = await update([{ userId: 'ada', accessRole: 'viewer', name: 'Lost' }], { folderId: 'f' })
    assert.equal(missing.body.result.data.ada.code, 'not-found')
    assert.deepEqual(await profile(), { name: 'New', email: 'ada@example.com', color: 'red' })
  })

  it('responds NOT_FOUND without the organization, creates none and changes nothing', async () => {
    const lost = [{ folderId: 'a', parentFolderId: 'nope' }]
    await key.post(addFolders.path, { organizationId: 'ghost', createOrganization: true, folders: lost })
    for (const unknown of ['other', 'ghost']) {
      const answer = await update([{ userId: 'ada', name: 'Lost' }], { organizationId: unknown })
      assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
    }
    assert.deepEqual(
      (await key.call(getOrganizations, {})).map(({ id }) => id),
      [organizationId],
    )
    assert.deepEqual(await profile(), { name: 'Ada', email: 'ada@example.com', color: 'red' })
  })

  it('writes an event for each change of profile or role, and none if nothing changes', async () => {
    const call = () => update([{ userId: 'ada', name: 'B', accessRole: 'editor' }])
    const events = await eventsWhile(call)
    assert.deepEqual(typesOf(events).sort(), ['permission.added', 'user.updated'])
    const role = events.find(({ type }) => type === 'permission.added')
    assert.deepEqual(role?.before, { accessRole: 'viewer', expiresAt: null })
    assert.deepEqual(role?.after, { accessRole: 'editor', expiresAt: null })
    assert.deepEqual(await eventsWhile(call), [])
  })
})

describe('users.delete', () => {
  const remove = (userIds: string[], more: object = {}) =>
    key.post(deleteUsers.path, { organizationId, userIds, ...more })
  const none = { organization: null, folder: null, document: null }
  beforeEach(async () => {
    await add([{ userId: 'ada', name: 'Ada', accessRole: 'viewer' }, { userId: 'bob' }])
    await add([{ userId: 'ada' }, { userId: 'bob' }], { documentId: 'd' })
    await add([{ userId: 'ada' }], { folderId: 'f' })
    await add([{ userId: 'ada' }], { organizationId: 'other' })
    await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'g' }, { groupId: 'h' }] })
    for (const organizationUserGroupId of ['g', 'h'])
      await key.call(addUserGroupUsers, { organizationId, organizationUserGroupId, userIds: ['ada', 'bob'] })
  })

  it("deletes only the user's grants and group memberships in the organization", async () => {
    const { body } = await remove(['ada'])
    assert.equal(body.result.message, 'Users deleted successfully.')
    const { ada } = body.result.data
    assert.deepEqual(ada, { success: true, id: ada.id, message: 'User deleted successfully.' })
    assert.match(ada.id, /^[0-9a-f]{32}$/)
    assert.deepEqual(await grants(), none)
    assert.deepEqual(await grants('bob'), { organization: 'editor', folder: null, document: 'editor' })
    assert.deepEqual(await profile(), { name: 'Ada' })
    const seen = async (data: object) => (await key.post(getUsers.path, data)).body.result.data.length
    assert.equal(await seen({ organizationId: 'other' }), 1)
    await add([{ userId: 'ada' }])
    assert.equal(await seen({ organizationId, organizationUserGroupIds: ['g', 'h'], userIds: ['ada'] }), 0)
    assert.equal(await seen({ organizationId, organizationUserGroupIds: ['g', 'h'] }), 1)
  })

  it('deletes only the grant on the document or folder with documentId or folderId', async () => {
    await remove(['ada'], { documentId: 'd' })
    assert.deepEqual(await grants(), { organization: 'viewer', folder: 'editor', document: null })
    await remove(['ada'], { folderId: 'f' })
    assert.deepEqual(await grants(), { organization: 'viewer', folder: null, document: null })
    refusedField(await remove(['ada'], { documentId: 'd', folderId: 'f' }), 'folderId')
  })

  it('fails items of users without grants, and deletes the others', async () => {
    const failure = (userId: string, message: string) => ({
      success: false,
      id: userId,
      message,
      code: 'not-found',
      retryable: false,
    })
    const { http, body } = await remove(['nobody', 'bob', 'nobody'])
    assert.equal(http, 200)
    assert.deepEqual(Object.keys(body.result.data), ['nobody', 'bob'])
    assert.deepEqual(body.result.data.nobody, failure('nobody', 'The user has no grant in the organization.'))
    assert.equal((await remove(['bob'])).body.result.data.bob.code, 'not-found')
    for (const [more, on] of [
      [{ folderId: 'f' }, 'folder'],
      [{ documentId: 'unknown' }, 'document'],
    ] as const)
      assert.deepEqual(
        (await remove(['bob'], more)).body.result.data.bob,
        failure('bob', `The user has no grant on the ${on}.`),
      )
  })

  it('deletes expired grants too', async () => {
    await grant({ type: 'document', id: 'late', organizationId: 'third', expiresAt: 1_000 })
    assert.equal((await remove(['ada'], { organizationId: 'third' })).body.result.data.ada.success, true)
    assert.equal((await remove(['ada'], { organizationId: 'third' })).body.result.data.ada.success, false)
  })

  it('responds NOT_FOUND without the organization', async () => {
    const answer = await remove(['ada'], { organizationId: 'unknown' })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
  })

  it('writes one event for each user with counts, one for the grant on a document, and none if nobody is removed', async () => {
    const [removed, ...others] = await eventsWhile(() => remove(['nobody', 'ada']))
    assert.deepEqual(others, [])
    assert.deepEqual([removed?.type, removed?.userId, removed?.organizationId], ['user.removed', 'ada', 'acme'])
    assert.deepEqual(removed?.before, { accessRole: 'viewer', expiresAt: null, permissions: 3, userGroups: 2 })
    assert.equal(removed?.after, null)
    assert.deepEqual(await eventsWhile(() => remove(['ada'])), [])
    const [taken, ...more] = await eventsWhile(() => remove(['bob', 'nobody'], { documentId: 'd' }))
    assert.deepEqual(more, [])
    assert.deepEqual(
      [taken?.type, taken?.userId, taken?.resourceKind, taken?.resourceId],
      ['permission.removed', 'bob', 'document', 'd'],
    )
    assert.deepEqual(taken?.before, { accessRole: 'editor', expiresAt: null })
  })
})
