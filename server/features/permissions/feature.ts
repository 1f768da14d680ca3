/** Permissions: grants, their expiry, and access decisions. */
import type { CreateFeature } from '#kernel'
import { createDecisions } from './decisions.ts'
import { startExpiry } from './expiry.ts'
import { createExplanations } from './explanations.ts'
import { createGrants } from './grants.ts'
import { createInsideLists } from './inside-lists.ts'
import { createAccessLists } from './lists.ts'
import { createPermissions } from './operations.ts'
import { permissionRoutes } from './routes.ts'
import { createSimulations } from './simulations.ts'

export const permissions: CreateFeature = (kernel) => {
  const { config, db, log } = kernel
  const operations = createPermissions(db)
  const decisions = kernel.use(createDecisions)
  const lists = createAccessLists(kernel, decisions)
  return {
    routes: (routes) =>
      permissionRoutes(routes, {
        permissions: operations,
        decisions,
        explanations: createExplanations(db),
        lists,
        insideLists: createInsideLists(kernel),
        simulations: createSimulations(kernel),
        grants: createGrants(kernel),
      }),
    coalescers: [...operations.coalescers, ...decisions.coalescers, ...lists.coalescers],
    stop: startExpiry({ db, log, keptDays: config.EXPIRED_GRANTS_KEPT_DAYS }),
  }
}
