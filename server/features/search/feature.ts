/** Search by id, name and e-mail address. */
import type { CreateFeature } from '#kernel'
import { createSearch } from './operations.ts'
import { searchRoutes } from './routes.ts'

export const search: CreateFeature = (kernel) => ({
  routes: (routes) => searchRoutes(routes, createSearch(kernel)),
})
