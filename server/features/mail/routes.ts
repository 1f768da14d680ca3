/** Operations of mail, each to its function. */
import { testEmailConfig } from '#contract/service-configs.ts'
import type { Routes } from '#http/route.ts'
import type { Mail } from './operations.ts'

export function mailRoutes(routes: Routes, mail: Mail): void {
  routes.withApiKey(testEmailConfig, async (caller, data) => ({ data: await mail.test(caller, data) }))
}
