/** Commands for single sign-on. */
import {
  getSsoConfig,
  type SsoProblem,
  testSsoConfig,
  updateSsoConfig,
  verifySsoDomain,
} from '#contract/workspace/sso-config.ts'
import { wrongUsage } from '../../failures.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { record } from '../../terminal/output.ts'
import type { Reader } from '../../values.ts'

/** Parses a rule for roles: `group:platform=admin` or `domain:example.com=support`. */
export const ssoRule: Reader = (word, name) => {
  const [, kind, value = '', role = ''] = /^(group|domain):(.+)=(\w+)$/s.exec(word) ?? []
  if (kind === undefined)
    throw wrongUsage(
      `${name} must be group:NAME=ROLE or domain:NAME=ROLE; it is ${JSON.stringify(word)}.`,
      'For example: group:platform=admin',
    )
  return kind === 'group' ? { group: value, role } : { emailDomain: value, role }
}

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
        flags: '--rule <rule...>',
        at: 'roles',
        help: 'All rules that give roles, in order: group:NAME=ROLE or domain:NAME=ROLE. The first that matches decides.',
        read: ssoRule,
      },
      { flags: '--domain <domain...>', at: 'domains' },
    ],
    show: record,
    examples: [
      'commonhold sso update --issuer https://login.example.com --client-id commonhold',
      'commonhold sso update --enabled true --rule group:platform=admin domain:example.com=support',
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
  {
    name: 'sso test',
    operation: testSsoConfig,
    parameters: [
      { flags: '--issuer <url>', at: 'issuer' },
      { flags: '--client-id <id>', at: 'clientId' },
    ],
    show: record,
    isNegative: hasProblem,
    examples: ['commonhold sso test', 'commonhold sso test --issuer https://login.example.com'],
  },
  {
    name: 'sso verify',
    operation: verifySsoDomain,
    parameters: [{ flags: '<domain>', at: 'domain' }],
    show: record,
    isNegative: hasProblem,
    examples: ['commonhold sso verify example.com'],
  },
]

/** The exit code reports it too, for scripts. */
function hasProblem({ problem }: { problem?: SsoProblem }): boolean {
  return problem !== undefined
}
