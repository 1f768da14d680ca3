/** Commands for the auth tokens of an API key; they need the credentials of its workspace. */
import { createAuthToken, getAuthTokens, resetAuthToken, revokeAuthToken } from '#contract/keys/auth-tokens.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { done, record, table } from '../../terminal/output.ts'
import { column, milliseconds, seconds } from '../../terminal/table.ts'
import { EXPIRES, GRACE, KEY_IN_USE } from '../parameters.ts'

const isKey = (text: unknown): boolean => typeof text === 'string' && /^chk_(?:test|live)_/.test(text)

/** Scripts that name the key first keep their meaning. */
const inEitherOrder =
  (field: 'name' | 'authTokenId') =>
  ({ [field]: first, apiKey }: Readonly<Record<string, unknown>>) =>
    isKey(first) && !isKey(apiKey) ? { [field]: apiKey, apiKey: first } : {}

export const AUTH_TOKEN_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'token list',
    operation: getAuthTokens,
    parameters: [KEY_IN_USE],
    show: table(
      [
        column('ID'),
        column('NAME'),
        column('SCOPES'),
        column('TOKEN'),
        column('CREATED', 'createdAt', milliseconds),
        column('LAST USED', 'lastUsedAt', milliseconds),
        column('EXPIRES', 'expiresAt', seconds),
      ],
      'authTokens',
    ),
    examples: ['commonhold token list', 'commonhold token list chk_test_…'],
  },
  {
    name: 'token create',
    operation: createAuthToken,
    parameters: [
      { flags: '<name>', at: 'name', help: 'The name of the token; events of changes made with it show this name.' },
      KEY_IN_USE,
      { flags: '--scope <scope...>', at: 'scopes', help: 'The scopes of the token. Absent: all.' },
      EXPIRES,
    ],
    implied: inEitherOrder('name'),
    save: ({ apiKey, authToken: { token } }: { apiKey: string; authToken: { token: string } }) => ({
      apiKey,
      authToken: token,
    }),
    show: record,
    examples: [
      'commonhold token create reporting --scope read --expires 90d',
      'commonhold token create reading --scope read --save reading',
      'commonhold token create reporting chk_test_…',
    ],
  },
  {
    name: 'token revoke',
    operation: revokeAuthToken,
    parameters: [
      { flags: '<token-id>', at: 'authTokenId', help: 'The id of the token, from `token list`.' },
      KEY_IN_USE,
    ],
    implied: inEitherOrder('authTokenId'),
    confirm: ({ authTokenId }: { authTokenId: string }) =>
      `Revoke the auth token ${authTokenId}? Programs that use it stop working at once.`,
    show: done,
    examples: ['commonhold token revoke b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11'],
  },
  {
    name: 'token reset',
    operation: resetAuthToken,
    parameters: [KEY_IN_USE, GRACE],
    confirm: ({ apiKey }: { apiKey: string }) => `Replace all auth tokens of ${apiKey} with a new one?`,
    save: ({ apiKey, newAuthToken: { token } }: { apiKey: string; newAuthToken: { token: string } }) => ({
      apiKey,
      authToken: token,
    }),
    show: record,
    examples: ['commonhold token reset --grace 1h --save', 'commonhold token reset chk_test_… --grace 1h'],
  },
]
