/** The data held about users: reading it, and erasing it by a durable job. */
import { deleteUserData, getUserData, getUserDataDeletion } from '#contract/users/user-data.ts'
import type { CreateFeature } from '#kernel'
import { startUserData } from './operations.ts'

export const userData: CreateFeature = (kernel) => {
  const userData = startUserData(kernel)
  return {
    routes(routes) {
      routes.withApiKey(deleteUserData, async (caller, data) => ({ data: await userData.delete(caller, data) }))
      routes.withApiKey(getUserDataDeletion, async (caller, data) => ({
        data: await userData.getDeletion(caller, data),
      }))
      routes.withApiKey(getUserData, (caller, data) => userData.get(caller, data))
    },
    workers: [userData.worker],
    stop: userData.worker.stop,
  }
}
