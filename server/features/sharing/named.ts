/** The changes that a call names: each user or user group once. */
import type { AccessRole } from '#contract/access/permissions.ts'
import type { updateSharing } from '#contract/access/sharing-changes.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { fieldsIn, principalOf } from '#features/permissions/shared.ts'
import { invalidArgument } from '#platform/status-error.ts'

export interface NamedChange {
  principal: string
  /** The field of the request, for refusals. */
  field: string
  /** Undefined: the grants are removed. */
  grant: { accessRole: AccessRole; expiresAt: number | undefined } | undefined
}

/** Returns the grants, then the removals. Refuses a call without any, and one that names somebody twice. */
export function namedChanges({ grants = [], removals = [] }: DataOf<typeof updateSharing>): NamedChange[] {
  const changes = [
    ...grants.map(({ accessRole, expiresAt, ...target }, index) => ({
      target,
      field: `grants[${index}]`,
      grant: { accessRole, expiresAt },
    })),
    ...removals.map((target, index) => ({ target, field: `removals[${index}]`, grant: undefined })),
  ].map(({ target, ...change }) => ({ principal: principalOf(target, fieldsIn(change.field)), ...change }))
  if (changes.length === 0) throw invalidArgument([{ field: 'grants', message: 'grants or removals is required' }])
  const first = new Map<string, string>()
  const faults = changes.flatMap(({ principal, field }) => {
    const earlier = first.get(principal)
    first.set(principal, earlier ?? field)
    return earlier === undefined ? [] : [{ field, message: `${field} must not name the same as ${earlier}` }]
  })
  if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
  return changes
}
