/** The allowed domains of an API key, and requests for others. */
import type { CreateFeature } from '#kernel'
import { createDomains } from './operations.ts'
import { createDomainRequests } from './requests.ts'
import { domainRoutes } from './routes.ts'

export const domains: CreateFeature = ({ db }) => ({
  routes: (routes) => domainRoutes(routes, createDomains(db), createDomainRequests(db)),
})
