/** What a user may not do when sharing: each refusal is of the whole call, and names every fault in `details`. */
import { isStronger } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DecisionRow } from '#features/permissions/shared.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import { principalIn } from '#tenancy/principals.ts'
import type { Decisions, People } from './decided.ts'
import type { NamedChange } from './named.ts'
import type { Sharer } from './sharer.ts'
import { hasGrant } from './shown.ts'
import type { FoundPrincipal } from './statements.ts'

interface Fault {
  field: string
  message: string
}

/** Throws one error for all faults, if there are any. */
function throwFaults(
  status: 'INVALID_ARGUMENT' | 'FAILED_PRECONDITION' | 'PERMISSION_DENIED',
  reason: string,
  faults: readonly Fault[],
): void {
  const [first] = faults
  if (first === undefined) return
  const details = faults.slice(0, LIMITS.faultsMax).map((fault) => ({ ...fault, reason }))
  if (status === 'INVALID_ARGUMENT') throw invalidArgument(details, reason)
  throw new StatusError(status, reason, `${first.message}.`, { details })
}

/** Whether the sharer may know somebody, and so may name them. */
export function isKnownTo(
  { isMember }: Sharer,
  principal: string,
  found: FoundPrincipal | undefined,
  decision: DecisionRow | undefined,
): boolean {
  if (!isMember) return 'userId' in principalIn(principal) && hasGrant(found)
  if ('groupId' in principalIn(principal)) return found?.isGroup === true
  const isListed = decision?.allowed === true && decision.reason !== 'access_type'
  return isListed || hasGrant(found) || (found?.isMember === true && !found.isDisabled)
}

/** Refuses grants that the sharer may not give. */
export function refuseUnlawful(
  sharer: Sharer,
  changes: readonly NamedChange[],
  { held, before }: { held: ReadonlyMap<string, FoundPrincipal>; before: Decisions },
): void {
  const grants = changes.flatMap(({ principal, field, grant }) => (grant ? [{ principal, field, ...grant }] : []))
  const faultsWhere = (isFault: (grant: (typeof grants)[number]) => boolean, message: (field: string) => string) =>
    grants.flatMap((grant) => (isFault(grant) ? [{ field: grant.field, message: message(grant.field) }] : []))

  throwFaults(
    'INVALID_ARGUMENT',
    'sharing_with_oneself',
    faultsWhere(
      ({ principal }) => principal === sharer.userId,
      (field) => `${field} must not name the user who shares: nobody gives access to themselves`,
    ),
  )
  throwFaults(
    'INVALID_ARGUMENT',
    'sharing_target_unknown',
    faultsWhere(
      ({ principal }) => !isKnownTo(sharer, principal, held.get(principal), before.get(principal)),
      (field) =>
        sharer.isMember
          ? `${field} must name a member or a user group of the organization, or somebody who has access to the document`
          : `${field} must name somebody with a grant of their own on the document: the user who shares is not a member of the organization`,
    ),
  )
  const now = Math.floor(sharer.now.getTime() / 1000)
  throwFaults(
    'INVALID_ARGUMENT',
    'invalid_argument',
    faultsWhere(
      ({ expiresAt }) => expiresAt !== undefined && expiresAt <= now,
      (field) => `${field}.expiresAt must be in the future; to end access, name its holder in removals`,
    ),
  )
  const own = sharer.decision.expiresAt
  throwFaults(
    'PERMISSION_DENIED',
    'sharing_exceeds_own_access',
    faultsWhere(
      ({ expiresAt }) => own !== null && (expiresAt === undefined || expiresAt > own),
      (field) => `${field}.expiresAt must be at most ${own}, when the access of the user who shares expires`,
    ),
  )
}

/** Refuses grants that take precedence over a stronger role from elsewhere: `without` decides as if the named had no grants on the document. */
export function refuseLowering(
  changes: readonly NamedChange[],
  people: ReadonlyMap<string, People>,
  { without, after }: { without: Decisions; after: Decisions },
): void {
  const isLowered = (userId: string): boolean => {
    const [stays, gets] = [without.get(userId), after.get(userId)]
    const isOfGrant = stays?.allowed === true && stays.reason !== 'access_type'
    return isOfGrant && stays.accessRole !== null && gets?.accessRole !== null && gets !== undefined
      ? isStronger(stays.accessRole, gets.accessRole)
      : false
  }
  throwFaults(
    'FAILED_PRECONDITION',
    'sharing_would_lower',
    changes.flatMap(({ principal, field, grant }) =>
      grant !== undefined && people.get(principal)?.userIds.some(isLowered)
        ? [
            {
              field,
              message: `${field} would lower a stronger role that comes from above the document, or from a user group; change it there`,
            },
          ]
        : [],
    ),
  )
}
