/** Workspaces: sign-up and token checks. */
import type { CreateFeature } from '#kernel'
import { createWorkspaces } from './operations.ts'
import { workspaceRoutes } from './routes.ts'

export const workspaces: CreateFeature = (kernel) => {
  const operations = kernel.use(createWorkspaces)
  return {
    routes: (routes) => workspaceRoutes(routes, operations),
    credentials: { workspace: operations.lookUp },
    coalescers: operations.coalescers,
  }
}
