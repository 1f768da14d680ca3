/** The resources that a call names: each checked, and those that are named several times reduced to one. */
import type { GrantInput } from '#contract/grants.ts'
import { LIMITS } from '#contract/limits.ts'
import { organizationFault, type ResourceName } from '#contract/permissions.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { owningOrganization } from './keys.ts'

/** Checks each resource across its fields and keeps the last of several that name the same. */
export const uniqueResources = <R extends ResourceName>(resources: readonly R[]) =>
  uniqueByName(resources, 'permissions.resources', ({ type, id }) => `${type}\0${id}`)

/** The same of grants: the last of several for one user and resource. */
export const uniqueGrants = (grants: readonly GrantInput[]) =>
  uniqueByName(grants, 'grants', ({ type, id, userId }) => `${type}\0${id}\0${userId}`)

function uniqueByName<R extends ResourceName>(
  resources: readonly R[],
  list: string,
  nameOf: (resource: R) => string,
): { resource: R; field: string }[] {
  const path = (index: number) => `${list}[${index}]`
  const faults = resources.flatMap((resource, index) => organizationFault(resource, path(index)) ?? [])
  if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
  const byName = new Map<string, { resource: R; field: string }>()
  for (const [index, resource] of resources.entries()) {
    const name = `${owningOrganization(resource)}\0${nameOf(resource)}` // no id has a NUL in it
    byName.set(name, { resource, field: path(index) })
  }
  return [...byName.values()]
}
