/** Activities of comments, which the calls that write comments record in their transaction (rules/comments.md#activities). */
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { createPushId } from '#tenancy/push-ids.ts'
import { ADD_COMMENT_ACTIVITIES } from './comment-statements.ts'

/** A comment to record. */
export interface RecordedComment {
  annotationId: string
  commentId: number
  /** The first comment of its thread. */
  isRoot: boolean
}

const ROOT = {
  shortWord: 'newlyAdded',
  eventType: 'comment_annotation.add',
  content: { displayMessageTemplate: '{{actionUser.name}} started a thread' },
}
const REPLY = {
  shortWord: 'added',
  eventType: 'comment.add',
  content: { displayMessageTemplate: '{{actionUser.name}} replied' },
}

/** Records an activity for each of the comments, which `session` has written. */
export async function recordComments(
  session: Session,
  caller: Caller,
  { organizationId, documentId }: { organizationId: string; documentId: string },
  comments: readonly RecordedComment[],
): Promise<void> {
  if (comments.length === 0) return
  await session.runSet(
    ADD_COMMENT_ACTIVITIES,
    comments.map(({ isRoot, ...comment }) => ({
      ...comment,
      ...(isRoot ? ROOT : REPLY),
      organizationKey: organizationKey(caller, organizationId),
      apiKeyId: caller.apiKeyId,
      documentId,
      activityId: createPushId(),
    })),
  )
}
