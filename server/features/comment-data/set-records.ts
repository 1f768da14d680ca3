/** Writes stored notifications, their recipients, preferences and activities. */
import { requireLawfulContext, requireLevels } from '#features/notifications/shared.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import {
  type ActivityRow,
  type NotificationRow,
  type RecipientRow,
  SET_ACTIVITIES,
  SET_NOTIFICATIONS,
  SET_RECIPIENTS,
  SET_STORED_PREFERENCES,
} from './record-statements.ts'
import { lastOf, type Outcomes, type Placed, type Records, timeOf, type Writing, writeRows } from './writing.ts'

export function setNotifications(writing: Writing, records: Placed<Records<'notifications'>[number]>[]) {
  const { session, caller, organizationId } = writing
  for (const { context, index } of records) requireLawfulContext(context, `notifications[${index}].context`, true)
  const rows = records.map((record): NotificationRow & { index: number } => {
    const { index, resourceKey, notificationId, timestamp, notificationSource, documentId: _, ...rest } = record
    const { actionType = null, targetAnnotationId = null, targetCommentId = null, ...more } = rest
    const { notifyAll = true, requiresAccess = false, ...content } = more
    return {
      ...{ index, resourceKey, notificationId, notificationSource, actionType, targetAnnotationId, targetCommentId },
      organizationKey: organizationKey(caller, organizationId),
      timestamp: timeOf(timestamp),
      actorId: content.actionUser.userId,
      locationId: content.location?.id ?? null,
      ...{ notifyAll, requiresAccess, content },
    }
  })
  return writeRows(
    session,
    SET_NOTIFICATIONS,
    lastOf(rows, ({ notificationId }) => [notificationId]),
  )
}

export function setRecipients(writing: Writing, records: Placed<Records<'notificationRecipients'>[number]>[]) {
  const { session, caller, organizationId } = writing
  const rows = records.map((record): RecipientRow & { index: number } => {
    const { index, notificationId, userId, isNamed = false, email = null, readAt, isHidden = false } = record
    return {
      ...{ index, notificationId, userId, isNamed, email },
      organizationKey: organizationKey(caller, organizationId),
      readAt: readAt === undefined ? null : timeOf(readAt),
      isHidden: isHidden && readAt !== undefined,
    }
  })
  return writeRows(
    session,
    SET_RECIPIENTS,
    lastOf(rows, ({ notificationId, userId }) => [notificationId, userId]),
  )
}

export async function setPreferences(
  writing: Writing,
  records: Placed<Records<'notificationPreferences'>[number]>[],
): Promise<Outcomes> {
  for (const { config, index } of records) requireLevels(config, `notificationPreferences[${index}].config`)
  const key = organizationKey(writing.caller, writing.organizationId)
  const rows = lastOf(records, ({ userId, resourceKey }) => [userId, resourceKey])
  await writing.session.runSet(
    SET_STORED_PREFERENCES,
    rows.map(({ resourceKey, userId, config }) => ({ organizationKey: key, resourceKey, userId, config })),
  )
  return []
}

export function setActivities(writing: Writing, records: Placed<Records<'activities'>[number]>[]) {
  const { session, caller, organizationId } = writing
  const rows = records.map((record): ActivityRow & { index: number } => {
    const { index, resourceKey, id, timestamp, featureType, actionType, documentId: _, ...rest } = record
    const {
      targetEntityId = null,
      targetSubEntityId = null,
      immutable = false,
      isOfPrivateThread = false,
      ...content
    } = rest
    return {
      ...{ index, resourceKey, id, featureType, actionType, targetEntityId, targetSubEntityId, immutable, content },
      organizationKey: organizationKey(caller, organizationId),
      timestamp: timeOf(timestamp),
      actorId: content.actionUser.userId,
      isOfPrivateThread,
    }
  })
  return writeRows(
    session,
    SET_ACTIVITIES,
    lastOf(rows, ({ id }) => [id]),
  )
}
