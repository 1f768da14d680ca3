/**
 * The effects of a new or changed comment in its own transaction, if the call asks for them: a notification, mails and
 * an activity (rules/comments.md#notifications-of-comments).
 */
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import { recordComments } from '#features/activities/shared.ts'
import { notifyOfComments, type WideThread } from '#features/notifications/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { type CommentAct, triggerOf } from '#tenancy/comment-triggers.ts'
import { mailComments } from './mailings.ts'

/** A comment that was written. */
export interface WrittenComment {
  organizationKey: OrganizationKey
  apiKeyId: ApiKeyId
  documentId: string
  annotationId: string
  commentId: number
  act: CommentAct
  notify?: true
  activity?: true
}

/**
 * Adds a notification of each comment that asks for one and queues it to be mailed, and adds an activity of each that
 * asks for that. Returns the threads of which many are notified.
 */
export async function runTriggers(session: Session, comments: readonly WrittenComment[]): Promise<WideThread[]> {
  const asking = (asked: 'notify' | 'activity') =>
    comments
      .filter((comment) => comment[asked])
      .map(({ organizationKey, apiKeyId, documentId, annotationId, commentId, act }) => ({
        ...{ organizationKey, apiKeyId, documentId, annotationId, commentId },
        ...triggerOf(act),
      }))
  const notifying = asking('notify')
  const wide = await notifyOfComments(session, notifying)
  await mailComments(session, notifying)
  await recordComments(session, asking('activity'))
  return wide
}
