/** The allowed domains of an API key, and requests for others. */
import { addDomainRequest, getDomainRequests, respondToDomainRequest } from '#contract/keys/domain-requests.ts'
import { addDomains, deleteDomains, getDomains } from '#contract/keys/domains.ts'
import type { CreateFeature } from '#kernel'
import { createDomains } from './operations.ts'
import { createDomainRequests } from './requests.ts'

export const domains: CreateFeature = ({ db }) => ({
  routes(routes) {
    const domains = createDomains(db)
    const requests = createDomainRequests(db)
    routes.withApiKey(addDomains, async (caller, data) => ({ data: await domains.add(caller, data) }))
    routes.withApiKey(deleteDomains, async (caller, data) => ({ data: await domains.delete(caller, data) }))
    routes.withApiKey(getDomains, async (caller) => ({ data: await domains.get(caller) }))
    routes.withApiKey(addDomainRequest, async (caller, data) => ({ data: await requests.add(caller, data) }))
    routes.withApiKey(getDomainRequests, async (caller) => ({ data: await requests.get(caller) }))
    routes.withApiKey(respondToDomainRequest, async (caller, data) => ({ data: await requests.respond(caller, data) }))
  },
})
