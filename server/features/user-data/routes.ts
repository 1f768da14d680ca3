/** Operations of the data of users, each to its function. */
import { deleteUserData, getUserData, getUserDataDeletion } from '#contract/users/user-data.ts'
import type { Routes } from '#http/route.ts'
import type { UserData } from './operations.ts'

export function userDataRoutes(routes: Routes, userData: UserData): void {
  routes.withApiKey(deleteUserData, async (caller, data) => ({ data: await userData.delete(caller, data) }))
  routes.withApiKey(getUserDataDeletion, async (caller, data) => ({ data: await userData.getDeletion(caller, data) }))
  routes.withApiKey(getUserData, (caller, data) => userData.get(caller, data))
}
