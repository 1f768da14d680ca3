/** Commands for single sign-on. */
import { getSsoConfig, updateSsoConfig } from '#contract/sso-config.ts'
import type { OperationCommand } from '../operation-command.ts'
import { record } from '../output.ts'
import { json } from '../values.ts'

export const SSO_COMMANDS: readonly OperationCommand[] = [
  { name: 'sso get', operation: getSsoConfig, show: record, examples: ['commonhold sso get'] },
  {
    name: 'sso update',
    operation: updateSsoConfig,
    parameters: [
      { flags: '--enabled <boolean>', at: 'enabled' },
      { flags: '--issuer <url>', at: 'issuer' },
      { flags: '--client-id <id>', at: 'clientId' },
      {
        flags: '--roles <json>',
        at: 'roles',
        help: 'The rules that give roles, as a JSON list; the first that matches decides.',
        read: json,
      },
    ],
    show: record,
    examples: [
      'commonhold sso update --issuer https://login.example.com --client-id commonhold',
      `commonhold sso update --enabled true --roles '[{"group": "platform", "role": "admin"}]'`,
    ],
  },
  {
    name: 'sso set-secret',
    summary: 'Set the client secret of single sign-on',
    operation: updateSsoConfig,
    secret: { at: 'clientSecret', name: 'Client secret' },
    show: record,
    examples: ['commonhold sso set-secret < secret.txt'],
  },
]
