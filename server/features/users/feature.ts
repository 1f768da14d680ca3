/** Users and their profiles. */
import type { CreateFeature } from '#kernel'
import { createDisabling } from './disabling.ts'
import { createUsers } from './operations.ts'
import { createProfiles } from './profiles.ts'
import { userRoutes } from './routes.ts'

export const users: CreateFeature = (kernel) => ({
  routes: (routes) => userRoutes(routes, createUsers(kernel), createProfiles(kernel), createDisabling(kernel)),
})
