/**
 * Decides the access of everybody who is affected by a change of a document's grants: the user who shares, the named
 * users, and the users of the named groups.
 */
import type { AccessRole } from '#contract/access/permissions.ts'
import type { AffectedMembers } from '#contract/access/sharing-changes.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { type DecisionRow, decideDocuments } from '#features/permissions/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { StatusError } from '#platform/status-error.ts'
import type { AnyCaller } from '#tenancy/callers/own-user.ts'
import { principalIn } from '#tenancy/principals.ts'
import type { Sharer } from './sharer.ts'
import { LIST_GROUP_USERS } from './statements.ts'

/** The users of one principal: the user, or those in the group. */
export interface People {
  userIds: string[]
  /** There are more. */
  hasMore: boolean
}

/**
 * A decision, and the role that the user has by grants: where the document is public, also by those above the boundary, which
 * give no access.
 */
export interface Decided extends DecisionRow {
  /** Null: the user has no access, or no live grant on the document or above it. */
  grantedRole: AccessRole | null
}

/** Decisions by user id. */
export type Decisions = ReadonlyMap<string, Decided>

/**
 * Returns the users of each principal, and no users for groups that the sharer may not know. Refuses groups with more
 * users together than a call examines; of a single larger group the first users are examined.
 */
export async function peopleOf(
  session: Session,
  { key, isMember }: Sharer,
  principals: readonly string[],
): Promise<Map<string, People>> {
  const people = new Map<string, People>()
  const isSingle = principals.filter((principal) => 'groupId' in principalIn(principal)).length === 1
  let left = LIMITS.sharingGroupMembersMax
  for (const principal of principals) {
    const holder = principalIn(principal)
    if ('userId' in holder) people.set(principal, { userIds: [holder.userId], hasMore: false })
    else {
      const rows = isMember ? await session.run(LIST_GROUP_USERS, [key, holder.groupId, left + 1]) : []
      const hasMore = rows.length > left
      if (hasMore && !isSingle) throw tooManyGroupUsers()
      const userIds = rows.slice(0, left).map(({ userId }) => userId)
      people.set(principal, { userIds, hasMore })
      left -= userIds.length
    }
  }
  return people
}

const tooManyGroupUsers = (): StatusError =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'too_many_group_users',
    `The named user groups have together more than ${LIMITS.sharingGroupMembersMax} users; name fewer of them in a call.`,
  )

/** Decides about the users on the document as the transaction has it now. */
export async function decide(
  session: Session,
  caller: AnyCaller,
  { organizationId, documentId }: Sharer,
  userIds: ReadonlySet<string>,
): Promise<Decisions> {
  const asked = [...userIds]
  const pairs = asked.map((userId) => ({ userId, documentId }))
  const rows = await decideDocuments(session, { ...caller, defaultAccessRole: null }, organizationId, pairs)
  const decided = (row: DecisionRow): Decided => ({
    ...row,
    accessRole: row.allowed ? (row.accessRole ?? caller.defaultAccessRole) : null,
    grantedRole: row.accessRole,
  })
  return new Map(
    asked.flatMap((userId, index): [string, Decided][] => (rows[index] ? [[userId, decided(rows[index])]] : [])),
  )
}

/** Counts the effects of a change on the users of a group. */
export function affectedMembers({ userIds, hasMore }: People, before: Decisions, after: Decisions): AffectedMembers {
  const pairs = userIds.map((userId) => [before.get(userId), after.get(userId)] as const)
  const count = (matches: (one: DecisionRow | undefined, other: DecisionRow | undefined) => boolean): number =>
    pairs.filter(([one, other]) => matches(one, other)).length
  return {
    gaining: count((one, other) => !one?.allowed && other?.allowed === true),
    changing: count(
      (one, other) =>
        one?.allowed === true &&
        other?.allowed === true &&
        (one.accessRole !== other.accessRole || one.expiresAt !== other.expiresAt),
    ),
    losing: count((one, other) => one?.allowed === true && !other?.allowed),
    isExact: !hasMore,
  }
}
