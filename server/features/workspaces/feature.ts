/** Workspaces and sign-up. */
import { createWorkspace, getWorkspace } from '#contract/workspace/workspaces.ts'
import type { CreateFeature } from '#kernel'
import { publicByDefault } from '#tenancy/public-access.ts'
import { createWorkspaces } from './operations.ts'

export const workspaces: CreateFeature = (kernel) => {
  const workspaces = kernel.use(createWorkspaces)
  return {
    routes(routes) {
      routes.withoutCredentials(createWorkspace, workspaces.admit, async (caller, data) => ({
        data: await workspaces.create(caller, data),
        ...publicByDefault({
          defaultAccessType: data.defaultDocumentAccessType ?? 'public',
          defaultAccessRole: 'editor',
        }),
      }))
      routes.withWorkspace(getWorkspace, async (caller) => ({ data: await workspaces.get(caller) }))
    },
  }
}
