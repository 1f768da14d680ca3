/** Threads, notifications and activities as they are stored, which an export reads and an import writes (rules/comments.md#moving). */
import Type from 'typebox'
import { Activity, ActivityId, ActivityInput } from '../activities/activities.ts'
import { Milliseconds } from '../core/fields.ts'
import { DocumentId, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { addNotification, NotificationId, NotificationSource } from '../notifications/notifications.ts'
import { NotificationChannels } from '../notifications/preferences.ts'
import { UserRef } from '../users/user-refs.ts'
import { CommentAgent } from './agents.ts'
import { commentContentFields, ThreadInput, threadContentFields } from './inputs.ts'
import { CommentId, ThreadId, ThreadStatus } from './parts.ts'
import { Subscription } from './subscriptions.ts'

const optional = Type.Optional
const CLOSED = { additionalProperties: false } as const
const time = Milliseconds('Milliseconds.')
const times = { createdAt: time, lastUpdated: time }
const position = (description: string) =>
  Type.Integer({ description, minimum: 0, maximum: LIMITS.positionMax, default: 0 })
const inThread = { documentId: DocumentId, annotationId: ThreadId }

const contentOfComment = {
  commentId: CommentId,
  position: { ...position('The place of the comment in the order of its thread, from 1.'), minimum: 1 },
  from: UserRef,
  ...commentContentFields,
  ...times,
  agent: optional(CommentAgent),
  status: optional(Type.Enum(['updated'], { description: 'The comment was changed.' })),
}

/** A comment beside the first one. */
export const CommentData = Type.Object({ ...inThread, ...contentOfComment }, CLOSED)
export type CommentData = Type.Static<typeof CommentData>

const { commentData, comments, annotationId, ...ofNewThread } = ThreadInput.properties

/** A thread with its first comment: no thread is without any. */
export const ThreadData = Type.Object(
  {
    ...inThread,
    ...ofNewThread,
    ...threadContentFields,
    ...times,
    from: UserRef,
    status: ThreadStatus,
    statusUpdatedByUserId: optional(UserId),
    resolvedByUserId: optional(UserId),
    agent: optional(CommentAgent),
    commentsWritten: optional(position('The number of comments that were ever written; no position is used twice.')),
    comment: Type.Object(contentOfComment, { description: 'The first comment.', ...CLOSED }),
  },
  CLOSED,
)
export type ThreadData = Type.Static<typeof ThreadData>

export const ThreadUserData = Type.Object(
  {
    ...inThread,
    userId: UserId,
    subscription: optional(Subscription),
    isManual: optional(
      Type.Boolean({ description: 'The user has set it; comments do not change it.', default: false }),
    ),
    contact: optional(UserRef),
    seenThrough: optional(position('The position of the last comment that the user has seen.')),
    seenAt: optional(Milliseconds('When the user last looked at the thread as far as that comment, in milliseconds.')),
  },
  { description: 'Whether a user follows a thread, and what the user has seen of it.', ...CLOSED },
)
export type ThreadUserData = Type.Static<typeof ThreadUserData>

const { organizationId, createOrganization, createDocument, verifyUserPermissions, notifyUsers, ...ofNotification } =
  addNotification.data.properties
const { isCrossOrganizationEnabled, ...ofNotificationData } = ofNotification

export const NotificationData = Type.Object(
  {
    ...ofNotificationData,
    notificationId: NotificationId,
    timestamp: time,
    notificationSource: NotificationSource,
    actionType: optional(Type.String({ maxLength: LIMITS.idCharactersMax })),
    targetAnnotationId: optional(ThreadId),
    targetCommentId: optional(CommentId),
    requiresAccess: optional(
      Type.Boolean({ description: 'It is listed only for users with access to the document.', default: false }),
    ),
  },
  { description: 'A notification without the state of its recipients.', ...CLOSED },
)
export type NotificationData = Type.Static<typeof NotificationData>

export const NotificationRecipientData = Type.Object(
  {
    notificationId: NotificationId,
    userId: UserId,
    isNamed: optional(Type.Boolean({ description: 'The notification names the user.', default: false })),
    email: optional(Type.String({ maxLength: LIMITS.emailCharactersMax })),
    readAt: optional(time),
    isHidden: optional(Type.Boolean({ description: 'It was read, and is no longer listed.', default: false })),
  },
  { description: 'The state of a notification for one user.', ...CLOSED },
)
export type NotificationRecipientData = Type.Static<typeof NotificationRecipientData>

export const NotificationPreferenceData = Type.Object(
  {
    userId: UserId,
    documentId: optional({ ...DocumentId, description: 'Absent: the organization.' }),
    config: NotificationChannels,
  },
  CLOSED,
)
export type NotificationPreferenceData = Type.Static<typeof NotificationPreferenceData>

export const ActivityData = Type.Object(
  {
    documentId: DocumentId,
    ...ActivityInput.properties,
    id: ActivityId,
    timestamp: time,
    immutable: optional(Activity.properties.immutable),
    isOfPrivateThread: optional(
      Type.Boolean({
        description: 'It is about a private thread that was deleted, so users do not get it.',
        default: false,
      }),
    ),
  },
  CLOSED,
)
export type ActivityData = Type.Static<typeof ActivityData>
