/** permissions.simulate (rules/access.md#simulations). test/matrix checks that simulations are correct. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { type Simulation, simulatePermissions } from '#contract/access/simulations.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { setDocumentAccess } from '#contract/resources/documents.ts'
import { setFolderAccess } from '#contract/resources/folders.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { completeMigration } from '#testing/jobs.ts'
import { FULL } from '#testing/run/mode.ts'
import { sharedServer } from '#testing/server.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'
import { dumpOfCalls } from '../../../../test/conformance/support/tables.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
})

const document = { type: 'document' as const, id: 'roadmap' }
const folder = { type: 'folder' as const, id: 'plans' }
const organization = { type: 'organization' as const, id: organizationId }

const simulate = (data: object): Promise<Simulation> => acme.call(simulatePermissions, data)
const post = (data: object) => acme.post(simulatePermissions, data)

const written = ({ changes }: Simulation) =>
  changes.map(
    ({ userId, resource: { id }, before, after }) =>
      `${userId} ${id}: ${before.accessRole ?? before.reason} → ${after.accessRole ?? after.reason}`,
  )

describe('permissions.simulate', () => {
  it('reports access gained by a grant, access lost by a removal, and changes of role or expiry', async () => {
    await acme.addTree({ plans: ['root', 'restricted'] })
    await acme.addDocuments('plans', { documentId: 'roadmap' })
    await acme.grant('folder', 'plans', 'bob', 'cyd')
    const simulation = await simulate({
      add: [
        { userId: 'ada', resource: folder, accessRole: 'viewer' },
        { userId: 'bob', resource: document },
      ],
      remove: [{ userId: 'cyd', resource: folder }],
    })
    assert.deepEqual(written(simulation), [
      'ada plans: no_grant → viewer',
      'ada roadmap: no_grant → viewer',
      'bob roadmap: viewer → editor',
      'cyd plans: viewer → no_grant',
      'cyd roadmap: viewer → no_grant',
    ])
    const { counts, users, everyone, changes } = simulation
    assert.deepEqual(
      { counts, users, everyone },
      {
        counts: { gained: 2, lost: 2, changed: 1 },
        users: { gained: 1, lost: 1, changed: 1 },
        everyone: { gained: 0, lost: 0 },
      },
    )
    assert.deepEqual(changes[2], {
      userId: 'bob',
      resource: { type: 'document', id: 'roadmap', organizationId },
      before: {
        allowed: true,
        accessRole: 'viewer',
        accessType: 'restricted',
        reason: 'grant',
        via: { type: 'folder', id: 'plans', inherited: true },
      },
      after: {
        allowed: true,
        accessRole: 'editor',
        accessType: 'restricted',
        reason: 'grant',
        via: { type: 'document', id: 'roadmap', inherited: false },
      },
    })
    const until = await simulate({
      add: [{ userId: 'bob', resource: document, accessRole: 'viewer', expiresAt: 4_000_000_000 }],
    })
    assert.deepEqual(until.counts, { gained: 0, lost: 0, changed: 1 })
  })

  it('reports users who lose access by a stricter access type, including users with a grant elsewhere, and counts everyone', async () => {
    await acme.addTree({ plans: 'root', other: 'root' })
    await acme.addDocuments('plans', { documentId: 'roadmap' }, { documentId: 'own', accessType: 'restricted' })
    await acme.grant('folder', 'plans', 'ada')
    await acme.grant('folder', 'other', 'bob')
    const simulation = await simulate({ accessTypes: [{ resource: folder, accessType: 'restricted' }] })
    assert.deepEqual(written(simulation), ['bob plans: editor → no_grant', 'bob roadmap: editor → no_grant'])
    assert.deepEqual(simulation.everyone, { gained: 0, lost: 2 })
    const opened = await simulate({
      accessTypes: [{ resource: { type: 'document', id: 'own' }, inheritFromParent: true }],
    })
    assert.deepEqual(written(opened), ['ada own: no_grant → viewer', 'bob own: no_grant → editor'])
    assert.deepEqual(opened.everyone, { gained: 1, lost: 0 })
  })

  it('decides about a document by its own grants, of users and of groups, beside documents without any', async () => {
    await acme.addTree({ plans: ['root', 'organizationPrivate'] })
    await acme.addDocuments(
      'plans',
      ...['of-ada', 'of-sales', 'plain', 'plain-too'].map((documentId) => ({ documentId })),
    )
    await acme.grant('organization', organizationId, 'ada', 'bob')
    await acme.call(addUserGroups, { organizationUserGroups: [{ groupId: 'sales' }] })
    await acme.call(addUserGroupUsers, { organizationUserGroupId: 'sales', userIds: ['bob'] })
    await acme.grant('document', 'of-ada', 'ada')
    const resources = [{ type: 'document' as const, id: 'of-sales', organizationId, accessRole: 'viewer' as const }]
    await acme.key.call(addPermissions, { group: { organizationId, groupId: 'sales' }, permissions: { resources } })
    const restricted = await simulate({ accessTypes: [{ resource: folder, accessType: 'restricted' }] })
    assert.deepEqual(
      written(restricted),
      [
        'ada plans',
        'ada of-sales',
        'ada plain',
        'ada plain-too',
        'bob plans',
        'bob of-ada',
        'bob plain',
        'bob plain-too',
      ].map((pair) => `${pair}: viewer → no_grant`),
    )
    assert.equal(restricted.groups[0]?.documents, 4)
  })

  it('decides about users by their own grants, groups and state, beside users with equal ones', async () => {
    await acme.addTree({ plans: ['root', 'organizationPrivate'] })
    await acme.addDocuments('plans', { documentId: 'roadmap' })
    const ends = { ida: 4_000_000_000, jo: 4_000_000_100 }
    for (const userId of ['ann', 'bob', 'di', 'eve', 'fay', 'gus', 'hal', 'ida', 'jo'])
      await acme.key.call(addPermissions, {
        user: { userId },
        permissions: {
          resources: [
            {
              ...organization,
              accessRole: userId === 'di' ? 'editor' : 'viewer',
              ...(userId in ends ? { expiresAt: ends[userId as keyof typeof ends] } : {}),
            },
          ],
        },
      })
    await acme.grant('document', 'roadmap', 'gus')
    await acme.call(addUserGroups, { organizationUserGroups: [{ groupId: 'sales' }] })
    await acme.call(addUserGroupUsers, { organizationUserGroupId: 'sales', userIds: ['eve'] })
    await acme.key.call(disableUsers, { userIds: ['fay'], disabled: true })
    const simulation = await simulate({
      accessTypes: [{ resource: folder, accessType: 'restricted' }],
      add: [{ groupId: 'sales', resource: folder, accessRole: 'viewer' }],
      join: [{ groupId: 'sales', userId: 'hal' }],
    })
    assert.deepEqual(
      written(simulation),
      ['ann viewer', 'bob viewer', 'di editor', 'gus viewer', 'ida viewer', 'jo viewer'].flatMap((before) => {
        const [userId, role] = before.split(' ')
        return ['plans', 'roadmap']
          .filter((id) => `${userId} ${id}` !== 'gus roadmap')
          .map((id) => `${userId} ${id}: ${role} → no_grant`)
      }),
    )
    for (const { userId, before } of simulation.changes)
      assert.equal(before.expiresAt, ends[userId as keyof typeof ends], userId)
  })

  it('applies removals, grants and access types together as one change', async () => {
    await acme.addTree({ plans: 'root' })
    await acme.grant('organization', organizationId, 'ada')
    const simulation = await simulate({
      remove: [{ userId: 'ada', resource: folder }],
      add: [{ userId: 'ada', resource: folder }],
      accessTypes: [{ resource: folder, accessType: 'restricted' }],
    })
    assert.deepEqual(written(simulation), ['ada plans: viewer → editor'])
  })

  it('declares resources that a grant names first, even in a missing organization', async () => {
    const { body } = await acme.key.post(simulatePermissions.path, {
      organizationId: 'new',
      add: [{ userId: 'ada', resource: document, accessRole: 'viewer' }],
    })
    assert.deepEqual(written(body.result.data), ['ada roadmap: does_not_exist → viewer'])
    assert.deepEqual(body.result.data.everyone, { gained: 1, lost: 0 })
  })

  it('writes nothing', async () => {
    await acme.addTree({ plans: 'root' })
    await acme.grant('folder', 'plans', 'ada')
    const before = await dumpOfCalls(server.db)
    const { counts } = await simulate({
      add: [{ userId: 'ada', resource: document }],
      remove: [{ userId: 'ada', resource: folder }],
      accessTypes: [{ resource: folder, accessType: 'restricted' }],
    })
    assert.notDeepEqual(counts, { gained: 0, lost: 0, changed: 0 })
    assert.deepEqual(await dumpOfCalls(server.db), before)
  })

  it('reports no changes for changes without effect', async () => {
    await acme.grant('document', 'roadmap', 'ada')
    const { groups, ...nothing } = await simulate({
      add: [{ userId: 'ada', resource: document, accessRole: 'viewer' }],
      remove: [
        { userId: 'bob', resource: document },
        { userId: 'bob', resource: { type: 'folder', id: 'nope' } },
      ],
    })
    assert.deepEqual(nothing, {
      counts: { gained: 0, lost: 0, changed: 0 },
      users: { gained: 0, lost: 0, changed: 0 },
      everyone: { gained: 0, lost: 0 },
      changes: [],
    })
    assert.deepEqual(
      groups.map(({ effect, accessRole, people }) => [effect, accessRole, people.map(({ userId }) => userId)]),
      [
        ['kept', 'editor', ['bob']],
        ['kept', 'viewer', ['ada']],
      ],
    )
  })

  it('groups people by effect, losses first, and counts each person and each resource once', async () => {
    await acme.addTree({ plans: ['root', 'restricted'], drafts: 'plans' })
    await acme.addDocuments('plans', { documentId: 'roadmap' }, { documentId: 'minutes' })
    await acme.grant('folder', 'plans', 'bob', 'cyd')
    const { groups } = await simulate({
      remove: ['bob', 'cyd'].map((userId) => ({ userId, resource: folder })),
      add: [{ userId: 'dan', resource: folder, accessRole: 'editor' }],
    })
    assert.deepEqual(
      groups.map(({ people, ...group }) => ({ ...group, people: people.map((one) => [one.userId, one.resources]) })),
      [
        {
          ...{ effect: 'lost', users: 2, organizations: 0, folders: 2, documents: 2 },
          people: [
            ['bob', 4],
            ['cyd', 4],
          ],
        },
        {
          ...{ effect: 'gained', accessRole: 'editor', users: 1, organizations: 0, folders: 2, documents: 2 },
          people: [['dan', 4]],
        },
      ],
    )
    assert.deepEqual(groups[0]?.people[0]?.resource, { ...folder, id: 'drafts', organizationId })
  })

  it('names people who keep the same access to the changed resources, and the reason', async () => {
    await acme.addTree({ plans: ['root', 'restricted'] })
    await acme.call(addUserGroups, { organizationUserGroups: [{ groupId: 'sales', groupName: 'Sales' }] })
    await acme.key.call(setProfiles, { users: [{ userId: 'ada', name: 'Ada Lovelace' }] })
    await acme.grant('organization', organizationId, 'ada', 'bob')
    await acme.call(addUserGroupUsers, { organizationUserGroupId: 'sales', userIds: ['ada'] })
    await acme.grant('folder', 'plans', 'ada', 'bob')
    await acme.key.call(addPermissions, {
      group: { organizationId, groupId: 'sales' },
      permissions: { resources: [{ ...folder, organizationId, accessRole: 'viewer' }] },
    })
    const { groups } = await simulate({ remove: ['ada', 'bob'].map((userId) => ({ userId, resource: folder })) })
    assert.deepEqual(
      groups.map(({ effect, accessRole, groupName, via, people }) => ({
        ...{ effect, accessRole, groupName, group: via?.group },
        people: people.map(({ userId, name }) => name ?? userId),
      })),
      [
        { effect: 'lost', accessRole: undefined, groupName: undefined, group: undefined, people: ['bob'] },
        { effect: 'kept', accessRole: 'viewer', groupName: 'Sales', group: 'sales', people: ['Ada Lovelace'] },
      ],
    )
  })

  it('lists the first users of a group, and counts all', async () => {
    await acme.addTree({ plans: ['root', 'restricted'] })
    const count = LIMITS.effectGroupUsersShownMax + 5
    const ids = Array.from({ length: count }, (_, nth) => `u${String(nth).padStart(4, '0')}`)
    const { groups } = await simulate({ add: ids.map((userId) => ({ userId, resource: folder })), pageSize: 1 })
    assert.equal(groups[0]?.users, count)
    assert.deepEqual(
      groups[0]?.people.map(({ userId }) => userId),
      ids.slice(0, LIMITS.effectGroupUsersShownMax),
    )
  })

  it('compares only the named resources without what is inside them', async () => {
    await acme.addTree({ plans: ['root', 'restricted'], drafts: 'plans' })
    await acme.addDocuments('drafts', { documentId: 'roadmap' })
    const add = [folder, { type: 'folder', id: 'drafts' }].map((resource) => ({ userId: 'ada', resource }))
    const simulation = await simulate({ add, includeInside: false })
    assert.deepEqual(written(simulation), ['ada drafts: no_grant → editor', 'ada plans: no_grant → editor'])
    const all = await simulate({ add })
    assert.equal(all.counts.gained, 3)
  })

  it('returns the changes in pages, each with all counts and a token that is valid only for this query', async () => {
    await acme.addTree({ plans: ['root', 'restricted'] })
    const add = ['ada', 'bob', 'cyd'].map((userId) => ({ userId, resource: folder }))
    const first = await post({ add, pageSize: 2 })
    assert.deepEqual(written(first.body.result.data), ['ada plans: no_grant → editor', 'bob plans: no_grant → editor'])
    const { nextPageToken: pageToken } = first.body.result
    const second = await post({ add, pageSize: 2, pageToken })
    assert.deepEqual(written(second.body.result.data), ['cyd plans: no_grant → editor'])
    assert.deepEqual(second.body.result.data.counts, { gained: 3, lost: 0, changed: 0 })
    assert.equal(second.body.result.nextPageToken, undefined)
    assert.equal(refused(await post({ add: add.slice(1), pageToken }), 'INVALID_ARGUMENT').reason, 'page_token_invalid')
  })

  it('refuses changes that would be refused themselves, and names the item', async () => {
    await acme.addDocuments('root', { documentId: 'roadmap' })
    await acme.grant('document', 'declared', 'ada')
    const ids = { organizationId, documentId: 'roadmap', newDocumentId: 'roadmap-2' }
    await completeMigration(acme.key, ids)
    const moved = refused(await post({ add: [{ userId: 'ada', resource: document }] }), 'INVALID_ARGUMENT')
    assert.equal(moved.reason, 'document_was_migrated')
    assert.equal(moved.details[0].migratedTo, 'roadmap-2')
    const accessTypes = [{ resource: { type: 'document', id: 'declared' }, accessType: 'public' }]
    const unknown = refused(await post({ accessTypes }), 'INVALID_ARGUMENT')
    assert.equal(unknown.reason, 'resource_does_not_exist')
    assert.equal(unknown.details[0].field, 'accessTypes[0].resource')
    await acme.key.call(updateKeyConfig, { requireKnownResources: true })
    const strict = refused(await post({ add: [{ userId: 'ada', resource: folder }] }), 'INVALID_ARGUMENT')
    assert.equal(strict.reason, 'resource_does_not_exist')
    assert.match(strict.message, /add\[0\].resource: the folder "plans".*requireKnownResources/)
    assert.equal((await post({ remove: [{ userId: 'ada', resource: folder }] })).http, 200)
  })

  it('requires at least one change, all in one organization, each with a single access setting', async () => {
    refusedField(await post({}), 'add', /required/)
    const inOther = { userId: 'ada', resource: { ...document, organizationId: 'other' } }
    refusedField(await post({ add: [inOther] }), 'add[0].resource.organizationId')
    const other = { userId: 'ada', resource: { type: 'organization', id: 'other' } }
    refusedField(await post({ remove: [other] }), 'remove[0].resource.id')
    refusedField(await post({ accessTypes: [{ resource: folder }] }), 'accessTypes[0].accessType')
    const both = { resource: folder, accessType: 'public', inheritFromParent: true }
    refusedField(await post({ accessTypes: [both] }), 'accessTypes[0].accessType')
    refusedField(
      await post({ accessTypes: [{ resource: organization, accessType: 'public' }] }),
      'accessTypes[0].resource.type',
    )
  })

  describe('of many pairs', () => {
    const grants = (count: number) =>
      Array.from({ length: count }, (_, index) => `u${index}`).flatMap((userId) =>
        [folder, { type: 'document', id: 'd0' }].map((resource) => ({ userId, resource })),
      )

    beforeEach(async () => {
      const documents = Array.from({ length: 999 }, (_, index) => ({ documentId: `d${index}` }))
      await acme.addTree({ plans: ['root', 'restricted'] })
      await acme.addDocuments('plans', ...documents)
    })

    it.runIf(FULL)('simulates 100,000, even if changes overlap', async () => {
      const { counts } = await simulate({ add: grants(100), pageSize: 1 })
      assert.deepEqual(counts, { gained: LIMITS.simulatedPairsMax, lost: 0, changed: 0 })
    })

    it('refuses more with too_many_pairs, and gives the minimum number of affected people', async () => {
      const error = refused(await post({ add: grants(101) }), 'RESOURCE_EXHAUSTED')
      assert.equal(error.reason, 'too_many_pairs')
      const bounded = await simulate({ add: grants(101), includeInside: false, pageSize: 1 })
      assert.equal(bounded.groups[0]?.users, 101)
    })
  })

  it('neither blocks writers nor is blocked by them', async () => {
    await acme.addTree({ plans: 'root' })
    await acme.addDocuments('plans', ...Array.from({ length: 200 }, (_, index) => ({ documentId: `d${index}` })))
    const rounds = Array.from({ length: 12 }, (_, index) => index)
    const accessType = (index: number) => (index % 2 === 0 ? 'restricted' : 'public')
    await Promise.all([
      ...rounds.map((index) =>
        simulate({
          add: [{ userId: `u${index}`, resource: organization }],
          accessTypes: [{ resource: folder, accessType: accessType(index) }],
        }),
      ),
      ...rounds.map((index) => acme.call(setFolderAccess, { folderIds: ['plans'], accessType: accessType(index) })),
      ...rounds.map((index) => acme.call(setDocumentAccess, { documentIds: [`d${index}`], accessType: 'public' })),
      ...rounds.map((index) => acme.grant('folder', 'plans', `u${index}`)),
    ])
    await acme.assertStructure()
  })
})
