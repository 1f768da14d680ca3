/** Activities of comments, which the calls that write comments record in their transaction (rules/comments.md#activities). */
import type { Session } from '#platform/db/db.ts'
import type { WrittenCommentRow } from '#tenancy/comment-triggers.ts'
import { createPushId } from '#tenancy/push-ids.ts'
import { ADD_COMMENT_ACTIVITIES } from './comment-statements.ts'

const TEMPLATES = {
  newlyAdded: '{{actionUser.name}} started a thread',
  added: '{{actionUser.name}} replied',
  updated: '{{actionUser.name}} changed a comment',
} as const

/** Records an activity for each of the comments, which `session` has written. */
export async function recordComments(session: Session, comments: readonly WrittenCommentRow[]): Promise<void> {
  if (comments.length === 0) return
  await session.runSet(
    ADD_COMMENT_ACTIVITIES,
    comments.map((comment) => ({
      ...comment,
      activityId: createPushId(),
      content: { displayMessageTemplate: TEMPLATES[comment.shortWord] },
    })),
  )
}
