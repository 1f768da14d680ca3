/** Settings of an API key. */
import type { CreateFeature } from '#kernel'
import { createKeyConfigs } from './operations.ts'
import { keyConfigRoutes } from './routes.ts'

export const keyConfig: CreateFeature = (kernel) => ({
  routes: (routes) => keyConfigRoutes(routes, createKeyConfigs(kernel)),
})
