/** Auth tokens, and the check of API key and auth token. */
import type { CreateFeature } from '#kernel'
import { createAuthTokens } from './operations.ts'
import { authTokenRoutes } from './routes.ts'

export const authTokens: CreateFeature = (kernel) => {
  const operations = kernel.use(createAuthTokens)
  return {
    routes: (routes) => authTokenRoutes(routes, operations),
    credentials: { apiKey: operations.lookUp, keyOfWorkspace: operations.keyOfWorkspace },
    coalescers: operations.coalescers,
  }
}
