/** Operations of the access of users, each to its function. */
import { getUserAccessRevocation, revokeUserAccess } from '#contract/users/user-access.ts'
import type { Routes } from '#http/route.ts'
import type { UserAccess } from './operations.ts'

export function userAccessRoutes(routes: Routes, userAccess: UserAccess): void {
  routes.withApiKey(revokeUserAccess, (caller, data) => userAccess.revoke(caller, data))
  routes.withApiKey(getUserAccessRevocation, async (caller, data) => ({
    data: await userAccess.getRevocation(caller, data),
  }))
}
