/** Revoking all access of users who leave: a preview, and a durable job. */
import { getUserAccessRevocation, revokeUserAccess } from '#contract/users/user-access.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { startUserAccess, type UserAccess } from './operations.ts'

export const userAccess: CreateFeature = (kernel) => {
  const operations = startUserAccess(kernel)
  return {
    routes: (routes) => userAccessRoutes(routes, operations),
    workers: [operations.worker],
    stop: operations.worker.stop,
  }
}

function userAccessRoutes(routes: Routes, userAccess: UserAccess): void {
  routes.withApiKey(revokeUserAccess, (caller, data) => userAccess.revoke(caller, data))
  routes.withApiKey(getUserAccessRevocation, async (caller, data) => ({
    data: await userAccess.getRevocation(caller, data),
  }))
}
