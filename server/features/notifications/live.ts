/** Finds new notifications in the inboxes of users who read a stream (rules/comments.md#live). */
import type { Session } from '#platform/db/db.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type InboxOutcome, READ_NEW_IN_INBOX } from './live-statements.ts'

/** Up to where an inbox is known: the time and the id of its newest notification. */
export type InboxPosition = readonly [at: string, id: string]

export interface InboxOfUser {
  caller: UserCaller
  organizationId: string
  /** Null: only the position is wanted. */
  after: InboxPosition | null
}

/** Returns the position of each inbox, and its notifications since then, in the order of the inboxes. */
export async function newInInboxes(session: Session, inboxes: readonly InboxOfUser[]): Promise<InboxOutcome[]> {
  if (inboxes.length === 0) return []
  return session.runSet(
    READ_NEW_IN_INBOX,
    inboxes.map(({ caller, organizationId, after }) => ({
      organizationKey: organizationKey(caller, organizationId),
      apiKeyId: caller.apiKeyId,
      userId: caller.userId,
      afterAt: after?.[0] ?? null,
      afterId: after?.[1] ?? '',
      defaultAccessType: caller.defaultAccessType,
      defaultAccessRole: caller.defaultAccessRole,
    })),
  )
}
