/** What an administrator should look at without searching: on request, and by mail once a week. */
import { listAccountFindings, listFindings } from '#contract/access/findings.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { createFindings, type Findings } from './operations.ts'
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

function findingRoutes(routes: Routes, findings: Findings): void {
  routes.withApiKey(listFindings, async (caller, data) => ({ data: await findings.list(caller, data) }))
  routes.withWorkspace(listAccountFindings, async (caller) => {
    const { findings: found, ...warned } = await findings.ofWorkspace(caller)
    return { data: { findings: found }, ...warned }
  })
}
