/** Sharing with user groups: the access of their members, including the user who shares, and how many are examined. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addGrants } from '#contract/access/grants.ts'
import { updateSharing } from '#contract/access/sharing-changes.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { LATER, member, newSharingKey, onFolder, onRoadmap, organizationId, ROADMAP } from '#testing/sharing.ts'
import { asUser } from '#testing/threads.ts'

const server = await sharedServer()
let key: Client
let ada: Client

beforeEach(async () => {
  key = await newSharingKey(server)
  ada = await asUser(key, 'ada')
})

type Update = Partial<DataOf<typeof updateSharing>>
type Role = 'viewer' | 'commenter' | 'editor'
const outcome = async (client: Client, data: Update): Promise<string> =>
  (await client.post(updateSharing.path, { ...ROADMAP, ...data })).body.error?.reason ?? 'ok'
const give = (groupId: string, accessRole: Role, expiresAt?: number): Update => ({
  grants: [{ groupId, accessRole, ...(expiresAt !== undefined && { expiresAt }) }],
})
const remove = (...groupIds: string[]): Update => ({ removals: groupIds.map((groupId) => ({ groupId })) })
const roleOf = async (userId: string) => {
  const checks = [{ userId, resource: { type: 'document' as const, id: 'roadmap', organizationId } }]
  return (await key.call(checkPermissions, { checks })).checks[0]?.accessRole
}
const addUsers = async (groupId: string, userIds: string[]) => {
  await key.call(addGrants, { grants: userIds.map((userId) => ({ userId, ...member })) })
  await key.call(addUserGroupUsers, { organizationId, organizationUserGroupId: groupId, userIds })
}

it('lowers nobody in a large group, and compares a bounded number of users', async () => {
  await key.call(addUserGroups, {
    organizationId,
    organizationUserGroups: ['all', 'half', 'other'].map((groupId) => ({ groupId })),
  })
  const ids = Array.from({ length: 2_000 }, (_, index) => `u${String(index).padStart(4, '0')}`)
  const first = ids.slice(0, 1_000)
  await addUsers('all', first)
  // The last one in the order of ids edits the folder of the document.
  await addUsers('all', [...ids.slice(1_000, 1_500), 'z'])
  await key.call(addGrants, { grants: [{ userId: 'z', ...onFolder, accessRole: 'editor' }] })
  const isLast = { gaining: 0, changing: 0, losing: 1_500, isExact: true }
  for (const [refusal, members] of [
    ['sharing_would_lower', isLast],
    ['too_many_group_users', { ...isLast, losing: 2_000, isExact: false }],
  ] as const) {
    if (refusal === 'too_many_group_users') await addUsers('all', ids.slice(1_500))
    assert.equal(await outcome(ada, give('all', 'viewer')), refusal)
    assert.equal(await outcome(ada, { ...give('all', 'commenter'), dryRun: true }), refusal)
    assert.equal(await outcome(ada, give('all', 'editor')), 'ok')
    assert.equal(await outcome(ada, give('all', 'viewer')), refusal)
    const [change] = (await ada.call(updateSharing, { ...ROADMAP, ...remove('all'), dryRun: true })).changes
    assert.deepEqual(change?.members, members)
    assert.equal(await outcome(ada, remove('all')), 'ok')
    assert.equal(await roleOf('z'), 'editor')
  }

  // Beside others, a large group is refused, and so are groups that are large together, also in a preview.
  for (const groupId of ['half', 'other'])
    await key.call(addUserGroupUsers, { organizationId, organizationUserGroupId: groupId, userIds: first })
  const both = { grants: [...(give('half', 'viewer').grants ?? []), ...(give('other', 'editor').grants ?? [])] }
  assert.equal(await outcome(ada, { ...both, dryRun: true }), 'ok')
  for (const data of [{ ...both, ...remove('sales') }, remove('all', 'sales'), remove('sales', 'half', 'other')])
    for (const dryRun of [true, false]) assert.equal(await outcome(ada, { ...data, dryRun }), 'too_many_group_users')
  // Groups that the user may not know are not counted.
  const gus = await asUser(key, 'gus')
  assert.equal(await outcome(gus, remove('all', 'sales')), 'ok')
  assert.equal(await outcome(gus, give('all', 'viewer')), 'sharing_target_unknown')
})

describe('a group of the user who shares', () => {
  it('gets no grant that would outlive access from above', async () => {
    const lea = await asUser(key, 'lea')
    for (const role of ['viewer', 'commenter', 'editor'] as const)
      for (const expiresAt of [undefined, LATER])
        assert.equal(await outcome(lea, give('sales', role, expiresAt)), 'sharing_with_oneself')
    assert.equal(await outcome(lea, { ...give('sales', 'editor'), dryRun: true }), 'sharing_with_oneself')
    assert.equal(await outcome(lea, give('design', 'editor')), 'ok')

    // The access comes from another group, and from membership of the organization.
    await addUsers('sales', ['cora'])
    assert.equal(await outcome(await asUser(key, 'cora'), give('sales', 'editor')), 'sharing_with_oneself')
    await key.call(addDocuments, {
      organizationId,
      documents: [{ documentId: 'open', accessType: 'organizationPrivate' }],
    })
    await addUsers('sales', ['boss'])
    await key.call(addGrants, { grants: [{ userId: 'boss', ...member, accessRole: 'editor' }] })
    const boss = await asUser(key, 'boss')
    assert.equal(await outcome(boss, { documentId: 'open', ...give('sales', 'viewer') }), 'sharing_with_oneself')
    assert.equal(await outcome(boss, { documentId: 'open', ...give('design', 'viewer') }), 'ok')
  })

  it('gets at most the access that the user holds on the document itself, or that the group has already', async () => {
    await addUsers('sales', ['ada', 'tim', 'cora'])
    const [tim, cora] = [await asUser(key, 'tim'), await asUser(key, 'cora')]
    assert.equal(await outcome(tim, give('sales', 'editor', LATER)), 'ok')
    assert.equal(await outcome(ada, give('sales', 'editor')), 'ok')
    assert.equal(await outcome(cora, give('design', 'editor', LATER)), 'ok')
    assert.equal(await outcome(cora, give('design', 'editor')), 'sharing_with_oneself')
  })

  it("is refused also if the user's own grant is weaker or shorter", async () => {
    await key.call(addGrants, { grants: [{ userId: 'cora', ...onRoadmap('editor', { expiresAt: LATER }) }] })
    await addUsers('sales', ['cora'])
    const cora = await asUser(key, 'cora')
    assert.equal(await outcome(cora, give('sales', 'viewer')), 'sharing_with_oneself')
    assert.equal(await outcome(cora, give('sales', 'editor', LATER + 1)), 'sharing_with_oneself')
    assert.equal(await outcome(cora, give('sales', 'editor', LATER)), 'ok')
  })
})

it('compares with the access that remains after the removals of the same call', async () => {
  assert.equal(await outcome(ada, give('sales', 'editor')), 'ok')
  const bob = { grants: [{ userId: 'bob', accessRole: 'viewer' as const }] }
  assert.equal(await outcome(ada, { ...bob, ...remove('sales'), dryRun: true }), 'ok')
  assert.equal(await outcome(ada, { ...bob, ...remove('sales') }), 'ok')
  assert.equal(await roleOf('bob'), 'viewer')
  // Access from above the document still remains.
  assert.equal(await outcome(ada, give('sales', 'editor')), 'ok')
  const lea = { grants: [{ userId: 'lea', accessRole: 'viewer' as const }] }
  assert.equal(await outcome(ada, { ...lea, ...remove('sales') }), 'sharing_would_lower')
})

it('reports the strongest of the grants of a group', async () => {
  await key.call(addGrants, {
    grants: [
      { groupId: 'sales', ...onRoadmap('editor') },
      { groupId: 'sales', ...onRoadmap('viewer', { expiresAt: LATER }) },
    ],
  })
  const [change] = (await ada.call(updateSharing, { ...ROADMAP, ...remove('sales'), dryRun: true })).changes
  assert.deepEqual(change?.before, { accessRole: 'editor' })
  await key.call(addGrants, { grants: [{ groupId: 'design', ...onRoadmap('editor', { expiresAt: LATER }) }] })
  const [other] = (await ada.call(updateSharing, { ...ROADMAP, ...remove('design'), dryRun: true })).changes
  assert.deepEqual(other?.before, { accessRole: 'editor' })
})
