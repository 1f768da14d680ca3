/** What an administrator should look at without searching. It only reads. */
import type { CreateFeature } from '#kernel'
import { createFindings } from './operations.ts'
import { findingRoutes } from './routes.ts'

export const findings: CreateFeature = (kernel) => ({
  routes: (routes) => findingRoutes(routes, createFindings(kernel)),
})
