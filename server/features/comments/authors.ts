/** Decides which people have access to a document, for calls with `verifyUserPermissions` (rules/comments.md#verified-authors). */
import { decideDocuments } from '#features/permissions/shared.ts'
import type { Session } from '#platform/db/db.ts'
import type { AnyCaller } from '#tenancy/callers/own-user.ts'
import { documentDoesNotExist, organizationDoesNotExist } from '#tenancy/refusals.ts'

/** Returns the users who have no access to the document now. Throws NOT_FOUND if there is no such document. */
export async function usersWithoutAccess(
  session: Session,
  caller: AnyCaller,
  { organizationId, documentId }: { organizationId: string; documentId: string },
  userIds: ReadonlySet<string>,
): Promise<Set<string>> {
  const asked = [...userIds]
  const pairs = asked.map((userId) => ({ userId, documentId }))
  const decisions = await decideDocuments(session, caller, organizationId, pairs)
  const missing = decisions.find(({ reason }) => reason === 'does_not_exist')
  if (missing?.hasGroupGrants === null) throw organizationDoesNotExist()
  if (missing !== undefined) throw documentDoesNotExist(missing.migratedTo)
  return new Set(asked.filter((_, index) => decisions[index]?.allowed !== true))
}
