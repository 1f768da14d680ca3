/** Activities: records of who did what on documents. */
import { addActivities, deleteActivities, getActivities, updateActivities } from '#contract/activities/activities.ts'
import type { CreateFeature } from '#kernel'
import { createActivities } from './operations.ts'

export const activities: CreateFeature = (kernel) => ({
  routes(routes) {
    const activities = createActivities(kernel)
    routes.withApiKey(addActivities, async (caller, data) => {
      await activities.add(caller, data)
      return { data: { success: true as const, message: addActivities.success } }
    })
    routes.withApiKeyOrUser(getActivities, (caller, data) => activities.get(caller, data))
    routes.withApiKey(updateActivities, async (caller, data) => ({ data: await activities.update(caller, data) }))
    routes.withApiKey(deleteActivities, (caller, data) => activities.delete(caller, data))
  },
})
