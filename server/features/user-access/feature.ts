/** Revoking all access of users who leave: a preview, and a durable job. */
import type { CreateFeature } from '#kernel'
import { startUserAccess } from './operations.ts'
import { userAccessRoutes } from './routes.ts'

export const userAccess: CreateFeature = (kernel) => {
  const operations = startUserAccess(kernel)
  return {
    routes: (routes) => userAccessRoutes(routes, operations),
    workers: [operations.worker],
    stop: operations.worker.stop,
  }
}
