/** Revoking all access of users who leave: a preview, and a durable job. */
import { getUserAccessRevocation, revokeUserAccess } from '#contract/users/user-access.ts'
import type { CreateFeature } from '#kernel'
import { startUserAccess } from './operations.ts'

export const userAccess: CreateFeature = (kernel) => {
  const userAccess = startUserAccess(kernel)
  return {
    routes(routes) {
      routes.withApiKey(revokeUserAccess, (caller, data) => userAccess.revoke(caller, data))
      routes.withApiKey(getUserAccessRevocation, async (caller, data) => ({
        data: await userAccess.getRevocation(caller, data),
      }))
    },
    workers: [userAccess.worker],
    stop: userAccess.worker.stop,
  }
}
