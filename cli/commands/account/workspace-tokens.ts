/** Commands for the tokens of the workspace. */
import {
  createWorkspaceToken,
  getWorkspaceTokens,
  resetWorkspaceToken,
  revokeWorkspaceToken,
} from '#contract/workspace/workspace-tokens.ts'
import type { Connection } from '../../connection/connection.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { done, record, table } from '../../terminal/output.ts'
import { column, milliseconds, seconds } from '../../terminal/table.ts'
import { EXPIRES, GRACE } from '../parameters.ts'

/** Saves the workspace too, because the profile may hold the credentials of another one. */
const savedToken = ({ token }: { token: string }, { workspaceId }: Connection) => ({
  ...(workspaceId === undefined ? {} : { workspaceId }),
  workspaceToken: token,
})

export const WORKSPACE_TOKEN_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'workspace-token list',
    operation: getWorkspaceTokens,
    show: table(
      [
        column('ID'),
        column('NAME'),
        column('PREFIX'),
        column('CREATED', 'createdAt', milliseconds),
        column('LAST USED', 'lastUsedAt', milliseconds),
        column('EXPIRES', 'expiresAt', seconds),
        column('CURRENT'),
      ],
      'tokens',
    ),
    examples: ['commonhold workspace-token list'],
  },
  {
    name: 'workspace-token create',
    operation: createWorkspaceToken,
    parameters: [
      { flags: '<name>', at: 'name', help: 'The name of the token; events of changes made with it show this name.' },
      EXPIRES,
    ],
    save: savedToken,
    show: record,
    examples: ['commonhold workspace-token create deployment --expires 90d'],
  },
  {
    name: 'workspace-token revoke',
    operation: revokeWorkspaceToken,
    parameters: [{ flags: '<token-id>', at: 'tokenId', help: 'The id of the token, from `workspace-token list`.' }],
    confirm: ({ tokenId }: { tokenId: string }) =>
      `Revoke the workspace token ${tokenId}? Programs that use it stop working at once.`,
    show: done,
    examples: ['commonhold workspace-token revoke b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11'],
  },
  {
    name: 'workspace-token reset',
    operation: resetWorkspaceToken,
    parameters: [GRACE],
    confirm: () => 'Replace all tokens of the workspace, including the one this command uses, with a new one?',
    save: savedToken,
    show: record,
    examples: ['commonhold workspace-token reset --grace 1h --save'],
  },
]
