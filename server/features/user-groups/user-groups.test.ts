/** User groups and their users (rules/resources.md#user-groups). */
import assert from 'node:assert/strict'
import { afterAll, beforeEach, describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import {
  addUserGroups,
  addUserGroupUsers,
  deleteUserGroups,
  deleteUserGroupUsers,
  getUserGroups,
  updateUserGroups,
} from '#contract/users/user-groups.ts'
import { addUsers, deleteUsers, getUsers } from '#contract/users/users.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { eventsDuring, type StoredEvent } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await startServer()
const organizationId = 'acme'
const organizationUserGroupId = 'g'
const organization = { type: 'organization' as const, id: organizationId }
let key: Client
beforeEach(async () => {
  key = await server.newKey()
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
})
afterAll(() => server.clock.set(null))

const add = (groups: object[], more: object = {}) =>
  key.post(addUserGroups.path, { organizationId, organizationUserGroups: groups, ...more })
const get = (data: object = {}) => key.post(getUserGroups.path, { organizationId, ...data })
const list = async (data: object = {}) => (await get(data)).body.result.data
const update = (groups: object[], more: object = {}) =>
  key.post(updateUserGroups.path, { organizationId, organizationUserGroups: groups, ...more })
const remove = (organizationUserGroupIds: string[], more: object = {}) =>
  key.post(deleteUserGroups.path, { organizationId, organizationUserGroupIds, ...more })
const addMembers = (...userIds: string[]) =>
  key.call(addUsers, { organizationId, users: userIds.map((userId) => ({ userId })) })
const put = (userIds: string[], more: object = {}) =>
  key.post(addUserGroupUsers.path, { organizationId, organizationUserGroupId, userIds, ...more })
const take = (data: object) => key.post(deleteUserGroupUsers.path, { organizationId, organizationUserGroupId, ...data })
async function usersOf(groupId = organizationUserGroupId): Promise<string[]> {
  const { body } = await key.post(getUsers.path, { organizationId, organizationUserGroupIds: [groupId] })
  return body.result.data.map(({ userId }: { userId: string }) => userId)
}
const eventsWhile = (work: () => Promise<unknown>) => eventsDuring(server.db, apiKeyOf(key), work)
const told = (events: StoredEvent[]) =>
  events.map(({ type, resourceId, userId, before, after }) => [type, resourceId, userId, before, after])

const failure = (id: string, code: string, message: string) => ({ success: false, id, message, code, retryable: false })
const unknown = (id: string) => failure(id, 'not-found', 'The user group does not exist.')

/** Returns an organization that a refused call has locked, but that was never added. */
const haunt = () =>
  key.post(addFolders.path, {
    organizationId: 'ghost',
    createOrganization: true,
    folders: [{ folderId: 'a', parentFolderId: 'nope' }],
  })

describe('user-groups.add', () => {
  it('adds groups, each with its own id', async () => {
    const { body } = await add([{ groupId: 'g', groupName: 'Design' }, { groupId: 'h' }])
    assert.equal(body.result.message, 'User groups added successfully.')
    const { g, h } = body.result.data
    assert.match(g.id, /^[0-9a-f]{32}$/)
    assert.notEqual(g.id, h.id)
    assert.deepEqual(g, { success: true, id: g.id, message: 'User group added successfully.' })
    assert.deepEqual(await list(), [{ groupId: 'g', groupName: 'Design' }, { groupId: 'h' }])
  })

  it('fails existing groups without changing them, and adds the others', async () => {
    await add([{ groupId: 'g', groupName: 'Design' }])
    const { http, body } = await add([{ groupId: 'g', groupName: 'Other' }, { groupId: 'h' }])
    assert.equal(http, 200)
    assert.deepEqual(body.result.data.g, failure('g', 'already-exists', 'The user group already exists.'))
    assert.equal(body.result.data.h.success, true)
    assert.deepEqual(await list(), [{ groupId: 'g', groupName: 'Design' }, { groupId: 'h' }])
  })

  it('lets the last of two items with one id win, and accepts 1,000', async () => {
    await add([
      { groupId: '__proto__', groupName: 'first' },
      { groupId: '__proto__', groupName: 'last' },
    ])
    assert.deepEqual(await list(), [{ groupId: '__proto__', groupName: 'last' }])
    const many = Array.from({ length: 1_000 }, (_, nth) => ({ groupId: `g${nth}` }))
    assert.equal(Object.keys((await add(many)).body.result.data).length, 1_000)
  })

  it('requires the organization to exist, or createOrganization', async () => {
    const groups = [{ groupId: 'g' }]
    await haunt()
    for (const other of ['unknown', 'ghost']) {
      const answer = await add(groups, { organizationId: other })
      assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
    }
    const events = await eventsWhile(() => add(groups, { organizationId: 'new', createOrganization: true }))
    assert.deepEqual(
      events.map(({ type }) => type),
      ['organization.added', 'user_group.added'],
    )
    const organizations = await key.call(getOrganizations, {})
    assert.deepEqual(
      organizations.map(({ id }) => id),
      [organizationId, 'new'],
    )
    const made = await key.post(addPermissions.path, {
      user: { userId: 'ada' },
      permissions: { resources: [{ type: 'organization', id: 'new' }] },
    })
    assert.equal(made.http, 200, made.text)
  })

  it('lets exactly one of two concurrent calls add a group', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => add([{ groupId: 'g' }])))
    const added = answers.filter(({ body }) => body.result.data.g.success)
    assert.equal(added.length, 1)
  })

  it('writes an event for each group, and none for an existing one', async () => {
    await add([{ groupId: 'g' }])
    const events = await eventsWhile(() => add([{ groupId: 'g' }, { groupId: 'h', groupName: 'H' }]))
    assert.deepEqual(told(events), [['user_group.added', 'h', null, null, { groupName: 'H' }]])
    assert.deepEqual([events[0]?.organizationId, events[0]?.resourceKind], [organizationId, null])
  })
})

describe('user-groups.get', () => {
  const ids = ['', 'A', 'Z', 'a', 'a-', 'é', '😀'].map((id) => `g${id}`)

  it('returns the named ones once, in request order, and unknown ones as failed items', async () => {
    await add([{ groupId: 'a' }, { groupId: 'b' }])
    const asked = await list({ organizationUserGroupIds: ['b', 'nope', 'a', 'b'] })
    assert.deepEqual(asked, [{ groupId: 'b' }, unknown('nope'), { groupId: 'a' }])
  })

  it('returns the same set with any page size, in id order', async () => {
    await add(ids.map((groupId) => ({ groupId })))
    for (const pageSize of [1, 2, 3, 6, 7, 8]) {
      const seen: string[] = []
      for await (const { data } of pagesOf((pageToken) => get({ pageSize, pageToken })))
        seen.push(...data.map(({ groupId }: { groupId: string }) => groupId))
      assert.deepEqual(seen, ids)
    }
  })

  it('responds NOT_FOUND without the organization', async () => {
    await haunt()
    for (const other of ['unknown', 'ghost'])
      assert.equal(refused(await get({ organizationId: other }), 'NOT_FOUND').reason, 'organization_does_not_exist')
  })
})

describe('user-groups.update', () => {
  beforeEach(() => add([{ groupId: 'g', groupName: 'Design' }, { groupId: 'h' }]))

  it('renames groups, clears names with null, and fails unknown groups', async () => {
    const { body } = await update([
      { groupId: 'g', groupName: null },
      { groupId: 'h', groupName: 'H' },
      { groupId: 'nope', groupName: 'N' },
    ])
    const { g, nope } = body.result.data
    assert.deepEqual(g, { success: true, id: g.id, message: 'User group updated successfully.' })
    assert.deepEqual(nope, unknown('nope'))
    assert.deepEqual(await list(), [{ groupId: 'g' }, { groupId: 'h', groupName: 'H' }])
  })

  it('writes an event for each change, and none if nothing changes', async () => {
    const call = () =>
      update([
        { groupId: 'g', groupName: 'New' },
        { groupId: 'nope', groupName: 'N' },
      ])
    const events = await eventsWhile(call)
    assert.deepEqual(told(events), [['user_group.updated', 'g', null, { groupName: 'Design' }, { groupName: 'New' }]])
    assert.deepEqual(await eventsWhile(call), [])
  })

  it('responds NOT_FOUND without the organization', async () => {
    const answer = await update([{ groupId: 'g', groupName: 'x' }], { organizationId: 'unknown' })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
  })
})

describe('user-groups.delete', () => {
  beforeEach(async () => {
    await add([{ groupId: 'g', groupName: 'Design' }, { groupId: 'h' }])
    await addMembers('ada', 'bob')
    await put(['ada', 'bob'])
  })

  it('deletes groups with their memberships; the users stay members of the organization', async () => {
    const { body } = await remove(['g', 'nope', 'g'])
    const { g, nope } = body.result.data
    assert.deepEqual(g, { success: true, id: g.id, message: 'User group deleted successfully.' })
    assert.deepEqual(nope, unknown('nope'))
    assert.deepEqual(await list(), [{ groupId: 'h' }])
    assert.equal((await key.call(getUsers, { organizationId })).length, 2)
    await add([{ groupId: 'g' }])
    assert.deepEqual(await usersOf(), [])
  })

  it('writes one event for each group, with the number of its users, and none for a missing one', async () => {
    const call = () => remove(['g', 'h', 'nope'])
    assert.deepEqual(told(await eventsWhile(call)), [
      ['user_group.deleted', 'g', null, { groupName: 'Design', users: 2, permissions: 0 }, null],
      ['user_group.deleted', 'h', null, { groupName: null, users: 0, permissions: 0 }, null],
    ])
    assert.deepEqual(await eventsWhile(call), [])
  })

  it('responds NOT_FOUND without the organization', async () => {
    const answer = await remove(['g'], { organizationId: 'unknown' })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
  })
})

describe('user-group-users.add', () => {
  beforeEach(async () => {
    await add([{ groupId: 'g' }, { groupId: 'h' }])
    await addMembers('ada', 'bob')
  })
  const missing = {
    success: false,
    organizationUserGroupId,
    message: 'The user is not a member of the organization; add the user with users/add.',
    code: 'not-found',
    retryable: false,
  }

  it('adds only members of the organization to the group', async () => {
    await key.call(addUsers, { organizationId, documentId: 'd', users: [{ userId: 'guest' }] })
    await key.call(addPermissions, {
      user: { userId: 'late' },
      permissions: { resources: [{ ...organization, expiresAt: 1_000 }] },
    })
    const { body } = await put(['ada', 'guest', 'late', 'nobody', 'ada'])
    assert.equal(body.result.message, 'Users added to the user group successfully.')
    const message = 'User added to the user group successfully.'
    assert.deepEqual(body.result.data, {
      ada: { success: true, organizationUserGroupId, message },
      guest: missing,
      late: missing,
      nobody: missing,
    })
    assert.deepEqual(await usersOf(), ['ada'])
  })

  it('lets a user be in several groups, and in one only once', async () => {
    for (const more of [{}, {}, { organizationUserGroupId: 'h' }])
      assert.equal((await put(['ada'], more)).body.result.data.ada.success, true)
    assert.deepEqual([await usersOf('g'), await usersOf('h')], [['ada'], ['ada']])
  })

  it('is in effect while the user has a grant on the organization', async () => {
    await put(['ada', 'bob'])
    await key.call(removePermissions, { userId: 'ada', permissions: { resources: [organization] } })
    assert.deepEqual(await usersOf(), ['bob'])
    await addMembers('ada')
    assert.deepEqual(await usersOf(), ['ada', 'bob'])
    const grant = { ...organization, expiresAt: 5_000, replaceExisting: true }
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [grant] } })
    server.clock.set(new Date(4_999_000))
    assert.deepEqual(await usersOf(), ['ada', 'bob'])
    assert.equal((await put(['ada'])).body.result.data.ada.success, true)
    server.clock.set(new Date(5_000_000))
    assert.deepEqual(await usersOf(), ['bob'])
    assert.equal((await put(['ada'])).body.result.data.ada.code, 'not-found')
    server.clock.set(null)
  })

  it('responds NOT_FOUND without the organization or the group', async () => {
    const why = async (more: object) => refused(await put(['ada'], more), 'NOT_FOUND').reason
    assert.equal(await why({ organizationId: 'unknown' }), 'organization_does_not_exist')
    assert.equal(await why({ organizationUserGroupId: 'unknown' }), 'user_group_does_not_exist')
  })

  it('writes an event for each added user, and none for one already in the group', async () => {
    await put(['ada'])
    const call = () => put(['ada', 'bob', 'nobody'])
    assert.deepEqual(told(await eventsWhile(call)), [['user_group.user_added', 'g', 'bob', null, {}]])
    assert.deepEqual(await eventsWhile(call), [])
  })

  it('has a consistent outcome if the user is removed or the group deleted concurrently', async () => {
    for (let round = 0; round < 15; round++) {
      await add([{ groupId: 'g' }])
      await addMembers('ada')
      const groupGoes = round % 3 === 0
      const [adding, gone] = await Promise.all([
        put(['ada']),
        groupGoes ? remove(['g']) : key.post(deleteUsers.path, { organizationId, userIds: ['ada'] }),
      ])
      assert.equal(gone.http, 200, gone.text)
      if (adding.http === 200)
        assert.match(JSON.stringify(adding.body.result.data.ada), /"success":true|"code":"not-found"/)
      else assert.equal(refused(adding, 'NOT_FOUND').reason, 'user_group_does_not_exist')
      await addMembers('ada')
      await add([{ groupId: 'g' }])
      assert.deepEqual(await usersOf(), [])
    }
  })
})

describe('user-group-users.delete', () => {
  beforeEach(async () => {
    await add([{ groupId: 'g' }, { groupId: 'h' }])
    await addMembers('ada', 'bob', 'carl')
    await put(['ada', 'bob', 'carl'])
    await put(['ada'], { organizationUserGroupId: 'h' })
  })

  it('removes the named users, and fails those who are not in the group', async () => {
    const { body } = await take({ userIds: ['ada', 'nobody', 'ada'] })
    assert.equal(body.result.message, 'Users removed from the user group successfully.')
    assert.deepEqual(body.result.data, {
      ada: { success: true, organizationUserGroupId, message: 'User removed from the user group successfully.' },
      nobody: {
        success: false,
        organizationUserGroupId,
        message: 'The user is not in the user group.',
        code: 'not-found',
        retryable: false,
      },
    })
    assert.deepEqual([await usersOf(), await usersOf('h')], [['bob', 'carl'], ['ada']])
  })

  it('removes all users with deleteAll, including those without membership', async () => {
    await key.call(removePermissions, { userId: 'bob', permissions: { resources: [organization] } })
    assert.deepEqual((await take({ deleteAll: true })).body.result.data, {})
    await addMembers('bob')
    assert.deepEqual([await usersOf(), await usersOf('h')], [[], ['ada']])
  })

  it('requires exactly one of userIds and deleteAll', async () => {
    refusedField(await take({}), 'userIds', 'userIds is required unless deleteAll is true')
    refusedField(await take({ deleteAll: false }), 'userIds')
    refusedField(await take({ deleteAll: true, userIds: ['ada'] }), 'userIds')
    assert.equal((await take({ deleteAll: false, userIds: ['ada'] })).http, 200)
  })

  it('responds NOT_FOUND without the organization or the group', async () => {
    for (const what of [{ userIds: ['ada'] }, { deleteAll: true }]) {
      const why = async (more: object) => refused(await take({ ...what, ...more }), 'NOT_FOUND').reason
      assert.equal(await why({ organizationId: 'unknown' }), 'organization_does_not_exist')
      assert.equal(await why({ organizationUserGroupId: 'unknown' }), 'user_group_does_not_exist')
    }
  })

  it('writes an event for each removed user, or one with their number for all, and none if nobody is removed', async () => {
    const call = () => take({ userIds: ['ada', 'nobody'] })
    assert.deepEqual(told(await eventsWhile(call)), [['user_group.user_removed', 'g', 'ada', {}, null]])
    assert.deepEqual(await eventsWhile(call), [])
    const all = () => take({ deleteAll: true })
    assert.deepEqual(told(await eventsWhile(all)), [['user_group.emptied', 'g', null, { users: 2 }, null]])
    assert.deepEqual(await eventsWhile(all), [])
  })
})
