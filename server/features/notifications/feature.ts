/** Notifications inside an app, and the preferences of users. */
import type { CreateFeature } from '#kernel'
import { createNotifications } from './operations.ts'
import { createNotificationPreferences } from './preferences.ts'
import { notificationRoutes } from './routes.ts'

export const notifications: CreateFeature = (kernel) => ({
  routes: (routes) =>
    notificationRoutes(routes, kernel.use(createNotifications), createNotificationPreferences(kernel)),
})
