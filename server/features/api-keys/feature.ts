/** API keys of a workspace. */
import type { CreateFeature } from '#kernel'
import { createApiKeys } from './operations.ts'
import { apiKeyRoutes } from './routes.ts'

export const apiKeys: CreateFeature = (kernel) => ({
  routes: (routes) => apiKeyRoutes(routes, kernel.use(createApiKeys), kernel.config.SMTP_URL !== undefined),
})
