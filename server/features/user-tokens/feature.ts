/** User tokens: signing, checking and revoking them. */
import type { CreateFeature } from '#kernel'
import { createUserTokenCheck } from './check.ts'
import { createUserTokens } from './operations.ts'
import { userTokenRoutes } from './routes.ts'

export const userTokens: CreateFeature = (kernel) => {
  const check = createUserTokenCheck(kernel.db, kernel.publicUrl)
  return {
    routes: (routes) => userTokenRoutes(routes, createUserTokens(kernel), check),
    credentials: { userToken: check.lookUp },
    coalescers: check.coalescers,
  }
}
