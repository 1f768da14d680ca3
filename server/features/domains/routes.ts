/** Routes of the allowed domain operations. */
import { addDomains, deleteDomains, getDomains } from '#contract/domains.ts'
import type { Routes } from '#http/route.ts'
import type { Domains } from './operations.ts'

export function domainRoutes(routes: Routes, domains: Domains): void {
  routes.withApiKey(addDomains, async (caller, data) => ({ data: await domains.add(caller, data) }))
  routes.withApiKey(deleteDomains, async (caller, data) => ({ data: await domains.delete(caller, data) }))
  routes.withApiKey(getDomains, async (caller) => ({ data: await domains.get(caller) }))
}
