/** `workspace/token/*`: the secrets of a workspace. */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { Name } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { TOKEN_RECORD, TokenExpiresAt, TokenGracePeriod, TokenId } from '../keys/auth-tokens.ts'

export const WorkspaceToken = Type.Object({
  ...TOKEN_RECORD,
  current: Type.Boolean({ description: 'Whether this call was made with the token.' }),
})
export type WorkspaceToken = Type.Static<typeof WorkspaceToken>

export const NewWorkspaceToken = Type.Object({
  ...TOKEN_RECORD,
  token: Type.String({
    description:
      'The value of `x-service-workspace-auth-token`. A secret: store it, because `workspace/token/get` does not return it.',
  }),
})
export type NewWorkspaceToken = Type.Static<typeof NewWorkspaceToken>

export const getWorkspaceTokens = operation({
  name: 'workspace-tokens.get',
  path: '/v2/workspace/token/get',
  credentials: 'workspace',
  summary: 'Get the tokens of the workspace',
  description: 'Returns the tokens that are valid now, oldest first, without their secrets.',
  data: ClosedObject({}),
  result: Type.Object({ tokens: Type.Array(WorkspaceToken) }),
  success: 'Workspace tokens retrieved successfully.',
  example: {},
})

export const getCurrentWorkspaceToken = operation({
  name: 'current-workspace-token.get',
  path: '/v2/workspace/authtoken/ensure',
  credentials: 'workspace',
  summary: 'Get the token of the call',
  description:
    'Returns the token of the workspace with which the call was made. It creates none, because a call without a valid token is refused; `workspace/token/create` adds another one.',
  data: ClosedObject({}),
  result: Type.Object({
    authToken: Type.String({ description: 'The value of `x-service-workspace-auth-token`. A secret.' }),
  }),
  success: 'Workspace token retrieved successfully.',
  secret: true,
  reasons: ['no_workspace_token'],
  example: {},
})

export const createWorkspaceToken = operation({
  name: 'workspace-tokens.create',
  path: '/v2/workspace/token/create',
  credentials: 'workspace',
  summary: 'Add a token to the workspace',
  description: `Creates one more token, with its own name and expiry. It may do everything that the workspace may do. A workspace can have ${LIMITS.workspaceTokensMax} valid tokens.`,
  data: ClosedObject({
    name: Name('What the token is for. Events caused with the token show this name.'),
    expiresAt: TokenExpiresAt,
  }),
  result: NewWorkspaceToken,
  success: 'Workspace token created successfully.',
  secret: true,
  reasons: ['too_many_workspace_tokens', 'workspace_token_replaced'],
  example: { name: 'deployment' },
})

export const resetWorkspaceToken = operation({
  name: 'workspace-tokens.reset',
  path: '/v2/workspace/token/reset',
  credentials: 'workspace',
  summary: 'Replace the tokens of the workspace',
  description:
    'Creates a new token and revokes all others with their console sessions, immediately or after `gracePeriodSeconds`; the auth tokens of API keys remain valid. During the grace period the replaced tokens cannot change tokens, operators or single sign-on. Send an `Idempotency-Key` with a grace period: if the response is lost, repeating the call returns it again.',
  data: ClosedObject({ gracePeriodSeconds: TokenGracePeriod }, { narrowing: ['gracePeriodSeconds'] }),
  result: NewWorkspaceToken,
  success: 'Workspace token reset successfully.',
  secret: true,
  unlimited: true,
  reasons: ['workspace_token_replaced'],
  example: { gracePeriodSeconds: 3_600 },
})

export const revokeWorkspaceToken = operation({
  name: 'workspace-tokens.revoke',
  path: '/v2/workspace/token/revoke',
  credentials: 'workspace',
  summary: 'Revoke a token of the workspace',
  description:
    'Revokes one token immediately, and ends its console sessions. Revoking a token that is already expired or revoked also succeeds. The last token without an expiry cannot be revoked, so that the workspace never locks itself out.',
  data: ClosedObject({ tokenId: TokenId }),
  success: 'Workspace token revoked successfully.',
  unlimited: true,
  reasons: ['workspace_token_does_not_exist', 'last_workspace_token', 'workspace_token_replaced'],
  example: { tokenId: 'b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11' },
})

export const WORKSPACE_TOKEN_OPERATIONS = [
  getWorkspaceTokens,
  getCurrentWorkspaceToken,
  createWorkspaceToken,
  resetWorkspaceToken,
  revokeWorkspaceToken,
]
