/** Permissions: grants, their expiry, and access decisions. */
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { simulatePermissions } from '#contract/access/simulations.ts'
import type { CreateFeature } from '#kernel'
import { publicWarnings } from '#tenancy/public-access.ts'
import { createDecisions, type Decisions } from './checks/decisions.ts'
import { startExpiry } from './expiry/expiry.ts'
import { createExplanations, publicIn } from './explanations/explanations.ts'
import { createGrants } from './grants/grants.ts'
import { createPermissions } from './grants/operations.ts'
import { createInsideLists } from './lists/inside/lists.ts'
import { createAccessLists } from './lists/lists.ts'
import { createSimulations } from './simulations/simulations.ts'

export const permissions: CreateFeature = (kernel) => {
  const { config, db } = kernel
  const permissions = createPermissions(db)
  const decisions = kernel.use(createDecisions)
  const lists = createAccessLists(kernel, decisions)
  const simulations = createSimulations(kernel)
  return {
    routes(routes) {
      const explanations = createExplanations(db, simulations.countUsers)
      const insideLists = createInsideLists(kernel)
      const grants = createGrants(kernel)
      routes.withApiKey(addPermissions, (caller, data) => permissions.add(caller, data))
      routes.withApiKey(removePermissions, async (caller, data) => {
        await permissions.remove(caller, data)
        return undefined
      })
      const get = async (...asked: Parameters<Decisions['get']>) => ({ data: await decisions.get(...asked) })
      const check = async (...asked: Parameters<Decisions['check']>) => ({
        data: { checks: await decisions.check(...asked) },
      })
      const early = { beginsEarly: true }
      routes.withApiKeyOrUser(getPermissions, get, early)
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
    },
    coalescers: [...permissions.coalescers, ...decisions.coalescers, ...lists.coalescers],
    stop: startExpiry({ ...kernel, keptDays: config.EXPIRED_GRANTS_KEPT_DAYS }),
  }
}
