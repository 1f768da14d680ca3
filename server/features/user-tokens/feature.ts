/** User tokens: signing, checking and revoking them. */
import type { CreateFeature } from '#kernel'
import { userTokenCheck } from './check.ts'
import { createUserTokens } from './operations.ts'
import { userTokenRoutes } from './routes.ts'

export const userTokens: CreateFeature = (kernel) => {
  const check = kernel.use(userTokenCheck)
  return {
    routes: (routes) => userTokenRoutes(routes, createUserTokens(kernel), check),
    credentials: { userToken: check.lookUp },
    coalescers: check.coalescers,
  }
}
