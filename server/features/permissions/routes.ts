/** Routes of the permission operations. */
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { simulatePermissions } from '#contract/access/simulations.ts'
import type { Routes } from '#http/route.ts'
import { publicWarnings } from '#tenancy/public-access.ts'
import type { Decisions } from './checks/decisions.ts'
import { type Explanations, publicIn } from './explanations/explanations.ts'
import type { Grants } from './grants/grants.ts'
import type { Permissions } from './grants/operations.ts'
import type { InsideLists } from './lists/inside/lists.ts'
import type { AccessLists } from './lists/lists.ts'
import type { Simulations } from './simulations/simulations.ts'

interface Parts {
  permissions: Permissions
  decisions: Decisions
  explanations: Explanations
  lists: AccessLists
  insideLists: InsideLists
  simulations: Simulations
  grants: Grants
}

export function permissionRoutes(
  routes: Routes,
  { permissions, decisions, explanations, lists, insideLists, simulations, grants }: Parts,
): void {
  routes.withApiKey(addPermissions, (caller, data) => permissions.add(caller, data))
  routes.withApiKey(removePermissions, async (caller, data) => {
    await permissions.remove(caller, data)
    return undefined
  })
  const check = async (...asked: Parameters<Decisions['check']>) => ({
    data: { checks: await decisions.check(...asked) },
  })
  const early = { beginsEarly: true }
  routes.withApiKeyOrUser(getPermissions, async (caller, data) => ({ data: await decisions.get(caller, data) }), early)
  routes.withApiKeyOrUser(checkPermissions, check, early)
  routes.withApiKey(explainPermissions, async (caller, data) => {
    const explanation = await explanations.explain(caller, data)
    return { data: explanation, ...publicWarnings(caller, publicIn(explanation, data.resource)) }
  })
  routes.withApiKey(listPermittedResources, (caller, data) => lists.resources(caller, data))
  routes.withApiKey(listPermittedUsers, (caller, data) =>
    data.inside ? insideLists.users(caller, data) : lists.users(caller, data),
  )
  routes.withApiKey(simulatePermissions, (caller, data) => simulations.simulate(caller, data))
  routes.withApiKey(listGrants, (caller, data) => grants.list(caller, data))
  routes.withApiKey(addGrants, (caller, data) => grants.add(caller, data))
}
