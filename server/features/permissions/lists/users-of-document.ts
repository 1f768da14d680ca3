/** Reads who can open a document, for other features: by the statement of the lists of access, in the caller's transaction. */
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import type { DecisionRow } from '../decision/rows.ts'
import { LIST_PERMITTED_USERS } from './user-statements.ts'

export interface UsersOfDocument {
  /** The users in the order of their ids. */
  userIds: string[]
  /** All users up to this one were examined; null: there are no more. */
  examinedTo: string | null
}

type DecidingCaller = Pick<Caller, 'apiKeyId' | 'defaultAccessType' | 'defaultAccessRole'>

/** Returns which of the next `count` users after `afterUserId` can open the document by a grant or membership, with the decisions. */
export async function decidedUsersOfDocument(
  session: Pick<Session, 'runSet'>,
  caller: DecidingCaller,
  { organizationId, documentId }: { organizationId: string; documentId: string },
  { afterUserId, count }: { afterUserId: string; count: number },
): Promise<{ users: { userId: string; decision: DecisionRow }[]; examinedTo: string | null }> {
  const { defaultAccessType, defaultAccessRole } = caller
  const key = organizationKey(caller, organizationId)
  const rows = await session.runSet(LIST_PERMITTED_USERS, [
    {
      ...{ req: 0, organizationKey: key, kind: 'document', resourceId: documentId },
      ...{ defaultAccessType, defaultAccessRole, atLeast: null, afterUserId, decisions: count },
    },
  ])
  const placed = rows.flatMap((decision) =>
    (decision.userIds ?? []).map((userId, index) => ({
      at: decision.places?.[index] ?? 0,
      user: { userId, decision },
    })),
  )
  return {
    users: placed.sort((one, other) => one.at - other.at).map(({ user }) => user),
    examinedTo: rows.find(({ userIds }) => userIds === null)?.examinedTo ?? null,
  }
}

/** Returns the same users without the decisions. */
export async function usersOfDocument(
  session: Pick<Session, 'runSet'>,
  caller: DecidingCaller,
  document: { organizationId: string; documentId: string },
  next: { afterUserId: string; count: number },
): Promise<UsersOfDocument> {
  const { users, examinedTo } = await decidedUsersOfDocument(session, caller, document, next)
  return { userIds: users.map(({ userId }) => userId), examinedTo }
}
