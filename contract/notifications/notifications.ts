/** `notifications/{add,get,update,delete}`: notifications inside an app (rules/comments.md#notifications). */
import Type from 'typebox'
import { BatchResult, WriteResult } from '../core/envelope.ts'
import { ClosedObject, JsonObject, nullable, optional } from '../core/fields.ts'
import { callerId, DocumentId, Items, ItemsOrNone, OrganizationId, PAGING, TimeOrder, UserId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { OF_USER_TOKENS } from '../users/own-user.ts'
import { User, UserRef } from '../users/user-refs.ts'

export const NotificationId = Type.String({
  description: 'The id of the notification.',
  minLength: 1,
  maxLength: LIMITS.idCharactersMax,
  pattern: '^[A-Za-z0-9_-]*$',
  says: 'have only letters, digits, "_" and "-"',
})
const LocationId = callerId('The id of a part of a document.')

export const NotificationLocation = Type.Object(
  { id: LocationId, locationName: Type.Optional(Type.String({ maxLength: LIMITS.nameCharactersMax })) },
  {
    description: 'The part of the document. Other fields are stored and returned.',
    additionalProperties: true,
    freeform: true,
  },
)

export const NotificationContext = Type.Object(
  { access: Type.Optional(JsonObject('Values by field. `organizationPrivate` cannot be one.')) },
  { description: 'Stored, and returned to calls with an auth token.', additionalProperties: true, freeform: true },
)

const text = (description: string) => Type.String({ description, maxLength: LIMITS.templateCharactersMax })

/** Fields that are only stored and returned, and can be changed later. The first are always there, the others can be cleared. */
const texts = {
  displayHeadlineMessageTemplate: text('The headline, in which `{name}` is replaced by the data.'),
  displayBodyMessage: text('The text.'),
  context: NotificationContext,
}
const extras = {
  displayHeadlineMessageTemplateData: JsonObject(
    'Texts by name, and the users `actionUser` and `recipientUser`, who are replaced by their names.',
  ),
  displayBodyMessageTemplate: text('The text with `{name}`, for readers that fill in the data themselves.'),
  displayBodyMessageTemplateData: JsonObject('The data of the text.'),
  notificationSourceData: JsonObject('Anything that the app needs to show the notification.'),
  location: NotificationLocation,
  metadata: JsonObject('Fields of your own, returned in `metadata`.'),
}
const NotifyUsers = ItemsOrNone(UserRef, 'The users to whom it is addressed.')

export const NotificationSource = Type.Enum(['custom', 'comment', 'huddle', 'crdt'], { default: 'custom' })

const flags = (description: string) => Type.Record(Type.String(), Type.Boolean(), { description })

export const StoredNotificationContext = Type.Object(
  { accessFields: Type.Array(Type.String(), { description: 'Each field of `access` as `field:value`.' }) },
  {
    description: 'The stored context and its `accessFields`. A user token does not get it.',
    additionalProperties: true,
  },
)

export const Notification = Type.Object({
  id: Type.String(),
  notificationSource: Type.String(),
  actionType: Type.Optional(Type.String()),
  actionUser: User,
  timestamp: Type.Integer({ description: 'When it was added, in milliseconds.' }),
  displayHeadlineMessageTemplate: Type.String(),
  displayHeadlineMessageTemplateData: Type.Optional(Type.Object({}, { additionalProperties: true })),
  displayBodyMessage: Type.String(),
  displayBodyMessageTemplate: Type.Optional(Type.String()),
  displayBodyMessageTemplateData: Type.Optional(Type.Object({}, { additionalProperties: true })),
  notificationSourceData: Type.Object({}, { additionalProperties: true }),
  targetAnnotationId: Type.Optional(Type.String({ description: 'The thread, of a comment.' })),
  metadata: Type.Object(
    {
      apiKey: Type.String(),
      organizationId: Type.String(),
      documentId: Type.String({ description: 'The current id of the document.' }),
    },
    { additionalProperties: true },
  ),
  context: Type.Optional(StoredNotificationContext),
  notifyUsers: flags('The addressed users, by the MD5 of their e-mail addresses as given.'),
  notifyUsersByUserId: flags('The addressed users, by the MD5 of their ids. With `userId`, that user alone.'),
  isNotificationResolverUsed: Type.Optional(Type.Boolean()),
  isUnread: Type.Optional(
    Type.Boolean({ description: 'Whether the user of `userId` has not read it; absent without `userId`.' }),
  ),
  forYou: Type.Optional(
    Type.Boolean({ description: 'Whether it is addressed to the user of `userId` by name; absent without `userId`.' }),
  ),
  displayHeadlineMessage: Type.Optional(
    Type.String({ description: 'The headline with its data put in; absent without `userId`.' }),
  ),
})
export type Notification = Type.Static<typeof Notification>

const where = {
  documentId: Type.Optional(DocumentId),
  locationId: Type.Optional({ ...LocationId, description: 'The `id` of their location.' }),
}

export const addNotification = operation({
  name: 'notifications.add',
  path: '/v2/notifications/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Notify users',
  description:
    'Adds one notification on a document, for the users of `notifyUsers` and, unless `notifyAll` is false, for every member of the organization. It sends no mail and no webhook. If `notificationId` exists, nothing changes.',
  data: ClosedObject({
    organizationId: OrganizationId,
    documentId: DocumentId,
    createOrganization: Type.Optional(Type.Boolean({ default: false })),
    createDocument: Type.Optional(Type.Boolean({ default: false })),
    verifyUserPermissions: Type.Optional(
      Type.Boolean({ description: 'Leave out users without access to the document.', default: false }),
    ),
    notificationId: Type.Optional({ ...NotificationId, description: 'Default: a new id.' }),
    actionUser: UserRef,
    ...optional({ ...texts, ...extras }),
    notifyUsers: Type.Optional(NotifyUsers),
    notifyAll: Type.Optional(Type.Boolean({ default: true })),
    notificationSource: Type.Optional(NotificationSource),
    isNotificationResolverUsed: Type.Optional(
      Type.Boolean({ description: 'Texts are kept elsewhere: headline and text are not required.', default: false }),
    ),
    isCrossOrganizationEnabled: Type.Optional(Type.Boolean({ description: 'Accepted without effect.' })),
  }),
  result: WriteResult,
  success: 'Notification added successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist'],
  example: {
    organizationId: 'acme',
    documentId: 'roadmap',
    notificationId: 'published-1',
    actionUser: { userId: 'ada', name: 'Ada Lovelace' },
    displayHeadlineMessageTemplate: '{actionUser} published the roadmap',
    displayHeadlineMessageTemplateData: { actionUser: { userId: 'ada', name: 'Ada Lovelace' } },
    displayBodyMessage: 'Two releases this year.',
    notifyUsers: [{ userId: 'ada' }],
  },
})

export const getNotifications = operation({
  name: 'notifications.get',
  path: '/v2/notifications/get',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'Get notifications',
  description:
    'Returns the notifications of a document, those for a user, or those that match both and all other filters, page by page. A notification that a user has read is no longer listed for that user, unless it persists. The token of the next page is also in `pageToken`; a page may be short or empty and still have one.',
  data: ClosedObject({
    organizationId: OrganizationId,
    ...where,
    userId: Type.Optional({ ...UserId, description: 'Only notifications that are for this user.' }),
    notificationIds: Type.Optional(
      Type.Array(NotificationId, {
        description: 'Only the notifications with these ids; unknown ids are left out.',
        minItems: 1,
        maxItems: LIMITS.notificationIdsMax,
      }),
    ),
    order: Type.Optional(TimeOrder),
    ...PAGING,
  }),
  result: Type.Array(Notification),
  success: 'Notifications retrieved successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist', ...OF_USER_TOKENS],
  example: { organizationId: 'acme', userId: 'ada' },
})

export const NotificationChange = ClosedObject({
  id: NotificationId,
  actionUser: Type.Optional(UserRef),
  ...optional(texts),
  ...nullable(extras),
  notifyUsers: Type.Optional({ ...NotifyUsers, description: 'Replaces the users to whom it is addressed.' }),
  readByUserIds: Type.Optional(ItemsOrNone(UserId, 'Users who have read it; users for whom it is not are ignored.')),
  persistReadForUsers: Type.Optional(
    Type.Boolean({ description: 'Whether it stays listed for them, as read.', default: false }),
  ),
})

export const updateNotifications = operation({
  name: 'notifications.update',
  path: '/v2/notifications/update',
  credentials: 'apiKey',
  scope: 'write',
  userToken: true,
  summary: 'Change notifications, or mark them as read',
  description:
    'Replaces the given fields of notifications; the others keep their values. `readByUserIds` marks them as read. Notifications that do not exist, or do not match the filters of the call, fail.',
  data: ClosedObject({
    organizationId: OrganizationId,
    ...where,
    userId: Type.Optional({ ...UserId, description: 'Only notifications that are for this user.' }),
    verifyUserPermissions: Type.Optional(
      Type.Boolean({ description: 'Leave out users without access to the document.', default: false }),
    ),
    notifications: Items(NotificationChange, 'The same id twice: the last wins.'),
  }),
  result: BatchResult,
  success: 'Notifications updated successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist', ...OF_USER_TOKENS],
  example: { organizationId: 'acme', notifications: [{ id: 'published-1', readByUserIds: ['ada'] }] },
})

export const deleteNotifications = operation({
  name: 'notifications.delete',
  path: '/v2/notifications/delete',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Delete notifications',
  description: `Deletes, for everybody, the notifications that match all given filters, of which one at least is required. Notifications that do not exist fail. One call deletes ${thousands(LIMITS.recordsDeletedMax)} at most, and then has a warning: repeat it.`,
  data: ClosedObject(
    {
      organizationId: OrganizationId,
      ...where,
      userId: Type.Optional({ ...UserId, description: 'Only those that are addressed to this user by name.' }),
      notificationIds: Type.Optional(Items(NotificationId, 'Only these.')),
    },
    { narrowing: ['documentId', 'locationId', 'userId', 'notificationIds'] },
  ),
  result: BatchResult,
  success: 'Notifications deleted successfully.',
  warns: true,
  reasons: ['organization_does_not_exist', 'document_does_not_exist'],
  example: { organizationId: 'acme', documentId: 'roadmap', notificationIds: ['published-1'] },
})

export const NOTIFICATION_OPERATIONS = [addNotification, getNotifications, updateNotifications, deleteNotifications]
