/** What is known of users: reading it, and erasing it by a durable job. */
import type { CreateFeature } from '#kernel'
import { startUserData } from './operations.ts'
import { userDataRoutes } from './routes.ts'

export const userData: CreateFeature = async (kernel) => {
  const operations = await startUserData(kernel)
  return {
    routes: (routes) => userDataRoutes(routes, operations),
    stop: operations.stop,
  }
}
