/** Commands for the workspace, its tokens, its API keys and their auth tokens; they need the credentials of a workspace. */
import {
  createApiKey,
  deleteApiKey,
  disableApiKey,
  enableApiKey,
  getApiKeys,
  updateApiKey,
} from '#contract/api-keys.ts'
import { createAuthToken, getAuthTokens, resetAuthToken, revokeAuthToken } from '#contract/auth-tokens.ts'
import { listAccountEvents } from '#contract/events.ts'
import type { ResultOf } from '#contract/operation.ts'
import {
  createWorkspaceToken,
  getWorkspaceTokens,
  resetWorkspaceToken,
  revokeWorkspaceToken,
} from '#contract/workspace-tokens.ts'
import { createWorkspace, getWorkspace } from '#contract/workspaces.ts'
import type { Connection } from '../connection.ts'
import type { OperationCommand } from '../operation-command.ts'
import { done, lines, record, table } from '../output.ts'
import { column, milliseconds, recordLines, seconds } from '../table.ts'
import type { Question } from '../terminal.ts'
import { endSeconds, spanSeconds } from '../values.ts'
import { EVENT_COLUMNS, EVENT_FILTERS } from './events.ts'

const SUMMARY = lines(({ id, name, owner, apiKeyList }: ResultOf<typeof getWorkspace>) =>
  recordLines({ id, name, owner: owner.email, apiKeys: Object.keys(apiKeyList).length }),
)

const KEY = { flags: '<api-key>', at: 'apiKey', help: 'The API key: chk_….' }

const DEFAULT_ACCESS = 'The access type of documents and folders without one of their own. Absent: public.'

const ACCESS_QUESTION: Question = {
  message: 'Who has access to documents and folders without an access type of their own?',
  choices: [
    { value: 'restricted', hint: 'only users with a grant' },
    { value: 'organizationPrivate', hint: 'members of the organization' },
    { value: 'public', hint: 'every user of the key, as editor' },
  ],
  otherwise:
    'Documents are public by default: every user of the key can edit them. To decide: --access restricted, organizationPrivate or public.',
}

const EXPIRES = {
  flags: '--expires <when>',
  at: 'expiresAt',
  help: 'When the token expires: 90d, or a time.',
  read: endSeconds,
}

const GRACE = {
  flags: '--grace <span>',
  at: 'gracePeriodSeconds',
  help: 'How long the existing tokens stay valid: 1h.',
  read: spanSeconds,
}

/** With its workspace: the profile may hold the credentials of another. */
const savedToken = ({ token }: { token: string }, { workspaceId }: Connection) => ({
  ...(workspaceId === undefined ? {} : { workspaceId }),
  workspaceToken: token,
})

const WORKSPACE_TOKENS: readonly OperationCommand[] = [
  {
    name: 'workspace-token list',
    operation: getWorkspaceTokens,
    show: table(
      [
        column('ID'),
        column('NAME'),
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

export const WORKSPACE_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'workspace create',
    operation: createWorkspace,
    parameters: [
      { flags: '<owner-email>', at: 'ownerEmail', help: 'The e-mail address of the owner.' },
      { flags: '--name <name>', at: 'workspaceName', help: 'A name for people.' },
    ],
    save: ({ id, authToken }: { id: string; authToken: string }) => ({ workspaceId: id, workspaceToken: authToken }),
    show: record,
    examples: ['commonhold workspace create ada@example.com --save'],
  },
  { name: 'workspace show', operation: getWorkspace, show: SUMMARY, examples: ['commonhold workspace show --json'] },
  {
    name: 'workspace events',
    operation: listAccountEvents,
    parameters: [{ flags: '--key <api-key>', at: 'apiKey' }, ...EVENT_FILTERS],
    show: table(EVENT_COLUMNS, 'events'),
    limit: 50,
    examples: ['commonhold workspace events --type auth_token.reset --since 30d'],
  },
  ...WORKSPACE_TOKENS,
  {
    name: 'key list',
    operation: getApiKeys,
    show: table([column('API KEY', 'id'), column('NAME', 'apiKeyName'), column('TYPE'), column('DISABLED')]),
    examples: ['commonhold key list'],
  },
  {
    name: 'key create',
    operation: createApiKey,
    parameters: [
      { flags: '<type>', at: 'type', help: 'The environment of the key.' },
      { flags: '<owner-email>', at: 'ownerEmail', help: 'The recipient of mails about the key.' },
      { flags: '--name <name>', at: 'apiKeyName', help: 'A name for people.' },
      { flags: '--plan <plan>', at: 'planInfo.type', help: 'The plan of the key; required for production.' },
      { flags: '--domain <domain...>', at: 'allowedDomains', help: 'Hosts of pages that may call with a user token.' },
      { flags: '--access <type>', at: 'defaultDocumentAccessType', help: DEFAULT_ACCESS, ask: ACCESS_QUESTION },
      { flags: '--role <role>', at: 'defaultAccessRole' },
      { flags: '--require-known-resources', at: 'requireKnownResources' },
    ],
    fixed: { createAuthToken: true },
    save: ({ apiKey, authToken }: { apiKey: string; authToken: string }) => ({ apiKey, authToken }),
    show: record,
    examples: [
      'commonhold key create testing ada@example.com --name staging --access restricted --save',
      'commonhold key create production ada@example.com --plan pro --access restricted',
    ],
  },
  {
    name: 'key rename',
    operation: updateApiKey,
    parameters: [KEY, { flags: '<name>', at: 'apiKeyName', help: 'The new name.' }],
    show: done,
    examples: ['commonhold key rename chk_test_… staging'],
  },
  {
    name: 'key disable',
    operation: disableApiKey,
    parameters: [KEY],
    show: done,
    examples: ['commonhold key disable chk_test_…'],
  },
  {
    name: 'key enable',
    operation: enableApiKey,
    parameters: [KEY],
    show: done,
    examples: ['commonhold key enable chk_test_…'],
  },
  {
    name: 'key delete',
    operation: deleteApiKey,
    parameters: [
      KEY,
      { flags: '<name>', at: 'apiKeyName', help: 'The name of the key, to confirm that it is the right one.' },
    ],
    confirm: ({ apiKey, apiKeyName }: { apiKey: string; apiKeyName: string }) =>
      `Delete the API key ${apiKey} (${apiKeyName}) with all its organizations, users and permissions?`,
    show: done,
    examples: ['commonhold key delete chk_test_… staging'],
  },
  {
    name: 'token list',
    operation: getAuthTokens,
    parameters: [KEY],
    show: table(
      [
        column('ID'),
        column('NAME'),
        column('SCOPES'),
        column('TOKEN'),
        column('CREATED', 'createdAt', milliseconds),
        column('EXPIRES', 'expiresAt', seconds),
      ],
      'authTokens',
    ),
    examples: ['commonhold token list chk_test_…'],
  },
  {
    name: 'token create',
    operation: createAuthToken,
    parameters: [
      KEY,
      { flags: '<name>', at: 'name', help: 'The name of the token; events of changes made with it show this name.' },
      { flags: '--scope <scope...>', at: 'scopes', help: 'The scopes of the token. Absent: all.' },
      EXPIRES,
    ],
    show: record,
    examples: ['commonhold token create chk_test_… reporting --scope read --expires 90d'],
  },
  {
    name: 'token revoke',
    operation: revokeAuthToken,
    parameters: [KEY, { flags: '<token-id>', at: 'authTokenId', help: 'The id of the token, from `token list`.' }],
    confirm: ({ authTokenId }: { authTokenId: string }) =>
      `Revoke the auth token ${authTokenId}? Programs that use it stop working at once.`,
    show: done,
    examples: ['commonhold token revoke chk_test_… b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11'],
  },
  {
    name: 'token reset',
    operation: resetAuthToken,
    parameters: [KEY, GRACE],
    confirm: ({ apiKey }: { apiKey: string }) => `Replace all auth tokens of ${apiKey} with a new one?`,
    show: record,
    examples: ['commonhold token reset chk_test_… --grace 1h'],
  },
]
