/** User groups. */
import type { CreateFeature } from '#kernel'
import { createUserGroups } from './operations.ts'
import { userGroupRoutes } from './routes.ts'

export const userGroups: CreateFeature = (kernel) => ({
  routes: (routes) => userGroupRoutes(routes, createUserGroups(kernel)),
})
