/** Operations of organizations, each to its function. */
import { addOrganizations, getOrganizations } from '#contract/organizations.ts'
import type { Routes } from '#http/route.ts'
import type { Organizations } from './operations.ts'

export function organizationRoutes(routes: Routes, organizations: Organizations): void {
  routes.withApiKey(addOrganizations, async (caller, data) => ({ data: await organizations.add(caller, data) }))
  routes.withApiKey(getOrganizations, (caller, data) => organizations.get(caller, data))
}
