/** Workspaces and sign-up. */
import type { CreateFeature } from '#kernel'
import { createWorkspaces } from './operations.ts'
import { workspaceRoutes } from './routes.ts'

export const workspaces: CreateFeature = (kernel) => {
  const operations = kernel.use(createWorkspaces)
  return {
    routes: (routes) => workspaceRoutes(routes, operations),
  }
}
