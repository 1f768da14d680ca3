/** The refusals of workspace tokens. */
import { LIMITS } from '#contract/core/limits.ts'
import { StatusError } from '#platform/status-error.ts'

export const tooManyTokens = () =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'too_many_workspace_tokens',
    `A workspace can have at most ${LIMITS.workspaceTokensMax} valid tokens; this one has reached the limit. Revoke one first.`,
  )

export const tokenDoesNotExist = () =>
  new StatusError('NOT_FOUND', 'workspace_token_does_not_exist', 'The workspace has no such token.')

export const lastToken = () =>
  new StatusError(
    'FAILED_PRECONDITION',
    'last_workspace_token',
    'This is the only token of the workspace that does not expire; revoking it could lock everyone out. First create another token without an expiry, or replace all tokens with workspace/token/reset.',
  )

export const noToken = () =>
  new StatusError(
    'FAILED_PRECONDITION',
    'no_workspace_token',
    'You are signed in as a person, without a token of the workspace; workspace/token/create creates one.',
  )
