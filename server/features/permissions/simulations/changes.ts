/** The changes that a call simulates, in the order in which they would be made. */

import { organizationFault, type ResourceName } from '#contract/access/permissions.ts'
import type { simulatePermissions } from '#contract/access/simulations.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { assertAccessChange } from '#tenancy/access-change.ts'
import { type NamedResource, writtenGrants } from '../grants/merged.ts'
import { fieldsIn, principalOf } from '../grants/principals.ts'
import type { WrittenGrants } from '../grants/rows.ts'
import type { ChangedGrants, ChangeRow, Membership } from './rows.ts'

type Data = DataOf<typeof simulatePermissions>

/** A change and the resource it names; `verb` is the list it comes from. */
export interface Change extends NamedResource, Pick<ChangeRow, 'principal' | 'grants' | 'accessType'> {
  verb: 'add' | 'remove' | 'setAccess' | 'enable'
}

const NOTHING_ELSE = { principal: null, grants: null, accessType: null }

const MUST_BE_ADDED = 'an access type can only be set on resources that were added'

/**
 * Returns the changes of the call in the order in which they would be made. The last change of the same grant or access type wins.
 * With `enabled`, this resource and its organization are enabled too.
 */
export function changesOf(data: Data, enabled?: ResourceName): Change[] {
  const { organizationId, add = [], remove = [], accessTypes = [], join = [], leave = [] } = data
  if (add.length + remove.length + accessTypes.length + join.length + leave.length === 0 && enabled === undefined)
    throw invalidArgument([{ field: 'add', message: 'add, remove, accessTypes, join or leave is required' }])
  const faults: { field: string; message: string }[] = []
  const changes = new Map<string, Change>()
  const addChange = (list: string, index: number, given: ResourceName, change: Omit<Change, keyof NamedResource>) => {
    const field = `${list}[${index}].resource`
    const resource = { ...given, organizationId: given.organizationId ?? organizationId }
    const fault = faultOf(resource, organizationId, field)
    if (fault !== undefined) faults.push(fault)
    const name = JSON.stringify([change.principal, resource.type, resource.id])
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
  remove.forEach(({ userId, groupId, resource, temporaryOnly = false }, index) => {
    const principal = principalOf({ userId, groupId }, fieldsIn(`remove[${index}]`))
    const grants = { temporary: null, ...(temporaryOnly ? {} : { standing: null }) }
    addChange('remove', index, resource, { verb: 'remove', principal, grants, accessType: null })
  })
  add.forEach(({ userId, groupId, resource, ...grant }, index) => {
    const principal = principalOf({ userId, groupId }, fieldsIn(`add[${index}]`))
    const grants = grantsAfter(writtenGrants(grant))
    addChange('add', index, resource, { verb: 'add', principal, grants, accessType: null })
  })
  accessTypes.forEach(({ resource, ...access }, index) => {
    assertAccessChange(access, `accessTypes[${index}].`)
    addChange('accessTypes', index, resource, {
      verb: 'setAccess',
      principal: null,
      grants: null,
      accessType: access.accessType ?? null,
    })
  })
  if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
  const enabling = enabled && { verb: 'enable' as const, resource: enabled, field: 'resource', ...NOTHING_ELSE }
  return [...changes.values(), ...(enabling === undefined ? [] : [enabling])]
}

/** Returns who joins and leaves which groups: for the same user and group, joining comes last. */
export function membershipsOf({ join = [], leave = [] }: Data): Membership[] {
  const memberships = new Map<string, Membership>()
  for (const [joins, list] of [[false, leave] as const, [true, join] as const])
    for (const { groupId, userId } of list)
      memberships.set(JSON.stringify([groupId, userId]), { groupId, userId, joins })
  return [...memberships.values()]
}

/** Returns the groups that a call names, each with a field that names it. */
export function groupsNamed({ add = [], remove = [], join = [], leave = [] }: Data): Map<string, string> {
  const fields = Object.entries({ leave, join, remove, add }).flatMap(([list, entries]) =>
    entries.map(({ groupId }, index) => [groupId, `${list}[${index}].groupId`] as const),
  )
  return new Map(fields.flatMap(([groupId, field]) => (groupId === undefined ? [] : [[groupId, field]])))
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

/** Returns the kinds of grants that a write sets; a kind that does not change is absent. */
function grantsAfter({ standingRole, temporaryRole, expiresAt, replaces }: WrittenGrants): ChangedGrants {
  const temporary = temporaryRole === null ? null : { role: temporaryRole, expiresAt }
  return {
    ...(standingRole !== null || replaces ? { standing: standingRole } : {}),
    ...(temporary !== null || replaces ? { temporary } : {}),
  }
}
