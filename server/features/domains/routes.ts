/** Routes of the operations on allowed and requested domains. */
import { addDomainRequest, getDomainRequests, respondToDomainRequest } from '#contract/keys/domain-requests.ts'
import { addDomains, deleteDomains, getDomains } from '#contract/keys/domains.ts'
import type { Routes } from '#http/route.ts'
import type { Domains } from './operations.ts'
import type { DomainRequests } from './requests.ts'

export function domainRoutes(routes: Routes, domains: Domains, requests: DomainRequests): void {
  routes.withApiKey(addDomains, async (caller, data) => ({ data: await domains.add(caller, data) }))
  routes.withApiKey(deleteDomains, async (caller, data) => ({ data: await domains.delete(caller, data) }))
  routes.withApiKey(getDomains, async (caller) => ({ data: await domains.get(caller) }))
  routes.withApiKey(addDomainRequest, async (caller, data) => ({ data: await requests.add(caller, data) }))
  routes.withApiKey(getDomainRequests, async (caller) => ({ data: await requests.get(caller) }))
  routes.withApiKey(respondToDomainRequest, async (caller, data) => ({ data: await requests.respond(caller, data) }))
}
