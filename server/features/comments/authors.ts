/** Decides which people have access to a document, for calls with `verifyUserPermissions` (rules/comments.md#verified-authors). */
import { DECIDE } from '#features/permissions/shared.ts'
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { documentDoesNotExist, organizationDoesNotExist } from '#tenancy/refusals.ts'

/** Returns those of the users who have no access to the document now. Throws NOT_FOUND if there is no such document. */
export async function usersWithoutAccess(
  session: Session,
  caller: Caller,
  { organizationId, documentId }: { organizationId: string; documentId: string },
  userIds: ReadonlySet<string>,
): Promise<Set<string>> {
  const rows = [...userIds].map((userId) => ({
    req: 0,
    organizationKey: organizationKey(caller, organizationId),
    kind: 'document' as const,
    resourceId: documentId,
    userId,
    defaultAccessType: caller.defaultAccessType,
    defaultAccessRole: caller.defaultAccessRole,
    atLeast: null,
  }))
  const decisions = await session.runSet(DECIDE, rows)
  const missing = decisions.find(({ reason }) => reason === 'does_not_exist')
  if (missing?.hasGroupGrants === null) throw organizationDoesNotExist()
  if (missing !== undefined) throw documentDoesNotExist(missing.migratedTo)
  return new Set(rows.flatMap(({ userId }, index) => (decisions[index]?.allowed === true ? [] : [userId])))
}
