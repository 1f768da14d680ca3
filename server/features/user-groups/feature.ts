/** User groups. */
import {
  addUserGroups,
  addUserGroupUsers,
  deleteUserGroups,
  deleteUserGroupUsers,
  getUserGroups,
  updateUserGroups,
} from '#contract/users/user-groups.ts'
import type { CreateFeature } from '#kernel'
import { createUserGroups } from './operations.ts'

export const userGroups: CreateFeature = (kernel) => ({
  routes(routes) {
    const userGroups = createUserGroups(kernel)
    routes.withApiKey(addUserGroups, async (caller, data) => ({ data: await userGroups.add(caller, data) }))
    routes.withApiKey(getUserGroups, (caller, data) => userGroups.get(caller, data))
    routes.withApiKey(updateUserGroups, async (caller, data) => ({ data: await userGroups.update(caller, data) }))
    routes.withApiKey(deleteUserGroups, async (caller, data) => ({ data: await userGroups.delete(caller, data) }))
    routes.withApiKey(addUserGroupUsers, (caller, data) => userGroups.addUsers(caller, data))
    routes.withApiKey(deleteUserGroupUsers, async (caller, data) => ({
      data: await userGroups.deleteUsers(caller, data),
    }))
  },
})
