/** Makes the records of the data held about a user from rows (rules/resources.md#erasure). */
import type { ResultOf } from '#contract/core/operation.ts'
import type { getUserData } from '#contract/users/user-data.ts'
import { commentRecord, type Show } from '#features/comments/shared.ts'
import type {
  UserActivityRow,
  UserCommentRow,
  UserMentionRow,
  UserNotificationRow,
  UserPreferenceRow,
  UserThreadRow,
} from './comment-statements.ts'
import type { UserEventRow, UserGrantRow, UserGroupRow } from './reading-statements.ts'

type Data = ResultOf<typeof getUserData>

export function commentOf({ documentId, annotationId, ...row }: UserCommentRow, show: Show): Data['comments'][number] {
  const { content, createdAt, lastUpdated } = row
  const commentId = Number(row.commentId)
  const stored = { content, commentId, createdAt: createdAt.getTime(), lastUpdated: lastUpdated.getTime() }
  return { documentId, annotationId, ...commentRecord(stored, show) }
}

export function notificationOf(row: UserNotificationRow): Data['notifications'][number] {
  const { id, documentId, notificationSource, timestamp, targetAnnotationId, isNamed, readAt, content } = row
  const { actionUser, displayHeadlineMessageTemplate, displayBodyMessage } = content
  return {
    ...{ id, documentId, notificationSource, timestamp, actionUser, isNamed },
    ...(displayHeadlineMessageTemplate !== undefined && { displayHeadlineMessageTemplate }),
    ...(displayBodyMessage !== undefined && { displayBodyMessage }),
    ...(targetAnnotationId !== null && { targetAnnotationId }),
    ...(readAt !== null && { readAt }),
  }
}

export const mentionOf = ({ content: { contact, text }, ...row }: UserMentionRow): Data['mentions'][number] => ({
  ...{ documentId: row.documentId, annotationId: row.annotationId, commentId: Number(row.commentId) },
  createdAt: row.createdAt,
  ...(contact !== undefined && { contact }),
  ...(text !== undefined && { text }),
})

export const threadOf = ({ documentId, annotationId, namedAs, content }: UserThreadRow): Data['threads'][number] => ({
  ...{ documentId, annotationId, namedAs },
  ...content,
})

export const preferenceOf = (row: UserPreferenceRow): Data['notificationPreferences'][number] => ({
  ...(row.documentId !== null && { documentId: row.documentId }),
  config: row.config,
  ...(row.isUnsubscribed && { isUnsubscribed: true }),
})

export function activityOf(row: UserActivityRow): Data['activities'][number] {
  const { documentId, id, timestamp, featureType, actionType, targetEntityId, targetSubEntityId, content } = row
  return {
    ...{ documentId, id, timestamp, featureType, actionType },
    ...(targetEntityId !== null && { targetEntityId }),
    ...(targetSubEntityId !== null && { targetSubEntityId }),
    ...(row.immutable && { immutable: true }),
    ...content,
  }
}

export const grantOf = ({ type, id, accessRole, expiresAt }: UserGrantRow): Data['grants'][number] => ({
  type,
  id,
  accessRole,
  ...(expiresAt === null ? {} : { expiresAt: Math.floor(expiresAt.getTime() / 1000) }),
})

export const userGroupOf = ({ groupId, groupName }: UserGroupRow): Data['userGroups'][number] => ({
  groupId,
  ...(groupName === null ? {} : { groupName }),
})

export function eventOf(row: UserEventRow): Data['events'][number] {
  const { type, changedAt, organizationId, resourceType, resourceId, isShared, before, after } = row
  return {
    type,
    changedAt: changedAt.getTime(),
    ...(organizationId === null ? {} : { organizationId }),
    ...nameOf(resourceType, resourceId),
    ...(isShared ? { isShared: true as const } : {}),
    ...(before === null ? {} : { before }),
    ...(after === null ? {} : { after }),
  }
}

/** The other subject of an event: a resource, or a user group (an id without a type). */
function nameOf(type: UserEventRow['resourceType'], id: string | null) {
  if (id === null) return {}
  return type === null ? { groupId: id } : { resource: { type, id } }
}
