/** Organizations. */
import type { CreateFeature } from '#kernel'
import { createOrganizations } from './operations.ts'
import { organizationRoutes } from './routes.ts'

export const organizations: CreateFeature = (kernel) => ({
  routes: (routes) => organizationRoutes(routes, createOrganizations(kernel)),
})
