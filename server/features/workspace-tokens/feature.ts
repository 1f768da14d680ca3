/** Workspace tokens, and the check of workspace and token. */
import type { CreateFeature } from '#kernel'
import { createWorkspaceTokens } from './operations.ts'
import { workspaceTokenRoutes } from './routes.ts'

export const workspaceTokens: CreateFeature = (kernel) => {
  const operations = kernel.use(createWorkspaceTokens)
  return {
    routes: (routes) => workspaceTokenRoutes(routes, operations),
    credentials: { workspace: operations.lookUp },
    coalescers: operations.coalescers,
  }
}
