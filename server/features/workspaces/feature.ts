/** Workspaces and sign-up. */
import { createWorkspace, getWorkspace } from '#contract/workspace/workspaces.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { publicByDefault } from '#tenancy/public-access.ts'
import { createWorkspaces, type Workspaces } from './operations.ts'

export const workspaces: CreateFeature = (kernel) => {
  const operations = kernel.use(createWorkspaces)
  return {
    routes: (routes) => workspaceRoutes(routes, operations),
  }
}

function workspaceRoutes(routes: Routes, workspaces: Workspaces): void {
  routes.withoutCredentials(createWorkspace, workspaces.admit, async (caller, data) => ({
    data: await workspaces.create(caller, data),
    ...publicByDefault({ defaultAccessType: data.defaultDocumentAccessType ?? 'public', defaultAccessRole: 'editor' }),
  }))
  routes.withWorkspace(getWorkspace, async (caller) => ({ data: await workspaces.get(caller) }))
}
