/** The messages of acts on threads and comments, as the hosted original sends them (rules/comments.md#webhooks). */
import type { CommentRecord, ThreadRecord } from '#contract/comments/records.ts'
import type { ActFacts } from '#features/comments/shared.ts'
import type { EndpointKind } from '../endpoints/endpoint-statements.ts'

const SOURCE = 'comment'
const PLATFORM = 'sdk'

/** Returns the payload of an act before encoding. */
export function actPayload(kind: EndpointKind, webhookId: string, facts: ActFacts): object {
  const { act, preferences, accessDeniedUsers, assigned, ...about } = facts
  const common = { webhookId, platform: PLATFORM }
  if (kind === 'signed') {
    const actionType = act.type.slice(act.type.indexOf('.') + 1)
    return { event: act.type, actionType, source: SOURCE, ...common, data: about, ...preferences }
  }
  const basic = {
    ...common,
    actionType: act.word,
    notificationSource: SOURCE,
    ...about,
    ...(assigned && { assigned }),
    ...(accessDeniedUsers && { accessDeniedUsers }),
    ...preferences,
  }
  return kind === 'raw' ? basic : { ...basic, ...processed(facts) }
}

/** Returns the additional fields for the processed URL: the comment and the mentioned people, except those who may not know of it. */
function processed({ actionUser, targetComment, commentAnnotation, accessDeniedUsers, metadata }: ActFacts): object {
  const { annotationId } = commentAnnotation as ThreadRecord
  const { commentId, commentText, to = [] } = (targetComment ?? {}) as Partial<CommentRecord>
  const denied = new Set(accessDeniedUsers)
  const { title, url } = (metadata.pageInfo ?? {}) as { title?: string; url?: string }
  return {
    ...(actionUser && { from: actionUser }),
    ...(commentText !== undefined && { commentText }),
    toContactsTagged: to.filter(({ userId }) => !denied.has(userId)),
    ...(title !== undefined && { pageTitle: title }),
    ...(url !== undefined && { pageUrl: url }),
    targetAnnotationId: annotationId,
    ...(commentId !== undefined && { targetCommentId: commentId }),
  }
}
