/** Simulates changes of access without making them (rules/access.md#simulations, ADR 0017). */
import { randomUUID } from 'node:crypto'
import type { OrganizationKey } from '#contract/ids.ts'
import { LIMITS } from '#contract/limits.ts'
import type { DataOf } from '#contract/operation.ts'
import { organizationFault, type ResourceName, type ResourceType } from '#contract/permissions.ts'
import type { Simulation, simulatePermissions } from '#contract/simulations.ts'
import type { Db } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/page-token.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import { assertAccessChange } from '#tenancy/access-change.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { inTurn } from '#tenancy/writes/turns.ts'
import { decisionOf } from './decisions.ts'
import { grantsAfter, type NamedResource, writtenGrants } from './merged-grants.ts'
import { FIND_RESOURCES, type FoundResource } from './named-resources.ts'
import { throwIfRefused } from './operations.ts'
import { EVERYTHING, type ReadSimulation, simulateInBatches } from './simulation-batches.ts'
import { type ChangeRow, SIMULATE, type SimulatedRow } from './simulation-statements.ts'

export type Simulations = ReturnType<typeof createSimulations>

type Data = DataOf<typeof simulatePermissions>
type Page = Paged<Simulation>

/** A change and the resource it names; `verb` is the list it comes from. */
interface Change extends NamedResource, Pick<ChangeRow, 'userId' | 'grants' | 'accessType'> {
  verb: 'add' | 'remove' | 'setAccess'
}

export function createSimulations({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  return {
    async simulate(caller: Caller, data: Data): Promise<Page> {
      const { pageSize = LIMITS.pageSizeMax, pageToken, ...query } = data
      const changes = changesOf(data)
      const scope = ['permissions.simulate', caller.apiKeyId, query]
      const after = pageTokens.decode(scope, pageToken)
      const [afterUserId, afterKind, afterResourceId] = (
        after === null ? [null, null, null] : JSON.parse(after)
      ) as Position
      const key = organizationKey(caller, data.organizationId)
      const callValues = {
        req: 0,
        organizationKey: key,
        organizationId: data.organizationId,
        defaultAccessType: caller.defaultAccessType,
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
      const read: ReadSimulation = (statement, batch) =>
        db.transaction(
          async (session) => {
            const found = await session.runSet(FIND_RESOURCES, names)
            refuseInvalidChanges(caller, changes, found)
            return session.runSet(
              statement,
              rowsOf(changes, found, key).map((row) => ({ ...callValues, ...batch, ...row })),
            )
          },
          { snapshot: true },
        )
      const rows = await inTurn(
        db,
        { keys: [`simulations of ${caller.apiKeyId}`], tenant: caller.apiKeyId, line: 'long' },
        () => (db.connections > 1 ? read(SIMULATE, EVERYTHING) : simulateInBatches(read, pageSize)),
      )
      if ((rows[0]?.pairs ?? 0) > LIMITS.simulatedPairsMax) throw tooManyPairs()
      const changed = rows.filter(({ userId }) => userId !== null)
      const { page, next } = pageTokens.cut(scope, changed, pageSize, ({ userId, kind, resourceId }) =>
        JSON.stringify([userId, kind, resourceId]),
      )
      return { data: simulationOf(rows[0], page, data.organizationId), ...next }
    },
  }
}

const MUST_BE_ADDED = 'an access type can only be set on resources that were added'

type Position = [userId: string | null, kind: ResourceType | null, resourceId: string | null]

/** Returns the changes of the call in the order in which they would be made. The last change of the same grant or access type wins. */
function changesOf(data: Data): Change[] {
  const { organizationId, add = [], remove = [], accessTypes = [] } = data
  if (add.length + remove.length + accessTypes.length === 0)
    throw invalidArgument([{ field: 'add', message: 'add, remove or accessTypes is required' }])
  const faults: { field: string; message: string }[] = []
  const changes = new Map<string, Change>()
  const addChange = (list: string, index: number, given: ResourceName, change: Omit<Change, keyof NamedResource>) => {
    const field = `${list}[${index}].resource`
    const resource = { ...given, organizationId: given.organizationId ?? organizationId }
    const fault = faultOf(resource, organizationId, field)
    if (fault !== undefined) faults.push(fault)
    const name = JSON.stringify([change.userId, resource.type, resource.id])
    const grants = change.grants && { ...changes.get(name)?.grants, ...change.grants }
    changes.delete(name)
    changes.set(name, {
      ...change,
      grants,
      resource,
      field,
      ...(change.verb === 'setAccess' ? { because: MUST_BE_ADDED } : {}),
    })
  }
  remove.forEach(({ userId, resource, temporaryOnly = false }, index) => {
    const grants = { temporary: null, ...(temporaryOnly ? {} : { standing: null }) }
    addChange('remove', index, resource, { verb: 'remove', userId, grants, accessType: null })
  })
  add.forEach(({ userId, resource, ...grant }, index) => {
    const grants = grantsAfter(writtenGrants(grant))
    addChange('add', index, resource, { verb: 'add', userId, grants, accessType: null })
  })
  accessTypes.forEach(({ resource, ...access }, index) => {
    assertAccessChange(access, `accessTypes[${index}].`)
    addChange('accessTypes', index, resource, {
      verb: 'setAccess',
      userId: null,
      grants: null,
      accessType: access.accessType ?? null,
    })
  })
  if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
  return [...changes.values()]
}

/** Returns the fault of a resource that is not in the organization of the call, if any. */
function faultOf(resource: ResourceName, organizationId: string, field: string) {
  if (resource.organizationId !== organizationId)
    return {
      field: `${field}.organizationId`,
      message: `${field}.organizationId must be equal to the organizationId of the call`,
    }
  if (resource.type === 'organization' && resource.id !== organizationId)
    return { field: `${field}.id`, message: `${field}.id must be equal to organizationId when type is "organization"` }
  return organizationFault(resource, field)
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

/** Returns the rows of the changes. A resource that would be declared gets one new key, shared by all its changes. */
function rowsOf(changes: readonly Change[], found: readonly FoundResource[], key: OrganizationKey) {
  const newKeys = new Map<string, string>()
  return changes.map(({ verb, resource: { type: kind, id: resourceId }, userId, grants, accessType }, index) => {
    const { resourceKey } = found[index] as FoundResource
    const declared = resourceKey === null && verb === 'add'
    const name = `${kind} ${resourceId}`
    if (declared && !newKeys.has(name)) newKeys.set(name, kind === 'organization' ? key : randomUUID())
    const target = declared ? (newKeys.get(name) ?? null) : resourceKey
    return { kind, resourceId, resourceKey: target, declared, userId, grants, accessType }
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
    changes: page.map(({ userId, kind: type, resourceId: id, before, after }) => ({
      userId: userId ?? '',
      resource: type === 'organization' ? { type, id } : { type, id, organizationId },
      before: decisionOf(before),
      after: decisionOf(after),
    })),
  }
}

const tooManyPairs = (): StatusError =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'too_many_pairs',
    `The changes affect more than ${LIMITS.simulatedPairsMax} pairs of a user and a resource; simulate fewer at once.`,
  )
