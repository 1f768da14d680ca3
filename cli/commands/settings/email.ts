/** Commands for the e-mail of the API key. */
import { getEmailConfig, testEmailConfig, updateEmailConfig } from '#contract/keys/service-configs.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { record } from '../../terminal/output.ts'

export const EMAIL_COMMANDS: readonly OperationCommand[] = [
  { name: 'email show', operation: getEmailConfig, show: record, examples: ['commonhold email show'] },
  {
    name: 'email set',
    operation: updateEmailConfig,
    parameters: [
      { flags: '--on <boolean>', at: 'useEmailService', help: 'Whether mails are sent.' },
      { flags: '--type <service>', at: 'emailServiceConfig.type' },
      { flags: '--from <address>', at: 'emailServiceConfig.fromEmail' },
      { flags: '--company <name>', at: 'emailServiceConfig.fromCompany' },
    ],
    show: record,
    examples: [
      'commonhold email set --on true --type default --from help@acme.example --company Acme',
      `commonhold call email-config.update '{"emailServiceConfig": {"triggers": {"permission.added": true}}}'`,
    ],
  },
  {
    name: 'email key',
    operation: updateEmailConfig,
    summary: 'Set the API key of the e-mail provider',
    secret: { at: 'emailServiceConfig.apiKey', name: 'API key' },
    show: record,
    examples: ['commonhold email key < key.txt'],
  },
  {
    name: 'email test',
    operation: testEmailConfig,
    show: record,
    isNegative: ({ accepted }: { accepted: boolean }) => !accepted,
    examples: ['commonhold email test'],
  },
]
