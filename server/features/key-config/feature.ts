/** Settings of an API key. */
import type { CreateFeature } from '#kernel'
import { createKeyConfigs } from './operations.ts'
import { keyConfigRoutes } from './routes.ts'

export const keyConfig: CreateFeature = ({ db }) => ({
  routes: (routes) => keyConfigRoutes(routes, createKeyConfigs(db)),
})
