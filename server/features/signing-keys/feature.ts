/** The key pairs that sign user tokens, and the set of public keys. */
import type { CreateFeature } from '#kernel'
import { createSigningKeys } from './operations.ts'
import { signingKeyRoutes } from './routes.ts'

export const signingKeys: CreateFeature = (kernel) => ({
  routes: (routes, pipeline) => signingKeyRoutes(routes, pipeline, kernel.use(createSigningKeys)),
})
