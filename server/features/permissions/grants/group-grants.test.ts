/** Grants of user groups (rules/access.md#groups). */
import assert from 'node:assert/strict'
import { afterAll, beforeEach, describe, it } from 'vitest'
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { checkPermissions } from '#contract/access/decisions.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { simulatePermissions } from '#contract/access/simulations.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { deleteOrganizations } from '#contract/resources/organizations.ts'
import {
  addUserGroups,
  addUserGroupUsers,
  deleteUserGroups,
  deleteUserGroupUsers,
} from '#contract/users/user-groups.ts'
import { addUsers, deleteUsers } from '#contract/users/users.ts'
import { setValues } from '#platform/db/statement.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { rowsRead } from '#testing/rows-read.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'
import { DECIDE } from '../decision/statement.ts'
import { sweepExpired } from '../expiry/expiry.ts'

const server = await startServer()
const organizationId = 'acme'
const group = { organizationId, groupId: 'design' }
const plans = { type: 'folder', id: 'plans', organizationId } as const
const byGroup = { via: { type: 'folder', id: 'plans', inherited: false, group: 'design' } }
let key: Client

/** Ada and Bob are viewers of the organization; Ada is in the group `design`. Access is restricted. */
beforeEach(async () => {
  key = await server.newKey()
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await key.call(addUserGroups, {
    organizationId,
    createOrganization: true,
    organizationUserGroups: [{ groupId: 'design' }],
  })
  const users = ['ada', 'bob'].map((userId) => ({ userId, accessRole: 'viewer' as const }))
  await key.call(addUsers, { organizationId, users })
  await join('ada')
})
afterAll(() => server.clock.set(null))

const members = (userId: string) => ({ organizationId, organizationUserGroupId: 'design', userIds: [userId] })
const join = (userId: string) => key.call(addUserGroupUsers, members(userId))
const leave = (userId: string) => key.call(deleteUserGroupUsers, members(userId))
const grant = (more: object = {}) =>
  key.call(addPermissions, { group, permissions: { resources: [{ ...plans, ...more }] } })
const check = async (userId = 'ada', resource: object = plans) =>
  (await key.call(checkPermissions, { checks: [{ userId, resource: resource as typeof plans }] })).checks[0]
const keyOfOrganization = () => organizationKey({ apiKeyId: apiKeyOf(key) as ApiKeyId }, organizationId)
/** Adds groups in the database, with one user. */
const addGroupsOf = async (userId: string, count: number) => {
  const groups = `select $1::uuid, 'group' || g from generate_series(0, ${count - 1}) g`
  const values = [keyOfOrganization()]
  await server.db.query(`insert into user_groups (organization_key, group_id) ${groups} on conflict do nothing`, values)
  await server.db.query(
    `insert into user_group_members select o, g, '${userId}' from (${groups}) as added (o, g)`,
    values,
  )
}
/** Returns how many rows a decision about the folder reads. */
const rowsReadFor = async (userId: string): Promise<number> => {
  const question = {
    ...{ req: 0, organizationKey: keyOfOrganization() },
    ...{ kind: plans.type, resourceId: plans.id, userId, atLeast: null },
    ...{ defaultAccessType: 'restricted' as const, defaultAccessRole: 'editor' as const },
  }
  return rowsRead(server.db, DECIDE, setValues(DECIDE, [question], null))
}
const eventsWhile = (work: () => Promise<unknown>) => eventsDuring(server.db, apiKeyOf(key), work)
const at = (seconds: number) => server.clock.set(new Date(seconds * 1000))

describe('a grant of a user group', () => {
  it('counts for the users in the group and for nobody else, and names its group', async () => {
    await grant()
    const shown = { accessRole: 'editor', accessType: 'restricted', reason: 'grant' }
    assert.deepEqual(await check('ada'), { allowed: true, ...shown, ...byGroup })
    assert.equal((await check('bob'))?.accessRole, 'viewer')
    assert.equal((await check('eve'))?.allowed, false)
  })

  it('counts among the grants of very many groups on the same resource', async () => {
    const groupIds = Array.from({ length: 260 }, (_, nth) => `group${nth}`)
    const organizationUserGroups = groupIds.map((groupId) => ({ groupId }))
    await key.call(addUserGroups, { organizationId, organizationUserGroups })
    await key.call(addGrants, { grants: groupIds.map((groupId) => ({ ...plans, groupId })) })
    await key.call(addUserGroupUsers, { ...members('ada'), organizationUserGroupId: 'group259' })
    assert.equal((await check())?.via?.group, 'group259')
    assert.equal((await check('bob'))?.accessRole, 'viewer')
  })

  it('counts for a user in very many groups; of equal grants it names the first group', async () => {
    const groupIds = Array.from({ length: 70 }, (_, nth) => `group${nth + 10}`)
    const organizationUserGroups = groupIds.map((groupId) => ({ groupId }))
    await key.call(addUserGroups, { organizationId, organizationUserGroups })
    for (const groupId of groupIds)
      await key.call(addUserGroupUsers, { ...members('bob'), organizationUserGroupId: groupId })
    const viewer = { ...plans, groupId: 'group10', accessRole: 'viewer' as const }
    const editors = ['group77', 'group78', 'design'].map((groupId) => ({ ...plans, groupId }))
    await key.call(addGrants, { grants: [viewer, ...editors] })
    const { accessRole, via } = (await check('bob')) ?? {}
    assert.deepEqual([accessRole, via?.group], ['editor', 'group77'])
  })

  it('counts for a user in very many groups beside the grants of very many groups', async () => {
    await addGroupsOf('bob', 300)
    const holders = Array.from({ length: 290 }, (_, nth) => ({ ...plans, groupId: `group${nth}` }))
    for (const count of [250, 290]) {
      await key.call(addGrants, { grants: holders.slice(0, count) })
      const { accessRole, via } = (await check('bob')) ?? {}
      assert.deepEqual([accessRole, via?.group], ['editor', 'group0'])
      assert.equal((await check('eve'))?.allowed, false)
    }
  })

  it('costs a user in thousands of groups no more than one in some dozens', async () => {
    await grant()
    await addGroupsOf('ada', 60)
    await addGroupsOf('bob', 3_000)
    await server.db.query('vacuum analyze user_group_members')
    const few = await rowsReadFor('ada')
    const many = await rowsReadFor('bob')
    assert.ok(many <= 2 * few, `${many} rows instead of ${few}`)
  })

  it('counts on a resource as the strongest of the groups, and of equal ones as the first', async () => {
    const now = 2_000_000_000
    type Held = { accessRole: 'viewer' | 'editor'; expiresAt?: number }
    const temporary = (['viewer', 'editor'] as const).flatMap((accessRole) =>
      [now - 1, now + 100].map((expiresAt): Held => ({ accessRole, expiresAt })),
    )
    const standing: Held[] = [{ accessRole: 'viewer' }, { accessRole: 'editor' }]
    const held = [[], ...[...standing, ...temporary].map((one) => [one]), ...temporary.map((one) => [standing[0], one])]
    const pairs = held.flatMap((first, i) => held.map((second, j) => ({ id: `pair${i}-${j}`, first, second })))
    at(now - 2)
    await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'second' }] })
    await key.call(addUserGroupUsers, { ...members('ada'), organizationUserGroupId: 'second' })
    await key.call(addFolders, { organizationId, folders: pairs.map(({ id }) => ({ folderId: id })) })
    const grantsOf = ({ id, first, second }: (typeof pairs)[number]) =>
      Object.entries({ design: first, second }).flatMap(([groupId, list]) =>
        list.map((one) => ({ type: 'folder' as const, id, organizationId, groupId, ...(one as Held) })),
      )
    await key.call(addGrants, { grants: pairs.flatMap(grantsOf) })
    at(now)
    const rank = ({ accessRole, expiresAt = 3 * now }: Held) => (accessRole === 'editor' ? 4 * now : 0) + expiresAt
    const expected = pairs.map((pair) => {
      const live = grantsOf(pair).filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
      const best = live.toSorted((one, other) => rank(other) - rank(one))[0]
      return [best?.accessRole ?? 'viewer', best?.expiresAt, best?.groupId]
    })
    const checks = pairs.map(({ id }) => ({ userId: 'ada', resource: { type: 'folder' as const, id, organizationId } }))
    const answers = (await key.call(checkPermissions, { checks })).checks
    assert.deepEqual(
      answers.map(({ accessRole, expiresAt, via }) => [accessRole, expiresAt, via?.group]),
      expected,
    )
  })

  it('decides at any depth of folders', async () => {
    const depth = 99
    const folders = Array.from({ length: depth }, (_, nth) => ({
      folderId: `f${nth}`,
      ...(nth === 0 ? {} : { parentFolderId: `f${nth - 1}` }),
    }))
    await key.call(addFolders, { organizationId, folders })
    const editor = [{ type: 'organization' as const, id: organizationId, accessRole: 'editor' as const }]
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: editor } })
    for (const nth of [0, 29, 30, 31, 62, 63, 64, 98]) {
      const resource = { type: 'folder' as const, id: `f${nth}`, organizationId }
      await key.call(addPermissions, { group, permissions: { resources: [{ ...resource, accessRole: 'viewer' }] } })
      const { via, accessRole } = (await check('ada', resource)) ?? {}
      assert.deepEqual([accessRole, via], ['viewer', { ...byGroup.via, id: resource.id }])
      await key.call(removePermissions, { group, permissions: { resources: [resource] } })
    }
  })

  it('ends with the next question when the user leaves the group, and counts when one joins', async () => {
    await grant()
    await join('bob')
    assert.equal((await check('bob'))?.accessRole, 'editor')
    await leave('bob')
    await leave('ada')
    assert.equal((await check('bob'))?.accessRole, 'viewer')
    assert.equal((await check('ada'))?.accessRole, 'viewer')
  })

  it('does not count without a membership, and counts again when the membership is back', async () => {
    await grant()
    const membership = {
      userId: 'ada',
      permissions: { resources: [{ type: 'organization' as const, id: organizationId }] },
    }
    await key.call(removePermissions, membership)
    assert.deepEqual(await check(), { allowed: false, accessType: 'restricted', reason: 'no_grant' })
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: membership.permissions })
    assert.deepEqual((await check())?.via, byGroup.via)
    await key.call(deleteUsers, { organizationId, userIds: ['ada'] })
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: membership.permissions })
    assert.deepEqual((await check())?.via, { type: 'organization', id: organizationId, inherited: true })
  })

  it('expires with its own expiry or with the membership, whichever is earlier', async () => {
    at(10)
    await grant({ expiresAt: 200 })
    assert.equal((await check())?.expiresAt, 200)
    const expiring = { type: 'organization' as const, id: organizationId, expiresAt: 100, replaceExisting: true }
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [expiring] } })
    assert.equal((await check())?.expiresAt, 100)
    at(100)
    assert.deepEqual(await check(), { allowed: false, accessType: 'restricted', reason: 'grant_expired' })
    const { rule } = await key.call(explainPermissions, { userId: 'ada', resource: plans })
    assert.match(rule.sentence, /of user group "design" on it does not count, because the user is no longer a member/)
    server.clock.set(null)
  })

  it('is named by its group in events, also of its expiry', async () => {
    at(10)
    const written = { groupId: 'design', accessRole: 'viewer', expiresAt: 100 }
    const events = await eventsWhile(async () => {
      await grant({ accessRole: 'viewer', expiresAt: 100 })
      at(100)
      await sweepExpired({ db: server.db, keptDays: 0 })
      await key.call(removePermissions, { group, permissions: { resources: [plans] } })
    })
    server.clock.set(null)
    assert.deepEqual(
      events.map(({ type, userId, before, after }) => [type, userId, before, after]),
      [
        ['permission.added', null, null, written],
        ['permission.expired', null, written, null],
        ['permission.removed', null, written, null],
      ],
    )
  })

  it('is deleted with the group, with one event that counts the grants', async () => {
    await grant()
    await key.call(addPermissions, {
      group,
      permissions: { resources: [{ type: 'organization', id: organizationId }] },
    })
    const events = await eventsWhile(() =>
      key.call(deleteUserGroups, { organizationId, organizationUserGroupIds: ['design'] }),
    )
    assert.deepEqual(
      events.map(({ type, before }) => [type, before]),
      [['user_group.deleted', { groupName: null, users: 1, permissions: 2 }]],
    )
    assert.equal((await check())?.accessRole, 'viewer')
    const groups = [{ groupId: 'design' }]
    await key.call(addUserGroups, { organizationId, organizationUserGroups: groups })
    await join('ada')
    assert.equal((await check())?.accessRole, 'viewer', 'a new group of the same id has no grants')
  })

  it('is deleted when the organization is deleted and added again', async () => {
    await grant()
    await key.call(deleteOrganizations, { organizationIds: [organizationId] })
    const users = [{ userId: 'ada', accessRole: 'viewer' as const }]
    await key.call(addUsers, { organizationId, createOrganization: true, users })
    assert.equal((await check('ada', { type: 'organization', id: organizationId }))?.accessRole, 'viewer')
    assert.equal((await check())?.reason, 'does_not_exist')
  })
})

describe('lists', () => {
  it('of users contain the users of groups, each once, on pages of any size', async () => {
    const userIds = Array.from({ length: 30 }, (_, nth) => `user${nth}`)
    await key.call(addUsers, { organizationId, users: userIds.map((userId) => ({ userId })) })
    await key.call(addUserGroupUsers, { ...members('ada'), userIds })
    await grant()
    const own = { user: { userId: 'user7' }, permissions: { resources: [plans] } }
    await key.call(addPermissions, own)
    for (const pageSize of [1, 7, 1_000]) {
      const listed: string[] = []
      for await (const { data } of pagesOf((pageToken) =>
        key.post(listPermittedUsers.path, { resource: plans, pageSize, pageToken }),
      ))
        listed.push(...data.users.map(({ userId }: { userId: string }) => userId))
      assert.deepEqual(listed, ['ada', 'bob', ...userIds].sort())
    }
  })

  it('of resources contain resources to which groups give access', async () => {
    await grant()
    const { resources } = await key.call(listPermittedResources, { organizationId, userId: 'ada', types: ['folder'] })
    assert.deepEqual(
      resources.map(({ id, via }) => [id, via]),
      [['plans', byGroup.via]],
    )
  })

  it('of grants name groups, and their items can be added', async () => {
    await grant({ accessRole: 'viewer' })
    await grant({ expiresAt: 2_000_000_000 })
    const { grants } = await key.call(listGrants, { organizationId })
    const ofGroup = grants.filter(({ groupId }) => groupId !== undefined)
    assert.deepEqual(ofGroup, [
      { groupId: 'design', type: 'folder', id: 'plans', accessRole: 'viewer' },
      { groupId: 'design', type: 'folder', id: 'plans', accessRole: 'editor', expiresAt: 2_000_000_000 },
    ])
    await key.call(removePermissions, { group, permissions: { resources: [plans] } })
    await key.call(addGrants, { grants: ofGroup.map((one) => ({ ...one, organizationId })) })
    assert.deepEqual((await key.call(listGrants, { organizationId })).grants, grants)
  })
})

describe('a simulation', () => {
  const simulate = async (changes: object) => {
    const { changes: changed } = await key.call(simulatePermissions, { organizationId, ...changes })
    return changed.map(({ userId, before, after }) => [userId, before.accessRole, after.accessRole])
  }

  it('lists whom a grant of a group and its removal affect', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'plans' }] })
    const added = await simulate({ add: [{ groupId: 'design', resource: plans }] })
    assert.deepEqual(added, [['ada', 'viewer', 'editor']])
    await grant()
    const removed = await simulate({ remove: [{ groupId: 'design', resource: plans }] })
    assert.deepEqual(removed, [['ada', 'editor', 'viewer']])
  })

  it('distinguishes groups and users with spaces in their ids', async () => {
    const groups = ['a', 'a b'].map((groupId) => ({ groupId }))
    await key.call(addUserGroups, { organizationId, organizationUserGroups: groups })
    await key.call(addUsers, {
      organizationId,
      users: ['b c', 'c'].map((userId) => ({ userId, accessRole: 'viewer' as const })),
    })
    for (const [organizationUserGroupId = '', userId = ''] of [
      ['a', 'b c'],
      ['a b', 'c'],
    ])
      await key.call(addUserGroupUsers, { organizationId, organizationUserGroupId, userIds: [userId] })
    await key.call(addGrants, { grants: [{ groupId: 'a', ...plans }] })
    const resource = { type: 'folder' as const, id: 'plans' }
    const touched = { remove: [{ userId: 'b c', resource, temporaryOnly: true }] }
    assert.deepEqual(await simulate({ leave: [{ groupId: 'a b', userId: 'c' }], ...touched }), [])
    assert.deepEqual(await simulate({ leave: [{ groupId: 'a', userId: 'b c' }], ...touched }), [
      ['b c', 'editor', 'viewer'],
    ])
  })

  it('shows the effect of joining and leaving a group', async () => {
    await grant()
    const join = [{ groupId: 'design', userId: 'bob' }]
    const leave = [{ groupId: 'design', userId: 'ada' }]
    assert.deepEqual(await simulate({ join, leave }), [
      ['ada', 'editor', 'viewer'],
      ['bob', 'viewer', 'editor'],
    ])
  })

  it('does not let a non-member join a group, unless a grant in the same call makes the user a member', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'plans', accessType: 'restricted' }] })
    await grant()
    const lapsed = { type: 'organization' as const, id: organizationId, expiresAt: 1_000 }
    const viewer = { ...plans, accessRole: 'viewer' as const }
    await key.call(addPermissions, { user: { userId: 'eve' }, permissions: { resources: [lapsed, viewer] } })
    const change = { join: [{ groupId: 'design', userId: 'eve' }], remove: [{ userId: 'eve', resource: plans }] }
    const reasonAfter = async (more: object = {}) => {
      const { changes } = await key.call(simulatePermissions, { organizationId, ...change, ...more })
      return changes.map(({ resource: { id }, after }) => [id, after.reason])
    }
    assert.deepEqual(await reasonAfter(), [['plans', 'no_grant']])
    assert.equal((await join('eve')).eve?.success, false)
    await key.call(removePermissions, { userId: 'eve', permissions: { resources: [plans] } })
    assert.equal((await check('eve'))?.reason, 'no_grant')
    await key.call(addPermissions, { user: { userId: 'eve' }, permissions: { resources: [viewer] } })
    const add = [{ userId: 'eve', resource: { type: 'organization', id: organizationId } }]
    assert.deepEqual(await reasonAfter({ add }), [
      ['acme', 'grant'],
      ['plans', 'grant'],
    ])
  })
})

describe('a call about a group', () => {
  it('is refused if the group is unknown, and nothing is granted', async () => {
    const unknown = { group: { organizationId, groupId: 'unknown' }, permissions: { resources: [plans] } }
    for (const { path } of [addPermissions, removePermissions])
      assert.equal(refused(await key.post(path, unknown), 'NOT_FOUND').reason, 'user_group_does_not_exist')
    const grants = [
      { userId: 'eve', ...plans },
      { groupId: 'unknown', ...plans },
    ]
    const { reason, details } = refused(await key.post(addGrants.path, { grants }), 'NOT_FOUND')
    assert.equal(reason, 'user_group_does_not_exist')
    assert.equal(details[0].field, 'grants[1].groupId')
    assert.equal((await check('eve'))?.reason, 'does_not_exist')
  })

  it('is refused for resources of another organization, and for a user beside the group', async () => {
    const elsewhere = { permissions: { resources: [{ ...plans, organizationId: 'other' }] }, group }
    const message = 'permissions.resources[0] must be in the organization of the group, "acme"'
    const field = 'permissions.resources[0].organizationId'
    for (const { path } of [addPermissions, removePermissions])
      refusedField(await key.post(path, elsewhere), field, message)
    const both = { user: { userId: 'ada' }, group, permissions: { resources: [plans] } }
    refusedField(await key.post(addPermissions.path, both), 'group', 'group must not be given together with user')
  })
})
