/** Activities: records of who did what on documents. */
import type { CreateFeature } from '#kernel'
import { createActivities } from './operations.ts'
import { activityRoutes } from './routes.ts'

export const activities: CreateFeature = (kernel) => ({
  routes: (routes) => activityRoutes(routes, createActivities(kernel)),
})
