/** The parts of a webhook about an act on a thread (rules/comments.md#webhooks). */
import type { CommentAct } from '#contract/comments/acts.ts'
import type { ThreadStatus } from '#contract/comments/parts.ts'
import type { CommentRecord, ThreadRecord } from '#contract/comments/records.ts'
import { DEFAULT_CHANNELS } from '#contract/notifications/preferences.ts'
import type { UserRef } from '#contract/users/user-refs.ts'
import type { FeedEvent } from '#tenancy/events/feed.ts'
import type { Recipient } from '../recipients/recipients.ts'
import type { ActedThread } from './statements.ts'

export type ActEvent = Pick<
  FeedEvent,
  | 'type'
  | 'stream'
  | 'apiKeyId'
  | 'organizationId'
  | 'resourceId'
  | 'userId'
  | 'actor'
  | 'before'
  | 'after'
  | 'changedAt'
>

type Gone = { annotationId: string }
type Levels = Record<string, Record<string, string>>

export interface ActFacts {
  act: CommentAct
  /** Its ids alone if it was deleted. */
  commentAnnotation: ThreadRecord | Gone
  targetComment?: CommentRecord | { commentId: number; from?: UserRef }
  /** Absent if nobody but the API key acted, or nobody knows. */
  actionUser?: UserRef
  metadata: Record<string, unknown>
  oldStatus?: Partial<ThreadStatus>
  newStatus?: Partial<ThreadStatus>
  newPriority?: Partial<NonNullable<ThreadRecord['priority']>>
  assigned?: true
  /** The visibility, if the thread is not public. */
  visibility?: Partial<ThreadRecord['visibilityConfig']>
  /** Involved users who may not know of the thread. Absent if it was deleted. */
  accessDeniedUsers?: string[]
  /** The levels of the involved users: one of two, by where there are any. */
  preferences: { usersDocumentNotificationsConfig: Levels } | { usersOrganizationNotificationsConfig: Levels }
}

export function idsOf({ before, after }: ActEvent): { annotationId: string; commentId?: number } {
  return { ...before, ...after } as { annotationId: string; commentId?: number }
}

/** Returns the comment that an act is about. One that was deleted has what its event still knows, which is no text. */
export function targetOf(
  event: ActEvent,
  thread: ThreadRecord | undefined,
  user: UserRef | undefined,
): ActFacts['targetComment'] {
  const { commentId } = idsOf(event)
  if (commentId === undefined) return undefined
  const comment = thread?.comments.find((one) => one.commentId === commentId)
  return comment ?? { commentId, ...(user && { from: user }) }
}

/** Returns the values before and after. The current value has more fields than the event, and is used if it is still the same. */
export function changesOf({ type, before, after }: ActEvent, thread: ThreadRecord | undefined) {
  const named = (values: Record<string, unknown> | null, field: string) => {
    const [id, name, kind] = ['Id', 'Name', 'Type'].map((end) => values?.[field + end])
    return id == null
      ? undefined
      : { id: String(id), ...(name != null && { name }), ...(kind != null && { type: kind }) }
  }
  if (type === 'thread.status_changed') {
    const oldStatus = named(before, 'status')
    const newStatus = named(after, 'status')
    const current = thread?.status
    return {
      ...(oldStatus && { oldStatus }),
      ...(newStatus && { newStatus: current?.id === newStatus.id ? current : newStatus }),
    } as Pick<ActFacts, 'oldStatus' | 'newStatus'>
  }
  if (type === 'thread.priority_changed') {
    const newPriority = named(after, 'priority')
    const current = thread?.priority
    return (
      newPriority === undefined ? {} : { newPriority: current?.id === newPriority.id ? current : newPriority }
    ) as Pick<ActFacts, 'newPriority'>
  }
  return after?.assigned === true ? { assigned: true as const } : {}
}

/**
 * Returns the visibility of a thread that is not public. For a deleted thread, only the event of its deletion knows it.
 * Every other act on a deleted thread is reported as one on a restricted thread, so that it is not revealed to people
 * who could not see the thread.
 */
export function visibilityOf(
  { type, before }: ActEvent,
  thread: ThreadRecord | undefined,
): Pick<ActFacts, 'visibility'> {
  const known = type === 'thread.deleted' ? (before?.visibility as 'restricted' | undefined) : 'restricted'
  const visibility = thread?.visibilityConfig ?? { type: known }
  return visibility.type === undefined || visibility.type === 'public'
    ? {}
    : { visibility: visibility as ThreadRecord['visibilityConfig'] }
}

/** Returns where the thread is: the caller's ids under both names. */
export function metadataOf(event: ActEvent, stored: ActedThread | undefined): Record<string, unknown> {
  const { apiKeyId: apiKey, organizationId } = event
  const documentId = stored?.documentId ?? event.resourceId
  const ids = { apiKey, organizationId, documentId, clientOrganizationId: organizationId, clientDocumentId: documentId }
  if (stored === undefined) return ids
  const { documentName, organizationName, folderId } = stored
  const { pageInfo } = stored.content
  const folder = folderId === null ? {} : { folderId }
  const documentMetadata = {
    ...stored.documentMetadata,
    ...{ apiKey, organizationId, documentId },
    ...folder,
    ...(documentName !== null && { documentName }),
  }
  const organizationMetadata = {
    ...stored.organizationMetadata,
    organizationId,
    ...(organizationName !== null && { organizationName }),
  }
  return {
    ...ids,
    ...folder,
    ...(documentName !== null && { documentName }),
    document: documentMetadata,
    organization: organizationMetadata,
    documentMetadata,
    organizationMetadata,
    ...(pageInfo && { pageInfo }),
  }
}

/** Returns the levels of the document if one of the users has any, otherwise the levels of the organization. */
export function preferencesOf(involved: readonly Recipient[]): ActFacts['preferences'] {
  const isOfDocument = involved.some(({ documentChannels }) => documentChannels !== null)
  const levels = Object.fromEntries(
    involved.map(({ userId, organizationChannels, documentChannels }) => [
      userId,
      { ...DEFAULT_CHANNELS, ...organizationChannels, ...documentChannels },
    ]),
  )
  return isOfDocument ? { usersDocumentNotificationsConfig: levels } : { usersOrganizationNotificationsConfig: levels }
}
