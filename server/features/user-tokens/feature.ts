/** User tokens: signing, checking and revoking them. */
import { generateToken, revokeTokens, verifyToken } from '#contract/users/user-tokens.ts'
import type { CreateFeature } from '#kernel'
import { userTokenCheck } from './check.ts'
import { createUserTokens } from './operations.ts'

export const userTokens: CreateFeature = (kernel) => {
  const check = kernel.use(userTokenCheck)
  return {
    routes(routes) {
      const userTokens = createUserTokens(kernel)
      routes.withApiKey(generateToken, (caller, data) => userTokens.generate(caller, data))
      routes.withApiKey(verifyToken, async (caller, data) => ({ data: await check.verify(caller, data) }))
      routes.withApiKey(revokeTokens, async (caller, data) => {
        await userTokens.revoke(caller, data)
        return undefined
      })
    },
    credentials: { userToken: check.lookUp },
    coalescers: check.coalescers,
  }
}
