/** Simulates changes of access without making them (rules/access.md#simulations, ADR 0017). */
import { randomUUID } from 'node:crypto'
import type { ResourceType } from '#contract/access/permissions.ts'
import type { Simulation, simulatePermissions } from '#contract/access/simulations.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Db } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import { StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireUserGroup } from '#tenancy/existence.ts'
import { type Found, publicWarnings } from '#tenancy/public-access.ts'
import { inTurn } from '#tenancy/writes/turns.ts'
import { decisionOf } from '../decision/forms.ts'
import { throwIfRefused } from '../grants/operations.ts'
import { EVERYTHING, type ReadSimulation, simulateInBatches } from './batches.ts'
import { type Change, changesOf, groupsNamed, membershipsOf } from './changes.ts'
import { inOrder } from './effect-group-sums.ts'
import { FIND_RESOURCES, type FoundResource } from './named-resources.ts'
import type { SimulatedRow } from './rows.ts'
import { SIMULATE } from './statements.ts'

type Data = DataOf<typeof simulatePermissions>
type Page = Paged<Simulation>

export function createSimulations({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  return {
    async simulate(caller: Caller, data: Data): Promise<Page> {
      const { pageSize = LIMITS.pageSizeMax, pageToken, ...query } = data
      const changes = changesOf(data)
      const memberships = membershipsOf(data)
      const groups = groupsNamed(data)
      const scope = ['permissions.simulate', caller.apiKeyId, query]
      const after = pageTokens.decode(scope, pageToken)
      const [afterUserId, afterKind, afterResourceId] = (
        after === null ? [null, null, null] : JSON.parse(after)
      ) as Position
      const key = organizationKey(caller, data.organizationId)
      const callValues = {
        req: 0,
        organizationKey: key,
        apiKeyId: caller.apiKeyId,
        organizationId: data.organizationId,
        defaultAccessType: caller.defaultAccessType,
        defaultAccessRole: caller.defaultAccessRole,
        memberships: JSON.stringify(memberships),
        includeInside: data.includeInside ?? true,
        pageSize,
        afterUserId,
        afterKind,
        afterResourceId,
      }
      const names = changes.map(({ resource }) => ({
        organizationKey: key,
        kind: resource.type,
        resourceId: resource.id,
      }))
      let given: Found[] = []
      const read: ReadSimulation = (statement, batch) =>
        db.transaction(
          async (session) => {
            const found = await session.runSet(FIND_RESOURCES, names)
            refuseInvalidChanges(caller, changes, found)
            given = givenOn(changes, found)
            for (const [groupId, field] of groups) await requireUserGroup(session, key, groupId, field)
            const rows = changes.length > 0 ? rowsOf(changes, found, key) : [NO_CHANGE]
            return session.runSet(
              statement,
              rows.map((row) => ({ ...callValues, ...batch, ...row })),
            )
          },
          { snapshot: true },
        )
      const rows = await inTurn(
        db,
        { keys: [`simulations of ${caller.apiKeyId}`], tenant: caller.apiKeyId, queue: 'long' },
        () => (db.connections > 1 ? read(SIMULATE, EVERYTHING) : simulateInBatches(read, pageSize)),
      )
      if ((rows[0]?.pairs ?? 0) > LIMITS.simulatedPairsMax) throw tooManyPairs()
      const changed = rows.filter(({ userId }) => userId !== null)
      const { page, next } = pageTokens.cut(scope, changed, pageSize, ({ userId, kind, resourceId }) =>
        JSON.stringify([userId, kind, resourceId]),
      )
      return { data: simulationOf(rows[0], page, data.organizationId), ...next, ...publicWarnings(caller, given) }
    },
  }
}

type Position = [userId: string | null, kind: ResourceType | null, resourceId: string | null]

/** Returns the resources on which the call would grant something, unless it also sets their access type. */
function givenOn(changes: readonly Change[], found: readonly FoundResource[]): Found[] {
  const nameOf = ({ resource: { type, id } }: Change) => `${type} ${id}`
  const set = new Set(changes.flatMap((change) => (change.verb === 'setAccess' ? [nameOf(change)] : [])))
  return changes.flatMap((change, index) =>
    change.verb === 'add' && !set.has(nameOf(change))
      ? [{ ...(found[index] as FoundResource), resource: change.resource }]
      : [],
  )
}

/** Throws the errors of `permissions/add`; an item that `access/update` would refuse also refuses the whole simulation. */
function refuseInvalidChanges(caller: Caller, changes: readonly Change[], found: readonly FoundResource[]): void {
  const outcomes = changes.map(({ verb }, index) => {
    const { added, migratedTo } = found[index] as FoundResource
    const mustBeAdded = verb === 'setAccess' || (verb === 'add' && caller.requireKnownResources)
    if (verb === 'remove') return { outcome: 'ok' as const, migratedTo: null }
    if (migratedTo !== null) return { outcome: 'document_was_migrated' as const, migratedTo }
    return { outcome: mustBeAdded && !added ? ('resource_does_not_exist' as const) : ('ok' as const), migratedTo }
  })
  throwIfRefused(outcomes, changes)
}

/** The row of a call that only changes memberships: a removal of nothing. */
const NO_CHANGE = {
  kind: 'organization' as const,
  resourceId: '',
  resourceKey: null,
  declared: false,
  principal: null,
  grants: null,
  accessType: null,
}

/** Returns the rows of the changes. A resource that would be declared gets one new key, shared by all its changes. */
function rowsOf(changes: readonly Change[], found: readonly FoundResource[], key: OrganizationKey) {
  const newKeys = new Map<string, string>()
  return changes.map(({ verb, resource: { type: kind, id: resourceId }, principal, grants, accessType }, index) => {
    const { resourceKey } = found[index] as FoundResource
    const declared = resourceKey === null && verb === 'add'
    const name = `${kind} ${resourceId}`
    if (declared && !newKeys.has(name)) newKeys.set(name, kind === 'organization' ? key : randomUUID())
    const target = declared ? (newKeys.get(name) ?? null) : resourceKey
    return { kind, resourceId, resourceKey: target, declared, principal, grants, accessType }
  })
}

function simulationOf(counts: SimulatedRow | undefined, page: SimulatedRow[], organizationId: string): Simulation {
  return {
    counts: { gained: counts?.gained ?? 0, lost: counts?.lost ?? 0, changed: counts?.changed ?? 0 },
    users: {
      gained: counts?.usersGained ?? 0,
      lost: counts?.usersLost ?? 0,
      changed: counts?.usersChanged ?? 0,
    },
    everyone: { gained: counts?.everyoneGained ?? 0, lost: counts?.everyoneLost ?? 0 },
    groups: inOrder(counts?.groups ?? []).map(({ effect, accessRole, people, ...group }) => {
      const via = effect === 'kept' ? people[0] && decisionOf(people[0].after).via : undefined
      return {
        effect,
        ...(accessRole === null ? {} : { accessRole }),
        ...(via === undefined ? {} : { via }),
        ...(group.groupName === null ? {} : { groupName: group.groupName }),
        users: group.users,
        organizations: group.organizations,
        folders: group.folders,
        documents: group.documents,
        people: people.map((one) => ({
          ...changeOf(one, organizationId),
          ...(one.name === null ? {} : { name: one.name }),
          resources: one.resources,
        })),
      }
    }),
    changes: page.map((row) => changeOf(row, organizationId)),
  }
}

type ChangedPair = Pick<SimulatedRow, 'userId' | 'kind' | 'resourceId' | 'before' | 'after'>

const changeOf = ({ userId, kind: type, resourceId: id, before, after }: ChangedPair, organizationId: string) => ({
  userId: userId ?? '',
  resource: type === 'organization' ? { type, id } : { type, id, organizationId },
  before: decisionOf(before),
  after: decisionOf(after),
})

const tooManyPairs = (): StatusError =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'too_many_pairs',
    `The changes affect more than ${LIMITS.simulatedPairsMax} pairs of a user and a resource; simulate fewer at once.`,
  )
