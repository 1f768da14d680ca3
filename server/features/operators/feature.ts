/** The operators of workspaces: the people who manage them. */
import { getOperators, inviteOperator, removeOperator, updateOperator } from '#contract/workspace/operators.ts'
import type { CreateFeature } from '#kernel'
import { createOperators } from './operations.ts'

export const operators: CreateFeature = (kernel) => {
  const operators = kernel.use(createOperators)
  return {
    routes(routes) {
      routes.withWorkspace(getOperators, async (caller) => ({ data: await operators.get(caller) }))
      routes.withWorkspace(inviteOperator, async (caller, data) => ({ data: await operators.invite(caller, data) }))
      routes.withWorkspace(updateOperator, (caller, data) => operators.update(caller, data))
      routes.withWorkspace(removeOperator, async (caller, data) => {
        await operators.remove(caller, data)
        return undefined
      })
    },
  }
}
