/** The data held about users: reading it, and erasing it by a durable job. */
import type { CreateFeature } from '#kernel'
import { startUserData } from './operations.ts'
import { userDataRoutes } from './routes.ts'

export const userData: CreateFeature = (kernel) => {
  const operations = startUserData(kernel)
  return {
    routes: (routes) => userDataRoutes(routes, operations),
    workers: [operations.worker],
    stop: operations.worker.stop,
  }
}
