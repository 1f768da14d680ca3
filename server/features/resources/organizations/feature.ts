/** Organizations. */
import {
  addOrganizations,
  deleteOrganizations,
  disableOrganizations,
  getOrganizations,
  updateOrganizations,
} from '#contract/resources/organizations.ts'
import type { CreateFeature } from '#kernel'
import { createOrganizations } from './operations.ts'

export const organizations: CreateFeature = (kernel) => ({
  routes(routes) {
    const organizations = createOrganizations(kernel)
    routes.withApiKey(addOrganizations, async (caller, data) => ({ data: await organizations.add(caller, data) }))
    routes.withApiKey(getOrganizations, (caller, data) => organizations.get(caller, data))
    routes.withApiKey(updateOrganizations, async (caller, data) => ({ data: await organizations.update(caller, data) }))
    routes.withApiKey(disableOrganizations, (caller, data) => organizations.disable(caller, data))
    routes.withApiKey(deleteOrganizations, async (caller, data) => ({ data: await organizations.delete(caller, data) }))
  },
})
