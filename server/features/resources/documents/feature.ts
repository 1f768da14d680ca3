/** Documents. */
import type { CreateFeature } from '#kernel'
import { createDocuments } from './operations.ts'
import { documentRoutes } from './routes.ts'

export const documents: CreateFeature = (kernel) => {
  const operations = createDocuments(kernel)
  return {
    routes: (routes) => documentRoutes(routes, operations),
    coalescers: operations.coalescers,
  }
}
