/** Notifications inside an app, and the preferences of users. */
import {
  addNotification,
  deleteNotifications,
  getNotifications,
  updateNotifications,
} from '#contract/notifications/notifications.ts'
import { getNotificationPreferences, setNotificationPreferences } from '#contract/notifications/preferences.ts'
import type { CreateFeature } from '#kernel'
import { createNotifications } from './operations.ts'
import { createNotificationPreferences } from './preferences.ts'

export const notifications: CreateFeature = (kernel) => ({
  routes(routes) {
    const notifications = kernel.use(createNotifications)
    const preferences = createNotificationPreferences(kernel)
    routes.withApiKey(addNotification, async (caller, data) => {
      await notifications.add(caller, data)
      return { data: { success: true as const, message: addNotification.success } }
    })
    routes.withApiKeyOrUser(getNotifications, (caller, data) => notifications.get(caller, data))
    routes.withApiKeyOrUser(updateNotifications, async (caller, data) => ({
      data: await notifications.update(caller, data),
    }))
    routes.withApiKey(deleteNotifications, (caller, data) => notifications.delete(caller, data))
    routes.withApiKeyOrUser(setNotificationPreferences, async (caller, data) => ({
      data: await preferences.set(caller, data),
    }))
    routes.withApiKeyOrUser(getNotificationPreferences, async (caller, data) => ({
      data: await preferences.get(caller, data),
    }))
  },
})
