/** What an administrator should look at without searching: on request, and by mail once a week. */
import type { CreateFeature } from '#kernel'
import { createFindings } from './operations.ts'
import { findingRoutes } from './routes.ts'
import { weeklyPages } from './weekly/subscription.ts'
import { startWeekly } from './weekly/weekly.ts'

export const findings: CreateFeature = (kernel) => {
  const operations = createFindings(kernel)
  const weekly = startWeekly(kernel, operations)
  return {
    routes(routes, pipeline) {
      findingRoutes(routes, operations)
      weeklyPages(kernel, pipeline)
    },
    ...(weekly !== undefined && { workers: [weekly], stop: weekly.stop }),
  }
}
