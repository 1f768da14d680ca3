/** User tokens: signing, checking and revoking them. */
import { generateToken, revokeTokens, verifyToken } from '#contract/users/user-tokens.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { type UserTokenCheck, userTokenCheck } from './check.ts'
import { createUserTokens, type UserTokens } from './operations.ts'

export const userTokens: CreateFeature = (kernel) => {
  const check = kernel.use(userTokenCheck)
  return {
    routes: (routes) => userTokenRoutes(routes, createUserTokens(kernel), check),
    credentials: { userToken: check.lookUp },
    coalescers: check.coalescers,
  }
}

function userTokenRoutes(routes: Routes, userTokens: UserTokens, check: UserTokenCheck): void {
  routes.withApiKey(generateToken, (caller, data) => userTokens.generate(caller, data))
  routes.withApiKey(verifyToken, async (caller, data) => ({ data: await check.verify(caller, data) }))
  routes.withApiKey(revokeTokens, async (caller, data) => {
    await userTokens.revoke(caller, data)
    return undefined
  })
}
