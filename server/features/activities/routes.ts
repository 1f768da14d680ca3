/** Routes of activities. */
import { addActivities, deleteActivities, getActivities, updateActivities } from '#contract/activities/activities.ts'
import type { Routes } from '#http/route.ts'
import type { Activities } from './operations.ts'

export function activityRoutes(routes: Routes, activities: Activities): void {
  routes.withApiKey(addActivities, async (caller, data) => {
    await activities.add(caller, data)
    return { data: { success: true as const, message: addActivities.success } }
  })
  routes.withApiKeyOrUser(getActivities, (caller, data) => activities.get(caller, data))
  routes.withApiKey(updateActivities, async (caller, data) => ({ data: await activities.update(caller, data) }))
  routes.withApiKey(deleteActivities, (caller, data) => activities.delete(caller, data))
}
