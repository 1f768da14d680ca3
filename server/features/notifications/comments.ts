/**
 * Notifications of comments, which the calls that write comments add in their transaction
 * (rules/comments.md#notifications-of-comments).
 */
import { randomInt } from 'node:crypto'
import type { Session } from '#platform/db/db.ts'
import type { WrittenCommentRow } from '#tenancy/comment-triggers.ts'
import { ADD_COMMENT_NOTIFICATIONS, type WideThread } from './comment-statements.ts'

const HEADLINES = {
  newlyAdded: '{actionUser} started a thread',
  added: '{actionUser} replied',
  updated: '{actionUser} changed a comment',
} as const

/**
 * Adds a notification of each of the comments, which `session` has written. The author of a comment is not notified.
 * Returns the threads of which at least 100 users are notified.
 */
export async function notifyOfComments(
  session: Session,
  comments: readonly WrittenCommentRow[],
): Promise<WideThread[]> {
  if (comments.length === 0) return []
  return session.runSet(
    ADD_COMMENT_NOTIFICATIONS,
    comments.map((comment) => ({
      ...comment,
      notificationId: newNotificationId(),
      headline: HEADLINES[comment.shortWord],
    })),
  )
}

/** Returns a new id of 16 digits. */
export const newNotificationId = (): string =>
  `${randomInt(10_000_000, 100_000_000)}${String(randomInt(0, 100_000_000)).padStart(8, '0')}`
