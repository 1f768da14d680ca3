/** Commands for the settings of the API key: access, the permission provider, domains. */

import { getPermissionProviderConfig, updatePermissionProviderConfig } from '#contract/access/permission-provider.ts'
import type { ResultOf } from '#contract/core/operation.ts'
import { getDomainRequests, respondToDomainRequest } from '#contract/keys/domain-requests.ts'
import { addDomains, deleteDomains, getDomains } from '#contract/keys/domains.ts'
import { getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import { openingSentence } from '#sdk/shared/opened.ts'
import type { Parameter } from '../../command-parameters.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { doneLine, lines, record, table, UNCHANGED } from '../../terminal/output.ts'
import { column, milliseconds } from '../../terminal/table.ts'
import { spanSeconds } from '../../times.ts'

const DOMAINS: Parameter = { flags: '<domain...>', at: 'domains' }
const DOMAIN_REQUEST: Parameter = { flags: '<request>', at: 'id' }

const OPENING = lines((preview: ResultOf<typeof updateKeyConfig>) => [
  openingSentence(preview) ?? 'The given defaults open nothing to everyone.',
])

export const SETTINGS_COMMANDS: readonly OperationCommand[] = [
  { name: 'settings show', operation: getKeyConfig, show: record, examples: ['commonhold settings show'] },
  {
    name: 'settings set',
    operation: updateKeyConfig,
    parameters: [
      { flags: '--default-access <type>', at: 'defaultDocumentAccessType' },
      { flags: '--default-role <role>', at: 'defaultAccessRole' },
      {
        flags: '--roles <role...>',
        at: 'accessRoles',
        help: 'The roles of grants: viewer and editor, or commenter too.',
      },
      { flags: '--require-known-resources <boolean>', at: 'requireKnownResources' },
      {
        flags: '--auto-member <boolean>',
        at: 'requireAutoOrgUser',
        help: 'Users who sign in for an organization become members of it.',
      },
      {
        flags: '--user-sharing <who>',
        at: 'userSharing',
        help: 'Who may share documents with a user token: none, editors, or editorsAndReaders (readers see who has access).',
      },
      {
        flags: '--user-token-lifetime <span>',
        at: 'userTokenLifetimeSeconds',
        help: 'How long new user tokens are valid: 2d.',
        read: spanSeconds,
      },
      {
        flags: '--expiring-soon <span>',
        at: 'expiringSoonSeconds',
        help: 'How long before a grant expires the event permission.expiring is written: 7d.',
        read: spanSeconds,
      },
      { flags: '--dry-run', at: 'dryRun', help: 'Only report what the defaults would open to everyone.' },
    ],
    show: (data) => ('dryRun' in data ? OPENING : record),
    examples: [
      'commonhold settings set --default-access restricted --user-token-lifetime 12h',
      'commonhold settings set --default-access public --dry-run',
      'commonhold settings set --roles viewer commenter editor',
    ],
  },
  {
    name: 'provider show',
    operation: getPermissionProviderConfig,
    show: record,
    examples: ['commonhold provider show'],
  },
  {
    name: 'provider set',
    operation: updatePermissionProviderConfig,
    parameters: [
      {
        flags: '--on <boolean>',
        at: 'usePermissionProvider',
        help: 'Whether the provider is asked before a user token is denied.',
      },
      { flags: '--to <url>', at: 'permissionProviderConfig.permissionProviderUrl' },
    ],
    show: record,
    examples: ['commonhold provider set --to https://example.com/permissions --on true'],
  },
  {
    name: 'provider token',
    operation: updatePermissionProviderConfig,
    summary: 'Set the token that the permission provider recognizes',
    secret: { at: 'permissionProviderConfig.authToken', name: 'token' },
    show: record,
    examples: ['commonhold provider token < token.txt'],
  },
  {
    name: 'domain list',
    operation: getDomains,
    show: table([column('DOMAIN', '')], 'allowedDomains'),
    examples: ['commonhold domain list'],
  },
  {
    name: 'domain add',
    operation: addDomains,
    parameters: [DOMAINS],
    show: lines(({ domainsAdded, skippedDomains }: ResultOf<typeof addDomains>) => [
      ...domainsAdded.map((domain) => doneLine(domain, 'Allowed.')),
      ...skippedDomains.map((domain) => doneLine(domain, UNCHANGED)),
    ]),
    examples: ['commonhold domain add app.example.com'],
  },
  {
    name: 'domain remove',
    operation: deleteDomains,
    parameters: [DOMAINS],
    show: lines(({ domainsRemoved, skippedDomains }: ResultOf<typeof deleteDomains>) => [
      ...domainsRemoved.map((domain) => doneLine(domain, 'Removed.')),
      ...skippedDomains.map((domain) => doneLine(domain, 'Not an allowed domain; unchanged.')),
    ]),
    examples: ['commonhold domain remove app.example.com'],
  },
  {
    name: 'domain requests',
    operation: getDomainRequests,
    summary: 'List the requested domains',
    show: table(
      [
        column('REQUEST', 'id'),
        column('DOMAIN'),
        column('STATUS'),
        column('ORGANIZATION', 'organizationId'),
        column('DOCUMENT', 'clientDocumentId'),
        column('REQUESTED', 'requestedAt', milliseconds),
      ],
      'requestedDomains',
    ),
    examples: ['commonhold domain requests'],
  },
  {
    name: 'domain accept',
    operation: respondToDomainRequest,
    summary: 'Accept a requested domain',
    parameters: [DOMAIN_REQUEST],
    fixed: { action: 'accept' },
    show: record,
    examples: ['commonhold domain accept b1946ac9-…'],
  },
  {
    name: 'domain reject',
    operation: respondToDomainRequest,
    summary: 'Reject a requested domain',
    parameters: [DOMAIN_REQUEST],
    fixed: { action: 'reject' },
    show: record,
    examples: ['commonhold domain reject b1946ac9-…'],
  },
]
