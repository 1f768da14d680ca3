/** The operators of workspaces: the people who manage them. */
import { getOperators, inviteOperator, removeOperator, updateOperator } from '#contract/workspace/operators.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { createOperators, type Operators } from './operations.ts'

export const operators: CreateFeature = (kernel) => {
  const operations = kernel.use(createOperators)
  return { routes: (routes) => operatorRoutes(routes, operations) }
}

function operatorRoutes(routes: Routes, operators: Operators): void {
  routes.withWorkspace(getOperators, async (caller) => ({ data: await operators.get(caller) }))
  routes.withWorkspace(inviteOperator, async (caller, data) => ({ data: await operators.invite(caller, data) }))
  routes.withWorkspace(updateOperator, (caller, data) => operators.update(caller, data))
  routes.withWorkspace(removeOperator, async (caller, data) => {
    await operators.remove(caller, data)
    return undefined
  })
}
