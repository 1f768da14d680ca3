/** Routes of the operator operations. */
import { getOperators, inviteOperator, removeOperator, updateOperator } from '#contract/workspace/operators.ts'
import type { Routes } from '#http/route.ts'
import type { Operators } from './operations.ts'

export function operatorRoutes(routes: Routes, operators: Operators): void {
  routes.withWorkspace(getOperators, async (caller) => ({ data: await operators.get(caller) }))
  routes.withWorkspace(inviteOperator, async (caller, data) => ({ data: await operators.invite(caller, data) }))
  routes.withWorkspace(updateOperator, (caller, data) => operators.update(caller, data))
  routes.withWorkspace(removeOperator, async (caller, data) => {
    await operators.remove(caller, data)
    return undefined
  })
}
