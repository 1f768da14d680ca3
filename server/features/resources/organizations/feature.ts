/** Organizations. */
import {
  addOrganizations,
  deleteOrganizations,
  disableOrganizations,
  getOrganizations,
  updateOrganizations,
} from '#contract/resources/organizations.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { createOrganizations, type Organizations } from './operations.ts'

export const organizations: CreateFeature = (kernel) => ({
  routes: (routes) => organizationRoutes(routes, createOrganizations(kernel)),
})

function organizationRoutes(routes: Routes, organizations: Organizations): void {
  routes.withApiKey(addOrganizations, async (caller, data) => ({ data: await organizations.add(caller, data) }))
  routes.withApiKey(getOrganizations, (caller, data) => organizations.get(caller, data))
  routes.withApiKey(updateOrganizations, async (caller, data) => ({ data: await organizations.update(caller, data) }))
  routes.withApiKey(disableOrganizations, (caller, data) => organizations.disable(caller, data))
  routes.withApiKey(deleteOrganizations, async (caller, data) => ({ data: await organizations.delete(caller, data) }))
}
