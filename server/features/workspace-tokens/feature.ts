/** Workspace tokens, and the check of workspace and token. */
import {
  createWorkspaceToken,
  getCurrentWorkspaceToken,
  getWorkspaceTokens,
  resetWorkspaceToken,
  revokeWorkspaceToken,
} from '#contract/workspace/workspace-tokens.ts'
import type { CreateFeature } from '#kernel'
import { createWorkspaceTokens } from './operations.ts'

export const workspaceTokens: CreateFeature = (kernel) => {
  const tokens = kernel.use(createWorkspaceTokens)
  return {
    routes(routes) {
      routes.withWorkspace(getWorkspaceTokens, async (caller) => ({ data: await tokens.get(caller) }))
      routes.withWorkspace(getCurrentWorkspaceToken, async (caller) => ({ data: await tokens.getCurrent(caller) }))
      routes.withWorkspace(createWorkspaceToken, async (caller, data) => ({ data: await tokens.create(caller, data) }))
      routes.withWorkspace(resetWorkspaceToken, async (caller, data) => ({ data: await tokens.reset(caller, data) }))
      routes.withWorkspace(revokeWorkspaceToken, async (caller, data) => {
        await tokens.revoke(caller, data)
        return undefined
      })
    },
    credentials: { workspace: tokens.lookUp },
    coalescers: tokens.coalescers,
  }
}
