/**
 * `workspace/notificationconfig/*`: whether an API key has notifications, and which acts on comments notify. Fields:
 * rules/keys.md#notifications-and-activities.
 */
import Type from 'typebox'
import { CommentTriggers, HuddleTriggers } from '../comments/triggers.ts'
import { ClosedObject } from '../core/fields.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

const optional = <Fields extends Type.TProperties>(fields: Fields, description: string) =>
  ClosedObject(Type.Partial(Type.Object(fields)).properties, { description })

const delay = {
  isEnabled: Type.Boolean(),
  delaySeconds: Type.Integer({
    minimum: LIMITS.notificationDelaySecondsMin,
    maximum: LIMITS.notificationDelaySecondsMax,
  }),
}
const batch = {
  isEnabled: Type.Boolean(),
  batchWindowSeconds: Type.Integer({
    minimum: LIMITS.notificationDelaySecondsMin,
    maximum: LIMITS.notificationBatchSecondsMax,
  }),
  maxActivities: Type.Integer({
    minimum: LIMITS.notificationBatchActivitiesMin,
    maximum: LIMITS.notificationBatchActivitiesMax,
  }),
}

const TRIGGERS = 'Which acts on comments notify. A trigger that is not set is on.'
const DELAY = 'How long a notification is held back; comments that the recipient has seen by then are not sent.'
const BATCH =
  'Collects notifications into one digest for each document and one for each recipient, until its time is over or it is full.'

export const NotificationBatch = Type.Object(batch)
export const NotificationBatchChange = optional(batch, 'The given fields replace the stored ones.')

export const NotificationConfig = Type.Object({
  useNotificationService: Type.Boolean(),
  notificationServiceConfig: Type.Object({
    triggers: Type.Object({ comment: CommentTriggers, huddle: HuddleTriggers }, { description: TRIGGERS }),
    delayConfig: Type.Object(delay, { description: DELAY }),
    batchConfig: Type.Object({ document: NotificationBatch, user: NotificationBatch }, { description: BATCH }),
  }),
})
export type NotificationConfig = Type.Static<typeof NotificationConfig>

export const NotificationServiceConfig = optional(
  {
    triggers: optional({ comment: CommentTriggers, huddle: HuddleTriggers }, TRIGGERS),
    delayConfig: optional(delay, DELAY),
    batchConfig: optional({ document: NotificationBatchChange, user: NotificationBatchChange }, BATCH),
  },
  'The given fields replace the stored ones, at every depth.',
)

export const getNotificationConfig = operation({
  name: 'notification-config.get',
  path: '/v2/workspace/notificationconfig/get',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Get the notification settings',
  description:
    'Returns whether the API key has notifications, and which acts on comments notify. Initially the service, the delay and both digests are off, and there are no triggers.',
  data: ClosedObject({}),
  result: NotificationConfig,
  success: 'Notification settings retrieved successfully.',
  example: {},
})

export const updateNotificationConfig = operation({
  name: 'notification-config.update',
  path: '/v2/workspace/notificationconfig/update',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Change the notification settings',
  description:
    'Changes the given fields, at least one, at every depth; the others keep their values. `useNotificationService: true` without stored triggers first switches on all triggers except those of suggestions. Returns all settings as they are now.',
  data: ClosedObject(
    {
      useNotificationService: Type.Optional(Type.Boolean()),
      notificationServiceConfig: Type.Optional(NotificationServiceConfig),
    },
    { minProperties: 1 },
  ),
  result: NotificationConfig,
  success: 'Notification settings updated successfully.',
  example: {
    useNotificationService: true,
    notificationServiceConfig: { delayConfig: { isEnabled: true, delaySeconds: 60 } },
  },
})

export const NOTIFICATION_CONFIG_OPERATIONS = [getNotificationConfig, updateNotificationConfig]
