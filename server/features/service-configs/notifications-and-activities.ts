/**
 * The settings of notifications and activities: their defaults, and the settings that switching them on for the first
 * time adds (rules/keys.md#notifications-and-activities).
 */
import { COMMENT_TRIGGERS, HUDDLE_TRIGGERS, STANDARD_COMMENT_TRIGGERS } from '#contract/comments/triggers.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { ActivityConfig, updateActivityConfig } from '#contract/keys/activity-config.ts'
import type { NotificationConfig, updateNotificationConfig } from '#contract/keys/notification-config.ts'
import type { Db } from '#platform/db/db.ts'
import { createNestedSettings, mergedDeeply } from './nested-settings.ts'
import { ACTIVITY_STATEMENTS, NOTIFICATION_STATEMENTS } from './statements.ts'

type GivenNotifications = DataOf<typeof updateNotificationConfig>

const BATCH = { isEnabled: false, batchWindowSeconds: 10, maxActivities: 2 }
const UNSET_NOTIFICATIONS: NotificationConfig = {
  useNotificationService: false,
  notificationServiceConfig: {
    triggers: { comment: {}, huddle: {} },
    delayConfig: { isEnabled: false, delaySeconds: 10 },
    batchConfig: { document: BATCH, user: BATCH },
  },
}

const all = (names: readonly string[], isOn: boolean) => Object.fromEntries(names.map((name) => [name, isOn]))
const allOn = (names: readonly string[]) => all(names, true)

/** The triggers of a service for comments that is switched on without any. */
export const standardTriggers = () => ({
  comment: allOn(STANDARD_COMMENT_TRIGGERS),
  huddle: allOn(HUDDLE_TRIGGERS),
})

/** The triggers of a service that is switched on without its standard ones. They are stored, because a trigger that is not is on. */
export const triggersOff = () => ({
  comment: all(Object.keys(COMMENT_TRIGGERS), false),
  huddle: all(HUDDLE_TRIGGERS, false),
})

/** The triggers of webhooks that nobody has switched. */
export const webhookTriggers = () => ({
  comment: { ...allOn(STANDARD_COMMENT_TRIGGERS), suggestionAccepted: false, suggestionRejected: false },
  huddle: allOn(HUDDLE_TRIGGERS),
  crdt: false,
  recorder: false,
})

/** Returns all settings of notifications, with the defaults of those that were not given. */
export const notificationConfig = (stored: GivenNotifications | null): NotificationConfig =>
  mergedDeeply(UNSET_NOTIFICATIONS, stored ?? {}) as NotificationConfig

export const activityConfig = (stored: DataOf<typeof updateActivityConfig> | null): ActivityConfig => ({
  activityServiceConfig: { isEnabled: false, ...stored?.activityServiceConfig },
})

export const createNotificationSettings = (db: Db) =>
  createNestedSettings<GivenNotifications>(db, {
    ...NOTIFICATION_STATEMENTS,
    seed: ({ useNotificationService }, stored) =>
      useNotificationService && stored?.notificationServiceConfig?.triggers === undefined
        ? { notificationServiceConfig: { triggers: standardTriggers() } }
        : {},
  })

export const createActivitySettings = (db: Db) =>
  createNestedSettings<DataOf<typeof updateActivityConfig>>(db, {
    ...ACTIVITY_STATEMENTS,
    seed: ({ activityServiceConfig: { isEnabled } }, stored, nowMs) =>
      isEnabled && stored === null
        ? {
            activityServiceConfig: {
              enabledTime: nowMs,
              immutable: true,
              triggers: { comment: allOn(Object.keys(COMMENT_TRIGGERS)) },
            },
          }
        : {},
  })
