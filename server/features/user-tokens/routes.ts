/** Routes of the user token operations. */
import { generateToken, revokeTokens, verifyToken } from '#contract/users/user-tokens.ts'
import type { Routes } from '#http/route.ts'
import type { UserTokenCheck } from './check.ts'
import type { UserTokens } from './operations.ts'

export function userTokenRoutes(routes: Routes, userTokens: UserTokens, check: UserTokenCheck): void {
  routes.withApiKey(generateToken, (caller, data) => userTokens.generate(caller, data))
  routes.withApiKey(verifyToken, async (caller, data) => ({ data: await check.verify(caller, data) }))
  routes.withApiKey(revokeTokens, async (caller, data) => {
    await userTokens.revoke(caller, data)
    return undefined
  })
}
