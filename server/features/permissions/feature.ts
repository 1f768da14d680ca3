/** Permissions: grants, their expiry, and access decisions. */
import type { CreateFeature } from '#kernel'
import { createDecisions } from './checks/decisions.ts'
import { startExpiry } from './expiry/expiry.ts'
import { createExplanations } from './explanations/explanations.ts'
import { createGrants } from './grants/grants.ts'
import { createPermissions } from './grants/operations.ts'
import { createInsideLists } from './lists/inside/lists.ts'
import { createAccessLists } from './lists/lists.ts'
import { permissionRoutes } from './routes.ts'
import { createSimulations } from './simulations/simulations.ts'

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
