/** What a new or changed comment triggers in its own transaction, if the call asks for it: a notification, mails and an activity (rules/comments.md#notifications-of-comments). */
import { recordComments } from '#features/activities/shared.ts'
import { notifyOfComments } from '#features/notifications/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import type { AnyCaller } from '#tenancy/callers/own-user.ts'
import { type CommentAct, triggerOf } from '#tenancy/comment-triggers.ts'
import { mailComments } from './mailings.ts'

/** A comment that was written. */
export interface WrittenComment {
  annotationId: string
  commentId: number
  act: CommentAct
  notify?: true
  activity?: true
}

/** Adds a notification of each comment that asks for one and queues it to be mailed, and adds an activity of each that asks for that. */
export async function runTriggers(
  session: Session,
  caller: AnyCaller,
  { organizationId, documentId }: { organizationId: string; documentId: string },
  comments: readonly WrittenComment[],
): Promise<void> {
  const asking = (asked: 'notify' | 'activity') =>
    comments
      .filter((comment) => comment[asked])
      .map(({ annotationId, commentId, act }) => ({
        organizationKey: organizationKey(caller, organizationId),
        apiKeyId: caller.apiKeyId,
        ...{ documentId, annotationId, commentId },
        ...triggerOf(act),
      }))
  const notifying = asking('notify')
  await notifyOfComments(session, notifying)
  await mailComments(session, notifying)
  await recordComments(session, asking('activity'))
}
