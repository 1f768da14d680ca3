/** Queries and mutations of the tokens of the workspace; only for sessions of the workspace. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { CreateWorkspaceTokenData, RevokeWorkspaceTokenData } from '#sdk/generated/operations.ts'
import type { SignedIn } from '#sdk/session.ts'
import { reportError } from '../../session/reachability.ts'
import { continueSession, workspace } from '../../session/session.ts'

const WORKSPACE_TOKENS = ['workspace', 'tokens'] as const

const meta = { invalidates: [WORKSPACE_TOKENS] }

export const workspaceTokensQuery = queryOptions({
  queryKey: WORKSPACE_TOKENS,
  queryFn: async ({ signal }) => (await workspace.workspaceTokens.get({}, { signal })).tokens,
})

/** The responses of this and of `replaceWorkspaceTokens` contain a secret. */
export const createWorkspaceToken = mutationOptions({
  mutationFn: (data: CreateWorkspaceTokenData) => workspace.workspaceTokens.create(data),
  meta,
  gcTime: 0,
})

/**
 * Resolves with the new token. A session of a token continues with the new one before the old tokens end: if a step fails,
 * nobody is locked out. `workspace/token/reset` would end them first. The session of an operator does not depend on a token.
 */
export const replaceWorkspaceTokens = ({ workspaceId = '', operator }: SignedIn) =>
  mutationOptions({
    mutationFn: async (gracePeriodSeconds: number) => {
      if (operator !== undefined) return (await workspace.workspaceTokens.reset({ gracePeriodSeconds })).token
      if (gracePeriodSeconds === 0) return replaceNow(workspaceId)
      const { token } = await workspace.workspaceTokens.reset({ gracePeriodSeconds })
      await continueSession({ workspaceId, token }).catch(reportError) // the session lasts as long as its old token
      return token
    },
    meta,
    gcTime: 0,
  })

async function replaceNow(workspaceId: string): Promise<string> {
  const { id, token } = await workspace.workspaceTokens.create({ name: 'workspace' })
  await continueSession({ workspaceId, token })
  for (;;) {
    const { tokens } = await workspace.workspaceTokens.get({})
    const others = tokens.filter((other) => other.id !== id)
    if (others.length === 0) return token
    for (const other of others) await workspace.workspaceTokens.revoke({ tokenId: other.id })
  }
}

export const revokeWorkspaceToken = mutationOptions({
  mutationFn: (data: RevokeWorkspaceTokenData) => workspace.workspaceTokens.revoke(data),
  meta,
})
