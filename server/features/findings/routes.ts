/** The routes of findings. */
import { listAccountFindings, listFindings } from '#contract/access/findings.ts'
import type { Routes } from '#http/route.ts'
import type { Findings } from './operations.ts'

export function findingRoutes(routes: Routes, findings: Findings): void {
  routes.withApiKey(listFindings, async (caller, data) => ({ data: await findings.list(caller, data) }))
  routes.withWorkspace(listAccountFindings, async (caller) => {
    const { findings: found, ...warned } = await findings.ofWorkspace(caller)
    return { data: { findings: found }, ...warned }
  })
}
