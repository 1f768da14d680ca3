/**
 * Simulations of random changes to random worlds predict the effect of the changes. Everything is checked, the changes
 * are made, and everything is checked again. The changes are made one by one, or by the calls with which an assistant
 * makes a change. `WORLDS` and `SEED` as in worlds.test.ts.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { checkPermissions, type Decision } from '#contract/access/decisions.ts'
import { addPermissions, type ResourceName, removePermissions } from '#contract/access/permissions.ts'
import { EFFECTS, type Simulation, simulatePermissions } from '#contract/access/simulations.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { setDocumentAccess } from '#contract/resources/documents.ts'
import { setFolderAccess } from '#contract/resources/folders.ts'
import { addUserGroupUsers, deleteUserGroupUsers } from '#contract/users/user-groups.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { callsOf } from '../../cli/mcp/access-change.ts'
import { buildWorld, everyName, isGroup, setDisabled, type World, write } from './build.ts'
import { ACCESS_TYPES, ALL_ROLES, EXPIRIES, GROUPS, settingsOf, USERS, world } from './worlds.ts'

const WORLDS = Number(process.env.WORLDS ?? 25)
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }
const TIME = new Date(EXPIRIES[0] * 1000)

/** Users who have never had a grant; `zoe` gets one only by a change. */
const NOBODY = 'nobody'
const NEW = 'zoe'

/** Users of whom most have the same grants: one decision is made for all whose access cannot differ. */
const TWINS = ['t0', 't1', 't2', 't3', 't4'] as const

const server = await startServer()
afterAll(() => server.clock.set(null))
const seen = { gained: 0, lost: 0, changed: 0, everyone: 0 }

type Changes = Omit<DataOf<typeof simulatePermissions>, 'organizationId'>

const pick = fc.nat({ max: 40 })
const granted = fc.record({
  holder: fc.constantFrom(...USERS, TWINS[0], NEW, ...GROUPS),
  target: pick,
  accessRole: fc.constantFrom(...ALL_ROLES, undefined),
  expiresAt: fc.constantFrom(undefined, undefined, ...EXPIRIES),
})
const membership = fc.record({ groupId: fc.constantFrom(...GROUPS), userId: fc.constantFrom(...USERS, TWINS[1], NEW) })
const changes = fc.record({
  add: fc.array(granted, { maxLength: 3 }),
  remove: fc.array(fc.record({ holder: fc.constantFrom(...USERS, TWINS[0], ...GROUPS), target: pick }), {
    maxLength: 3,
  }),
  accessTypes: fc.array(fc.record({ target: pick, accessType: fc.constantFrom(null, ...ACCESS_TYPES) }), {
    maxLength: 3,
  }),
  join: fc.array(membership, { maxLength: 2 }),
  leave: fc.array(membership, { maxLength: 2 }),
})
/** A folder with several documents that have no access type of their own: one decision is made for those without a grant. */
const siblings = fc.record({
  folder: pick,
  count: fc.integer({ min: 2, max: 5 }),
  /** The users who have grants on one of them. */
  holders: fc.noBias(fc.subarray([...USERS, ...GROUPS])),
})
/** The twins that differ from the others. */
const twins = fc.array(
  fc.record({
    userId: fc.constantFrom(...TWINS),
    expiresAt: fc.constantFrom(undefined, undefined, ...EXPIRIES),
    group: fc.constantFrom(undefined, undefined, ...GROUPS),
    document: fc.constantFrom(false, false, true),
    disabled: fc.constantFrom(false, false, false, true),
  }),
  { maxLength: 4 },
)
type Picks = typeof changes extends fc.Arbitrary<infer Picked> ? Picked : never
type TwinPicks = typeof twins extends fc.Arbitrary<infer Picked> ? Picked : never

/** Turns the picks into changes that this world does not refuse. */
function changesIn(made: World, hasCommenter: boolean, { add, remove, accessTypes, join, leave }: Picks): Changes {
  const groups = made.organization.groups ?? new Map<string, Set<string>>()
  const isThere = ({ holder }: { holder: string }) => groups.has(holder) || !isGroup(holder)
  const names = everyName(made).filter(
    ({ type, id }) => type !== 'document' || !made.left.has(id) || made.documents.has(id),
  )
  const at = <T>(list: readonly T[], index: number) => list[index % list.length] as T
  const settable = [...made.folders.values(), ...made.documents.values()].filter((resource) => made.added.has(resource))
  return nonEmpty({
    join: join.filter(({ groupId }) => groups.has(groupId)),
    leave: leave.filter(({ groupId }) => groups.has(groupId)),
    add: add.filter(isThere).map(({ holder, target, accessRole, expiresAt }) => ({
      ...principalOf(holder),
      resource: at(names, target),
      ...(accessRole === undefined
        ? {}
        : { accessRole: accessRole === 'commenter' && !hasCommenter ? 'viewer' : accessRole }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    })),
    remove: remove
      .filter(isThere)
      .map(({ holder, target }) => ({ ...principalOf(holder), resource: at(everyName(made), target) })),
    accessTypes: accessTypes.flatMap(({ target, accessType }) => {
      const resource = settable.length === 0 ? undefined : at(settable, target)
      if (resource === undefined) return []
      const access = accessType === null ? { inheritFromParent: true } : { accessType }
      return [{ resource: { type: resource.type as 'folder' | 'document', id: resource.id }, ...access }]
    }),
  })
}

const nonEmpty = (lists: Changes): Changes =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => Array.isArray(list) && list.length > 0))

const principalOf = (holder: string) => (isGroup(holder) ? { groupId: holder } : { userId: holder })

/** Makes all twins viewers of the organization, and some of them different. Returns those to disable. */
async function gather(made: World, different: TwinPicks): Promise<string[]> {
  const { client, organization } = made
  const resource = { type: 'organization' as const, id: organization.id }
  for (const userId of TWINS) {
    const expiresAt = different.find((one) => one.userId === userId)?.expiresAt
    const grant = { accessRole: 'viewer' as const, ...(expiresAt === undefined ? {} : { expiresAt }) }
    write(organization, userId, { role: 'viewer', ...(expiresAt === undefined ? {} : { expiresAt }) })
    await client.call(addPermissions, { user: { userId }, permissions: { resources: [{ ...resource, ...grant }] } })
  }
  for (const { userId, group, document } of different) {
    const [shared] = made.documents.keys()
    if (document && shared !== undefined) await share(made, shared, userId)
    if (group === undefined || !organization.groups?.has(group)) continue
    await client.call(addUserGroupUsers, {
      organizationId: organization.id,
      organizationUserGroupId: group,
      userIds: [userId],
    })
    organization.groups.get(group)?.add(userId)
  }
  return [...new Set(different.flatMap(({ userId, disabled }) => (disabled ? [userId] : [])))]
}

/** Gives the role of viewer on a document, if it still exists. */
async function share(made: World, documentId: string, holder: string) {
  const document = made.documents.get(documentId)
  if (document === undefined || (isGroup(holder) && !made.organization.groups?.has(holder))) return
  const organizationId = made.organization.id
  write(document, holder, { role: 'viewer' })
  await made.client.call(addPermissions, {
    ...(isGroup(holder) ? { group: { organizationId, groupId: holder } } : { user: { userId: holder } }),
    permissions: { resources: [{ type: 'document', id: documentId, organizationId, accessRole: 'viewer' }] },
  })
}

async function make(client: Client, organizationId: string, changes: Changes) {
  const { add = [], remove = [], accessTypes = [], join = [], leave = [] } = changes
  const groupOf = (groupId: string | undefined) => (groupId === undefined ? {} : { group: { organizationId, groupId } })
  for (const { userId, groupId, resource } of remove)
    await client.call(removePermissions, {
      ...(userId === undefined ? groupOf(groupId) : { userId }),
      permissions: { resources: [resource as ResourceName] },
    })
  for (const { userId, groupId, resource, ...grant } of add)
    await client.call(addPermissions, {
      ...(userId === undefined ? groupOf(groupId) : { user: { userId } }),
      permissions: { resources: [{ ...resource, ...grant }] },
    })
  for (const { groupId, userId } of leave)
    await client.call(deleteUserGroupUsers, {
      organizationId,
      organizationUserGroupId: groupId,
      userIds: [userId],
    })
  for (const { groupId, userId } of join)
    await client.call(addUserGroupUsers, { organizationId, organizationUserGroupId: groupId, userIds: [userId] })
  for (const { resource, ...access } of accessTypes)
    if (resource.type === 'folder')
      await client.call(setFolderAccess, { organizationId, folderIds: [resource.id], ...access })
    else await client.call(setDocumentAccess, { organizationId, documentIds: [resource.id], ...access })
}

/** Returns the items of all pages of the given size. */
async function simulate(
  client: Client,
  data: DataOf<typeof simulatePermissions>,
  pageSize: number,
): Promise<Simulation & { pages: number }> {
  const changes: Simulation['changes'] = []
  let pageToken: string | undefined
  for (let pages = 1; ; pages++) {
    const { body, http, text } = await client.post(simulatePermissions.path, {
      ...data,
      pageSize,
      ...(pageToken === undefined ? {} : { pageToken }),
    })
    assert.equal(http, 200, text)
    const simulation: Simulation = body.result.data
    changes.push(...simulation.changes)
    pageToken = body.result.nextPageToken
    if (pageToken === undefined) return { ...simulation, changes, pages }
    assert.equal(simulation.changes.length, pageSize)
  }
}

type Pair = { userId: string; resource: ResourceName }
const KINDS = ['organization', 'folder', 'document']
const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
const inOrder = (one: Pair, other: Pair) =>
  compare(one.userId, other.userId) ||
  KINDS.indexOf(one.resource.type) - KINDS.indexOf(other.resource.type) ||
  compare(one.resource.id, other.resource.id)

function effectOf({ before, after }: { before: Decision; after: Decision }) {
  if (before.allowed !== after.allowed) return after.allowed ? 'gained' : 'lost'
  const differs = before.accessRole !== after.accessRole || before.expiresAt !== after.expiresAt
  return after.allowed && differs ? 'changed' : undefined
}

/** Returns the difference between two checks of everything. */
function differenceOf(questions: readonly Pair[], before: readonly Decision[], after: readonly Decision[]): Simulation {
  const all = questions
    .map(({ userId, resource: { type, id, organizationId } }, index) => ({
      userId,
      resource: { type, id, ...(type === 'organization' ? {} : { organizationId }) } as ResourceName,
      before: before[index] as Decision,
      after: after[index] as Decision,
    }))
    .filter((change) => effectOf(change) !== undefined)
    .sort(inOrder)
  const named = all.filter(({ userId }) => userId !== NOBODY)
  const some = (effect: string, among = named) => among.filter((change) => effectOf(change) === effect)
  const ofNobody = all.filter(({ userId }) => userId === NOBODY)
  const usersOf = (effect: string) => new Set(some(effect).map(({ userId }) => userId)).size
  return {
    counts: { gained: some('gained').length, lost: some('lost').length, changed: some('changed').length },
    users: { gained: usersOf('gained'), lost: usersOf('lost'), changed: usersOf('changed') },
    everyone: { gained: some('gained', ofNobody).length, lost: some('lost', ofNobody).length },
    groups: groupsOf(named),
    changes: named,
  }
}

/** Returns the groups of people whose access changes, computed from the changes. */
function groupsOf(changes: Simulation['changes']): Simulation['groups'] {
  const labelled = changes.map((change) => {
    const effect = effectOf(change)
    const isExpiry = effect === 'changed' && change.before.accessRole === change.after.accessRole
    return { ...change, effect: effect === 'changed' ? (isExpiry ? 'expiry' : 'role') : (effect ?? 'kept') } as const
  })
  const byEffect = Map.groupBy(labelled, ({ effect, after: { accessRole } }) => `${effect} ${accessRole}`)
  const groups = [...byEffect.values()].map((pairs) => {
    const [{ effect, after }] = pairs as [(typeof labelled)[number]]
    const count = (kind: string) =>
      new Set(pairs.flatMap(({ resource: { type, id } }) => (type === kind ? [id] : []))).size
    const people = [...Map.groupBy(pairs, ({ userId }) => userId).values()].map((own) => {
      const { effect: _, ...first } = own[0] as (typeof labelled)[number]
      return { ...first, resources: own.length }
    })
    return {
      effect,
      ...(after.accessRole === undefined ? {} : { accessRole: after.accessRole }),
      users: people.length,
      organizations: count('organization'),
      folders: count('folder'),
      documents: count('document'),
      people,
    }
  })
  return groups.sort(
    (one, other) =>
      EFFECTS.indexOf(one.effect) - EFFECTS.indexOf(other.effect) ||
      other.users - one.users ||
      compare(one.accessRole ?? '', other.accessRole ?? ''),
  )
}

/** Asserts that people who keep their access have the same as before. Returns the groups of all others. */
function changedGroups(groups: Simulation['groups']): Simulation['groups'] {
  for (const { people } of groups.filter(({ effect }) => effect === 'kept'))
    for (const change of people) {
      assert.equal(change.after.allowed, true)
      assert.equal(effectOf(change), undefined)
    }
  return groups.filter(({ effect }) => effect !== 'kept')
}

describe('permissions.simulate', () => {
  it(`predicts the effect of the changes, on pages of any size, in ${WORLDS} random worlds`, async () => {
    const property = fc.asyncProperty(
      world,
      siblings,
      fc.option(twins),
      changes,
      fc.boolean(),
      async (random, { folder, count, holders }, different, picks, asPlanned) => {
        const { defaults, disabledUsers, organizations } = random
        server.clock.set(null)
        const client = await server.newKey()
        await client.call(updateKeyConfig, settingsOf(defaults))
        const [spec] = organizations
        assert.ok(spec)
        const documents = [...spec.documents, ...Array.from({ length: count }, () => ({ folder, accessType: null }))]
        const made = await buildWorld(client, 'o', { ...spec, documents })
        for (const holder of holders) await share(made, `d${documents.length - 1}`, holder)
        const disabled = different === null ? [] : await gather(made, different)
        const wanted = changesIn(made, defaults.hasCommenter === true, picks)
        if (Object.keys(wanted).length === 0) return
        await setDisabled(client, [...disabledUsers, ...disabled], true)
        server.clock.set(TIME)
        const held = [made.organization, ...made.folders.values(), ...made.documents.values()].flatMap(({ grants }) => [
          ...grants.keys(),
        ])
        const { add = [], remove = [], join = [], leave = [] } = wanted
        const named = [...add, ...remove, ...join, ...leave].flatMap(({ userId = [] }) => userId)
        const ofGroups = [...add, ...remove].flatMap(({ groupId = '' }) => [
          ...(made.organization.groups?.get(groupId) ?? []),
        ])
        const known = new Set([...held.filter((holder) => !isGroup(holder)), ...named, ...ofGroups])
        const questions = [...known, NOBODY].flatMap((userId) =>
          everyName(made).map((resource) => ({ userId, resource })),
        )
        const checkAll = async () => (await client.call(checkPermissions, { checks: questions })).checks

        const before = await checkAll()
        const simulated = await simulate(client, { organizationId: 'o', ...wanted }, 1_000)
        const paged = await simulate(client, { organizationId: 'o', ...wanted }, 2)
        if (asPlanned)
          for (const { operation, data } of callsOf({ organizationId: 'o', ...wanted }))
            await client.call(operation, data)
        else await make(client, 'o', wanted)
        const happened = differenceOf(questions, before, await checkAll())

        const { pages, ...simulation } = simulated
        assert.deepEqual({ ...simulation, groups: changedGroups(simulation.groups) }, happened)
        assert.deepEqual({ ...paged, pages }, simulated)
        assert.equal(paged.pages, Math.max(1, Math.ceil(happened.changes.length / 2)))
        for (const effect of ['gained', 'lost', 'changed'] as const) seen[effect] += happened.counts[effect]
        seen.everyone += happened.everyone.gained + happened.everyone.lost
      },
    )
    await fc.assert(property, { numRuns: WORLDS, ...SEED })
    if (WORLDS >= 40) for (const [effect, times] of Object.entries(seen)) assert.ok(times > 0, `no world saw ${effect}`)
  })
})
