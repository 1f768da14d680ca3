/** Decides about documents within the transaction of another feature. The permission provider of the API key is not asked. */
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import type { DecidedRow } from '../decision/rows.ts'
import { DECIDE } from '../decision/statement.ts'

/** Returns the decision about each pair of a user and a document of the organization, in the order of the pairs. */
export async function decideDocuments(
  session: Pick<Session, 'runSet'>,
  caller: Caller,
  organizationId: string,
  pairs: readonly { userId: string; documentId: string }[],
): Promise<DecidedRow[]> {
  if (pairs.length === 0) return []
  const { defaultAccessType, defaultAccessRole } = caller
  return session.runSet(
    DECIDE,
    pairs.map(({ userId, documentId }) => ({
      req: 0,
      organizationKey: organizationKey(caller, organizationId),
      kind: 'document',
      resourceId: documentId,
      userId,
      defaultAccessType,
      defaultAccessRole,
      atLeast: null,
    })),
  )
}
