/** The operators of workspaces: the people who manage them. */
import type { CreateFeature } from '#kernel'
import { createOperators } from './operations.ts'
import { operatorRoutes } from './routes.ts'

export const operators: CreateFeature = (kernel) => {
  const operations = kernel.use(createOperators)
  return { routes: (routes) => operatorRoutes(routes, operations) }
}
