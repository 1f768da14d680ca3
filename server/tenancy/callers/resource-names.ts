/** Checks the resources that a call names and removes duplicates. */

import { organizationFault, type ResourceName } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { owningOrganization } from './keys.ts'

/** Checks the fields of each resource; returns it with its field, and a name that it shares with other entries of the same resource and `part`. */
export function named<R extends ResourceName>(
  resources: readonly R[],
  list: string,
  part: (resource: R) => string = () => '',
): { name: string; resource: R; field: string }[] {
  const path = (index: number) => `${list}[${index}]`
  const faults = resources.flatMap((resource, index) => organizationFault(resource, path(index)) ?? [])
  if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
  return resources.map((resource, index) => ({
    // An id cannot contain NUL.
    name: [owningOrganization(resource), resource.type, resource.id, part(resource)].join('\0'),
    resource,
    field: path(index),
  }))
}
