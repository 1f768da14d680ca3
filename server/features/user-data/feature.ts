/** The data held about users: reading it, and erasing it by a durable job. */
import { deleteUserData, getUserData, getUserDataDeletion } from '#contract/users/user-data.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { startUserData, type UserData } from './operations.ts'

export const userData: CreateFeature = (kernel) => {
  const operations = startUserData(kernel)
  return {
    routes: (routes) => userDataRoutes(routes, operations),
    workers: [operations.worker],
    stop: operations.worker.stop,
  }
}

function userDataRoutes(routes: Routes, userData: UserData): void {
  routes.withApiKey(deleteUserData, async (caller, data) => ({ data: await userData.delete(caller, data) }))
  routes.withApiKey(getUserDataDeletion, async (caller, data) => ({ data: await userData.getDeletion(caller, data) }))
  routes.withApiKey(getUserData, (caller, data) => userData.get(caller, data))
}
