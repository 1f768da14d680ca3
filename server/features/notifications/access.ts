/** Decides to whom documents are open, for notifications with `verifyUserPermissions` (rules/comments.md#notifications). */
import { DECIDE } from '#features/permissions/shared.ts'
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'

interface Question {
  userId: string
  documentId: string
}

/** Returns a function that says whether a document is open to a user now, for each of the pairs. */
export async function decideAccess(
  session: Session,
  caller: Caller,
  organizationId: string,
  pairs: readonly Question[],
): Promise<(userId: string, documentId: string) => boolean> {
  const rows = pairs.map(({ userId, documentId }) => ({
    req: 0,
    organizationKey: organizationKey(caller, organizationId),
    kind: 'document' as const,
    resourceId: documentId,
    userId,
    defaultAccessType: caller.defaultAccessType,
    defaultAccessRole: caller.defaultAccessRole,
    atLeast: null,
  }))
  const decisions = rows.length === 0 ? [] : await session.runSet(DECIDE, rows)
  const open = new Set(
    rows.flatMap((row, index) => (decisions[index]?.allowed === true ? [keyOf(row.userId, row.resourceId)] : [])),
  )
  return (userId, documentId) => open.has(keyOf(userId, documentId))
}

const keyOf = (userId: string, documentId: string): string => JSON.stringify([userId, documentId])
