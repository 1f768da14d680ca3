/** Reads who can open a document, for other features: by the statement of the lists of access, in the caller's transaction. */
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { LIST_PERMITTED_USERS } from './user-statements.ts'

export interface UsersOfDocument {
  /** In the order of the ids. */
  userIds: string[]
  /** All users up to this one were examined; null: there are no more. */
  examinedTo: string | null
}

/** Returns which of the next `count` users after `afterUserId` can open the document by a grant or membership. */
export async function usersOfDocument(
  session: Pick<Session, 'runSet'>,
  caller: Pick<Caller, 'apiKeyId' | 'defaultAccessType' | 'defaultAccessRole'>,
  { organizationId, documentId }: { organizationId: string; documentId: string },
  { afterUserId, count }: { afterUserId: string; count: number },
): Promise<UsersOfDocument> {
  const { defaultAccessType, defaultAccessRole } = caller
  const key = organizationKey(caller, organizationId)
  const rows = await session.runSet(LIST_PERMITTED_USERS, [
    {
      ...{ req: 0, organizationKey: key, kind: 'document', resourceId: documentId },
      ...{ defaultAccessType, defaultAccessRole, atLeast: null, afterUserId, decisions: count },
    },
  ])
  const placed = rows.flatMap(({ userIds, places }) =>
    (userIds ?? []).map((userId, index) => [places?.[index] ?? 0, userId] as const),
  )
  return {
    userIds: placed.sort(([one], [other]) => one - other).map(([, userId]) => userId),
    examinedTo: rows.find(({ userIds }) => userIds === null)?.examinedTo ?? null,
  }
}
