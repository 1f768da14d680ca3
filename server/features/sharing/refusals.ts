/** The refusals of sharing: each refuses the whole call, and names every fault in `details`. */
import { isStronger } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import { principalIn } from '#tenancy/principals.ts'
import type { Decided, Decisions, People } from './affected-users.ts'
import type { NamedChange } from './named.ts'
import type { Sharer } from './sharer.ts'
import type { FoundPrincipal } from './statements.ts'
import { type GrantOnDocument, grantsOf, hasGrant } from './visible-access.ts'

interface Fault {
  field: string
  message: string
}

/** Throws one error for all faults, if there are any. */
function throwFaults(
  status: 'INVALID_ARGUMENT' | 'FAILED_PRECONDITION' | 'PERMISSION_DENIED' | 'RESOURCE_EXHAUSTED',
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
export function mayName(
  { isMember }: Sharer,
  principal: string,
  found: FoundPrincipal | undefined,
  decision: Decided | undefined,
): boolean {
  if (!isMember) return 'userId' in principalIn(principal) && hasGrant(found)
  if ('groupId' in principalIn(principal)) return found?.isGroup === true
  const isListed = decision?.allowed === true && decision.grantedRole !== null
  return isListed || hasGrant(found) || (found?.isMember === true && !found.isDisabled)
}

/** Whether a grant is at most as strong as another one, and lasts at most as long. */
const isWithin = (grant: GrantOnDocument, has: GrantOnDocument): boolean =>
  !isStronger(grant.accessRole, has.accessRole) &&
  (has.expiresAt === undefined || (grant.expiresAt !== undefined && grant.expiresAt <= has.expiresAt))

/** Whether a change could lower somebody: no role is stronger than `editor`. */
export const isWeaker = ({ grant }: NamedChange): boolean => grant !== undefined && grant.accessRole !== 'editor'

/** Refuses weaker roles for groups of which not all users are examined, because the grant could lower the role of another user. */
export function refuseUnexamined(changes: readonly NamedChange[], people: ReadonlyMap<string, People>): void {
  throwFaults(
    'RESOURCE_EXHAUSTED',
    'too_many_group_users',
    changes.flatMap((change) =>
      isWeaker(change) && people.get(change.principal)?.hasMore
        ? [
            {
              field: change.field,
              message: `${change.field} must not give a weaker role than editor to a group of more than ${LIMITS.sharingGroupMembersMax} users: it could lower a stronger role of one who is not examined`,
            },
          ]
        : [],
    ),
  )
}

/** Refuses grants that the sharer may not give. */
export function refuseUnlawful(
  sharer: Sharer,
  changes: readonly NamedChange[],
  {
    held,
    before,
    ownGroups,
  }: { held: ReadonlyMap<string, FoundPrincipal>; before: Decisions; ownGroups: ReadonlySet<string> },
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
  const outlivesOwn = ({ principal, ...grant }: (typeof grants)[number]): boolean =>
    ownGroups.has(principal) &&
    ![sharer.ownGrants, held.get(principal)].some((row) => row && grantsOf(row).some((has) => isWithin(grant, has)))
  throwFaults(
    'INVALID_ARGUMENT',
    'sharing_with_oneself',
    faultsWhere(
      outlivesOwn,
      (field) =>
        `${field} must not name a group of the user who shares, unless the user has a grant on the document itself that is as strong and lasts as long`,
    ),
  )
  throwFaults(
    'INVALID_ARGUMENT',
    'sharing_target_unknown',
    faultsWhere(
      ({ principal }) => !mayName(sharer, principal, held.get(principal), before.get(principal)),
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

/** Refuses changes after which a stronger role of the user who shares would count again. */
export const refuseLifting = (changes: readonly NamedChange[]): void =>
  throwFaults(
    'INVALID_ARGUMENT',
    'sharing_with_oneself',
    changes.map(({ field }) => ({
      field,
      message: `${field} must not end a weaker role of the user who shares, without which a stronger one from above the document would count: nobody gives access to themselves`,
    })),
  )

/**
 * Refuses to end weaker grants of others if a stronger role from above the document, which lasts longer than the access of
 * the user who shares, would then count: `without` decides as if all `ended` had no grants on the document.
 */
export function refuseOutliving(
  { userId: ownId, decision: { expiresAt: own } }: Sharer,
  changes: readonly NamedChange[],
  people: ReadonlyMap<string, People>,
  { held, ended, without }: { held: ReadonlyMap<string, FoundPrincipal>; ended: readonly string[]; without: Decisions },
): void {
  if (own === null) return
  const isLifted = (userId: string, grants: readonly GrantOnDocument[]): boolean => {
    const { accessRole = null, expiresAt = null } = without.get(userId) ?? {}
    if (userId === ownId || accessRole === null || (expiresAt !== null && expiresAt <= own)) return false
    return grants.some((grant) => isStronger(accessRole, grant.accessRole))
  }
  throwFaults(
    'PERMISSION_DENIED',
    'sharing_exceeds_own_access',
    changes.flatMap(({ principal, field }) => {
      const found = held.get(principal)
      const grants = found && ended.includes(principal) ? grantsOf(found) : []
      return people.get(principal)?.userIds.some((userId) => isLifted(userId, grants))
        ? [
            {
              field,
              message: `${field} must not end a weaker role, without which a stronger one from above the document would count after ${own}, when the access of the user who shares expires`,
            },
          ]
        : []
    }),
  )
}

/**
 * Refuses grants that take precedence over a stronger role from elsewhere, also where the document is public: `without`
 * decides as if the named had no grants on the document.
 */
export function refuseLowering(
  changes: readonly NamedChange[],
  people: ReadonlyMap<string, People>,
  { without, after }: { without: Decisions; after: Decisions },
): void {
  const isLowered = (userId: string): boolean => {
    const stays = without.get(userId)?.grantedRole ?? null
    const gets = after.get(userId)?.accessRole ?? null
    return stays !== null && gets !== null && isStronger(stays, gets)
  }
  throwFaults(
    'FAILED_PRECONDITION',
    'sharing_would_lower',
    changes.flatMap((change) =>
      isWeaker(change) && people.get(change.principal)?.userIds.some(isLowered)
        ? [
            {
              field: change.field,
              message: `${change.field} would lower a stronger role that comes from above the document, or from a user group; change it there`,
            },
          ]
        : [],
    ),
  )
}
