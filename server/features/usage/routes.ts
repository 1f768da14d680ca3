/** The routes of usage. */
import { getUsage, listAccountUsage } from '#contract/usage/usage.ts'
import type { Routes } from '#http/route.ts'
import type { UsageReads } from './operations.ts'

export function usageRoutes(routes: Routes, usage: UsageReads): void {
  routes.withApiKey(getUsage, async (caller, data) => ({ data: await usage.get(caller, data) }))
  routes.withWorkspace(listAccountUsage, (caller, data) => usage.ofWorkspace(caller, data))
}
