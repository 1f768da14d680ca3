/** Queries and mutations of the tokens of the workspace; only for sessions of the workspace. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { CreateWorkspaceTokenData, RevokeWorkspaceTokenData } from '#sdk/generated/operations.ts'
import { continueSession, workspace } from '../session/session.ts'

const WORKSPACE_TOKENS = ['workspace', 'tokens'] as const

const meta = { invalidates: [WORKSPACE_TOKENS] }

export const workspaceTokensQuery = queryOptions({
  queryKey: WORKSPACE_TOKENS,
  queryFn: async ({ signal }) => (await workspace.workspaceTokens.get({}, { signal })).tokens,
})

/** The responses of this and of `resetWorkspaceTokens` contain a secret. */
export const createWorkspaceToken = mutationOptions({
  mutationFn: (data: CreateWorkspaceTokenData) => workspace.workspaceTokens.create(data),
  meta,
  gcTime: 0,
})

/** Resolves with the new token. The session of this page continues with it. */
export const resetWorkspaceTokens = (workspaceId: string) =>
  mutationOptions({
    mutationFn: async (gracePeriodSeconds: number) => {
      const { token } = await workspace.workspaceTokens.reset({ gracePeriodSeconds })
      await continueSession({ workspaceId, token })
      return token
    },
    meta,
    gcTime: 0,
  })

export const revokeWorkspaceToken = mutationOptions({
  mutationFn: (data: RevokeWorkspaceTokenData) => workspace.workspaceTokens.revoke(data),
  meta,
})
