/** Checks the resources that a call names and removes duplicates. */
import type { GrantInput } from '#contract/grants.ts'
import { LIMITS } from '#contract/limits.ts'
import { organizationFault, type ResourceName } from '#contract/permissions.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { owningOrganization } from './keys.ts'

/** Checks the fields of each resource and keeps the last entry for each resource. */
export const uniqueResources = <R extends ResourceName>(resources: readonly R[]) =>
  uniqueByName(resources, 'permissions.resources', ({ type, id }) => `${type}\0${id}`)

/** Checks the fields of each grant and keeps the last entry for each user and resource. */
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
    const name = `${owningOrganization(resource)}\0${nameOf(resource)}` // an id cannot contain NUL
    byName.set(name, { resource, field: path(index) })
  }
  return [...byName.values()]
}
