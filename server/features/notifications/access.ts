/** Decides who can open the documents of notifications (rules/comments.md#notifications). */
import { decideDocuments } from '#features/permissions/shared.ts'
import type { Session } from '#platform/db/db.ts'
import type { AnyCaller } from '#tenancy/callers/own-user.ts'

/** Returns a function that says whether a document is open to a user now, for each of the pairs. */
export async function decideAccess(
  session: Session,
  caller: AnyCaller,
  organizationId: string,
  pairs: readonly { userId: string; documentId: string }[],
): Promise<(userId: string, documentId: string) => boolean> {
  const decisions = await decideDocuments(session, caller, organizationId, pairs)
  const open = new Set(
    pairs.flatMap(({ userId, documentId }, index) =>
      decisions[index]?.allowed === true ? [keyOf(userId, documentId)] : [],
    ),
  )
  return (userId, documentId) => open.has(keyOf(userId, documentId))
}

const keyOf = (userId: string, documentId: string): string => JSON.stringify([userId, documentId])
