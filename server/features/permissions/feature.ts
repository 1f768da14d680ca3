/** Permissions: grants, their expiry, and access decisions. */
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { simulatePermissions } from '#contract/access/simulations.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { publicWarnings } from '#tenancy/public-access.ts'
import { createDecisions, type Decisions } from './checks/decisions.ts'
import { startExpiry } from './expiry/expiry.ts'
import { createExplanations, type Explanations, publicIn } from './explanations/explanations.ts'
import { createGrants, type Grants } from './grants/grants.ts'
import { createPermissions, type Permissions } from './grants/operations.ts'
import { createInsideLists, type InsideLists } from './lists/inside/lists.ts'
import { type AccessLists, createAccessLists } from './lists/lists.ts'
import { createSimulations, type Simulations } from './simulations/simulations.ts'

export const permissions: CreateFeature = (kernel) => {
  const { config, db } = kernel
  const operations = createPermissions(db)
  const decisions = kernel.use(createDecisions)
  const lists = createAccessLists(kernel, decisions)
  const simulations = createSimulations(kernel)
  return {
    routes: (routes) =>
      permissionRoutes(routes, {
        permissions: operations,
        decisions,
        explanations: createExplanations(db, simulations.simulate),
        lists,
        insideLists: createInsideLists(kernel),
        simulations,
        grants: createGrants(kernel),
      }),
    coalescers: [...operations.coalescers, ...decisions.coalescers, ...lists.coalescers],
    stop: startExpiry({ ...kernel, keptDays: config.EXPIRED_GRANTS_KEPT_DAYS }),
  }
}

interface Parts {
  permissions: Permissions
  decisions: Decisions
  explanations: Explanations
  lists: AccessLists
  insideLists: InsideLists
  simulations: Simulations
  grants: Grants
}

function permissionRoutes(
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
