/** Prepares the reads of a simulation: each finds the named resources again and refuses what the real calls would refuse. */
import { randomUUID } from 'node:crypto'
import type { ResourceName } from '#contract/access/permissions.ts'
import type { simulatePermissions } from '#contract/access/simulations.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Db } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireUserGroup } from '#tenancy/existence.ts'
import type { Found } from '#tenancy/public-access.ts'
import { throwIfRefused } from '../grants/operations.ts'
import type { ReadSimulation } from './batches.ts'
import { type Change, changesOf, groupsNamed, membershipsOf } from './changes.ts'
import { FIND_RESOURCES, type FoundResource } from './named-resources.ts'
import type { SimulationRow } from './rows.ts'

/** The page of the changed pairs that the reads return. */
type Page = Pick<SimulationRow, 'pageSize' | 'afterUserId' | 'afterKind' | 'afterResourceId'>

/**
 * Returns a function that runs a statement on the changes in a transaction that only reads, and what its last run would grant.
 * With `enabled`, this resource and its organization would be enabled too.
 */
export function prepareSimulation(
  db: Db,
  caller: Caller,
  data: DataOf<typeof simulatePermissions>,
  page: Page,
  enabled?: ResourceName,
): { read: ReadSimulation; given: () => Found[] } {
  const changes = changesOf(data, enabled)
  const memberships = membershipsOf(data)
  const groups = groupsNamed(data)
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
    ...page,
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
  return { read, given: () => given }
}

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
    if (verb === 'remove' || verb === 'enable') return { outcome: 'ok' as const, migratedTo: null }
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
  enables: false,
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
    return {
      kind,
      resourceId,
      resourceKey: target,
      declared,
      principal,
      grants,
      accessType,
      enables: verb === 'enable',
    }
  })
}
