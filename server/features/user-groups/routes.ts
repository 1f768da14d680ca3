/** Routes of the user group operations. */
import {
  addUserGroups,
  addUserGroupUsers,
  deleteUserGroups,
  deleteUserGroupUsers,
  getUserGroups,
  updateUserGroups,
} from '#contract/users/user-groups.ts'
import type { Routes } from '#http/route.ts'
import type { UserGroups } from './operations.ts'

export function userGroupRoutes(routes: Routes, userGroups: UserGroups): void {
  routes.withApiKey(addUserGroups, async (caller, data) => ({ data: await userGroups.add(caller, data) }))
  routes.withApiKey(getUserGroups, (caller, data) => userGroups.get(caller, data))
  routes.withApiKey(updateUserGroups, async (caller, data) => ({ data: await userGroups.update(caller, data) }))
  routes.withApiKey(deleteUserGroups, async (caller, data) => ({ data: await userGroups.delete(caller, data) }))
  routes.withApiKey(addUserGroupUsers, (caller, data) => userGroups.addUsers(caller, data))
  routes.withApiKey(deleteUserGroupUsers, async (caller, data) => ({
    data: await userGroups.deleteUsers(caller, data),
  }))
}
