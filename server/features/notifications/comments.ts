/** Notifications of comments, which the calls that write comments add in their transaction (rules/comments.md#told). */
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { ADD_COMMENT_NOTIFICATIONS } from './comment-statements.ts'
import { newNotificationId } from './ids.ts'

/** A comment to tell of. */
export interface ToldComment {
  annotationId: string
  commentId: number
  /** The first comment of its thread. */
  isRoot: boolean
}

const ROOT = {
  actionType: 'newlyAdded',
  eventType: 'comment_annotation.add',
  headline: '{actionUser} started a thread',
} as const
const REPLY = { actionType: 'added', eventType: 'comment.add', headline: '{actionUser} replied' } as const

/** Adds a notification for each of the comments, which `session` has written. The author of a comment is not told of it. */
export async function notifyOfComments(
  session: Session,
  caller: Caller,
  { organizationId, documentId }: { organizationId: string; documentId: string },
  comments: readonly ToldComment[],
): Promise<void> {
  if (comments.length === 0) return
  await session.runSet(
    ADD_COMMENT_NOTIFICATIONS,
    comments.map(({ isRoot, ...comment }) => ({
      ...comment,
      ...(isRoot ? ROOT : REPLY),
      organizationKey: organizationKey(caller, organizationId),
      apiKeyId: caller.apiKeyId,
      documentId,
      notificationId: newNotificationId(),
    })),
  )
}
