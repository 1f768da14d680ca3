/** Commands for user tokens. */
import { generateToken, revokeTokens, verifyToken } from '#contract/users/user-tokens.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { done, lines, record } from '../../terminal/output.ts'

/** Only the token, for use in scripts. */
const TOKEN_ALONE = lines(({ token }: { token: string }) => [token])

export const USER_TOKEN_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'user token',
    operation: generateToken,
    parameters: [
      { flags: '<user>', at: 'userId' },
      { flags: '--name <name>', at: 'userProperties.name' },
      { flags: '--email <address>', at: 'userProperties.email' },
    ],
    show: TOKEN_ALONE,
    examples: ['TOKEN=$(commonhold user token ada)'],
  },
  {
    name: 'user sign-out',
    operation: revokeTokens,
    parameters: [{ flags: '<user>', at: 'userId' }],
    show: done,
    examples: ['commonhold user sign-out ada'],
  },
  {
    name: 'user verify',
    operation: verifyToken,
    summary: 'Show whether a user token is valid, and the user it belongs to',
    secret: { at: 'token', name: 'User token' },
    show: record,
    isNegative: ({ active }: { active: boolean }) => !active,
    examples: ['echo "$TOKEN" | commonhold user verify && echo valid'],
  },
]
