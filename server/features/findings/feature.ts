/** What an administrator should look at without searching: on request, and by mail once a week. */
import { listAccountFindings, listFindings } from '#contract/access/findings.ts'
import type { CreateFeature } from '#kernel'
import { createAccountFindings } from './account.ts'
import { createFindings } from './operations.ts'
import { weeklyPages } from './weekly/subscription.ts'
import { startWeekly } from './weekly/weekly.ts'

export const findings: CreateFeature = (kernel) => {
  const findings = kernel.use(createFindings)
  const accountFindings = kernel.use(createAccountFindings)
  // Its operators are in the home database.
  const weekly = kernel.bucket === undefined ? startWeekly(kernel, accountFindings) : undefined
  return {
    routes(routes, pipeline) {
      routes.withApiKey(listFindings, async (caller, data) => ({ data: await findings.list(caller, data) }))
      routes.withWorkspace(listAccountFindings, async (caller) => {
        const { findings: found, ...warned } = await accountFindings.list(caller)
        return { data: { findings: found }, ...warned }
      })
      if (kernel.bucket === undefined) weeklyPages(kernel, pipeline)
    },
    ...(weekly !== undefined && { workers: [weekly], stop: weekly.stop }),
  }
}
