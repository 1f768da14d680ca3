/** Auth tokens, and the check of API key and auth token. */
import {
  createAuthToken,
  getAuthTokens,
  listAuthTokens,
  resetAuthToken,
  revokeAuthToken,
} from '#contract/keys/auth-tokens.ts'
import type { CreateFeature } from '#kernel'
import { createAuthTokens } from './operations.ts'

export const authTokens: CreateFeature = (kernel) => {
  const authTokens = kernel.use(createAuthTokens)
  return {
    routes(routes) {
      routes.withKeyOfWorkspace(getAuthTokens, async (caller, data) => ({ data: await authTokens.get(caller, data) }))
      routes.withKeyOfWorkspace(listAuthTokens, async (caller, data) => ({ data: await authTokens.list(caller, data) }))
      routes.withKeyOfWorkspace(resetAuthToken, async (caller, data) => ({
        data: await authTokens.reset(caller, data),
      }))
      routes.withKeyOfWorkspace(createAuthToken, async (caller, data) => ({
        data: await authTokens.create(caller, data),
      }))
      routes.withKeyOfWorkspace(revokeAuthToken, async (caller, data) => {
        await authTokens.revoke(caller, data)
        return undefined
      })
    },
    credentials: { apiKey: authTokens.lookUp, keyOfWorkspace: authTokens.keyOfWorkspace },
    coalescers: authTokens.coalescers,
  }
}
