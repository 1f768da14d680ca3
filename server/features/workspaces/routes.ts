/** Routes of the workspace operations. */
import { createWorkspace, getWorkspace } from '#contract/workspace/workspaces.ts'
import type { Routes } from '#http/route.ts'
import { publicByDefault } from '#tenancy/public-access.ts'
import type { Workspaces } from './operations.ts'

export function workspaceRoutes(routes: Routes, workspaces: Workspaces): void {
  routes.withoutCredentials(createWorkspace, workspaces.admit, async (caller, data) => ({
    data: await workspaces.create(caller, data),
    ...publicByDefault({ defaultAccessType: data.defaultDocumentAccessType ?? 'public', defaultAccessRole: 'editor' }),
  }))
  routes.withWorkspace(getWorkspace, async (caller) => ({ data: await workspaces.get(caller) }))
}
