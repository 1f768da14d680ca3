/** `notifications/config/*`: the levels of users for each channel (rules/comments.md#preferences). */
import Type from 'typebox'
import { ItemResult } from '../core/envelope.ts'
import { ClosedObject, nullable } from '../core/fields.ts'
import { DocumentId, Items, OrganizationId, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { OF_USER_TOKENS, OwnUserId } from '../users/own-user.ts'

export const InboxLevel = Type.Enum(['ALL', 'MINE', 'NONE'], {
  description: '`ALL`: everything. `MINE`: notifications that involve the user. `NONE`: nothing.',
})

export const NotificationLevel = Type.Enum(['ALL', 'MINE', 'NONE', 'DIGEST'], {
  description:
    '`ALL`: everything; `MINE`: notifications that involve the user, at once; `DIGEST`: the same once a day; `NONE`: nothing.',
})

export type NotificationLevel = Type.Static<typeof NotificationLevel>

/** The channels that users have before they set any. */
export const DEFAULT_CHANNELS = { inbox: 'ALL', email: 'MINE' } as const

export const NotificationChannels = Type.Object(
  {
    inbox: Type.Optional(InboxLevel),
    email: Type.Optional(NotificationLevel),
    slack: Type.Optional(NotificationLevel),
  },
  {
    description: 'A level for each channel: `inbox`, `email`, `slack`, and channels of your own.',
    additionalProperties: true,
    freeform: true,
  },
)

/** The levels that a call sets: `null` clears one. Channels of your own can be `null` too. */
export const NotificationChannelChange = Type.Object(
  nullable({ inbox: InboxLevel, email: NotificationLevel, slack: NotificationLevel }),
  {
    description:
      'A level for each channel: `inbox`, `email`, `slack`, and channels of your own. `null` clears a level: that of the organization, or the default, holds again. An unsubscription from mails is no level: only setting a level of `email` for the organization ends it.',
    additionalProperties: true,
    freeform: true,
  },
)

export const NotificationPreferences = Type.Object({
  config: Type.Record(Type.String(), NotificationLevel),
  metadata: Type.Object({
    organizationId: Type.String(),
    apiKey: Type.String(),
    documentId: Type.Optional(Type.String({ description: 'Absent: the default of the organization.' })),
    userId: Type.String(),
  }),
})
export type NotificationPreferences = Type.Static<typeof NotificationPreferences>

export const setNotificationPreferences = operation({
  name: 'notification-preferences.set',
  path: '/v2/notifications/config/set',
  credentials: 'apiKey',
  scope: 'write',
  userToken: true,
  summary: 'Set notification preferences',
  description:
    'Sets levels of channels for users: for the given documents, or for the organization and so for its documents without a level of their own. Channels that are not given keep their levels.',
  data: ClosedObject(
    {
      organizationId: OrganizationId,
      userIds: Type.Optional(Items(UserId, 'The users. Required, except with a user token: then its own user.')),
      config: NotificationChannelChange,
      documentIds: Type.Optional(
        Type.Array(DocumentId, {
          description: 'The documents for which the preference holds; absent: the organization.',
          minItems: 1,
          maxItems: LIMITS.preferenceDocumentsMax,
        }),
      ),
    },
    { narrowing: ['documentIds'] },
  ),
  result: Type.Record(
    Type.String(),
    Type.Object({
      ...ItemResult.properties,
      userId: Type.String(),
      documentId: Type.Optional(Type.String({ description: 'The document, where the call names one.' })),
    }),
  ),
  success: 'Notification preferences set successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist', ...OF_USER_TOKENS],
  example: {
    organizationId: 'acme',
    userIds: ['ada'],
    config: { inbox: 'ALL', email: 'NONE' },
    documentIds: ['roadmap'],
  },
})

export const getNotificationPreferences = operation({
  name: 'notification-preferences.get',
  path: '/v2/notifications/config/get',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'Get notification preferences',
  description:
    'Returns the levels of a user: for the given documents, or for the organization and every document with levels of its own, at most 1,000. The level of a document takes precedence over that of the organization. If no level was set, `inbox` is `ALL` and `email` is `MINE`.',
  data: ClosedObject({
    organizationId: OrganizationId,
    userId: OwnUserId('The user.'),
    documentIds: Type.Optional(
      Type.Array(DocumentId, {
        description: 'Only the preferences for these documents.',
        minItems: 1,
        maxItems: LIMITS.preferenceDocumentsMax,
      }),
    ),
    getOrganizationConfig: Type.Optional(
      Type.Boolean({
        description: 'Only the default of the organization, before the given documents.',
        default: false,
      }),
    ),
  }),
  result: Type.Array(NotificationPreferences),
  success: 'Notification preferences retrieved successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist', ...OF_USER_TOKENS],
  example: { organizationId: 'acme', userId: 'ada' },
})

export const NOTIFICATION_PREFERENCE_OPERATIONS = [setNotificationPreferences, getNotificationPreferences]
