/** The allowed domains of an API key. */
import type { CreateFeature } from '#kernel'
import { createDomains } from './operations.ts'
import { domainRoutes } from './routes.ts'

export const domains: CreateFeature = ({ db }) => ({
  routes: (routes) => domainRoutes(routes, createDomains(db)),
})
