/** What an administrator should look at without searching: on request, and by mail once a week. */
import type { CreateFeature } from '#kernel'
import { createFindings } from './operations.ts'
import { findingRoutes } from './routes.ts'
import { weeklyPages } from './weekly/subscription.ts'
import { startWeekly } from './weekly/weekly.ts'

export const findings: CreateFeature = (kernel) => {
  const operations = kernel.use(createFindings)
  // Its operators are in the home database.
  const weekly = kernel.bucket === undefined ? startWeekly(kernel, operations) : undefined
  return {
    routes(routes, pipeline) {
      findingRoutes(routes, operations)
      if (kernel.bucket === undefined) weeklyPages(kernel, pipeline)
    },
    ...(weekly !== undefined && { workers: [weekly], stop: weekly.stop }),
  }
}
