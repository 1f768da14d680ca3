/** Commands for the settings of the API key: access, the permission provider, domains, e-mail, webhooks. */

import { getAdvancedWebhookConfig, updateAdvancedWebhookConfig } from '#contract/advanced-webhook-config.ts'
import { getDomainRequests, respondToDomainRequest } from '#contract/domain-requests.ts'
import { addDomains, deleteDomains, getDomains } from '#contract/domains.ts'
import { getKeyConfig, updateKeyConfig } from '#contract/key-config.ts'
import { getPermissionProviderConfig, updatePermissionProviderConfig } from '#contract/permission-provider.ts'
import { getEmailConfig, testEmailConfig } from '#contract/service-configs.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoints,
  updateWebhookEndpoint,
} from '#contract/webhook-endpoints.ts'
import { getWebhookSecret, rotateWebhookSecret } from '#contract/webhook-secrets.ts'
import { listWebhookAttempts, replayWebhookMessages, resendWebhookMessage, testWebhook } from '#contract/webhooks.ts'
import type { OperationCommand, Parameter } from '../operation-command.ts'
import { done, lines, record, table } from '../output.ts'
import { column, milliseconds } from '../table.ts'
import { plain } from '../terminal.ts'
import { sinceMilliseconds, spanSeconds } from '../values.ts'

const DOMAINS: Parameter = { flags: '<domain...>', at: 'domains' }
const DOMAIN_REQUEST: Parameter = { flags: '<request>', at: 'id' }
const ENDPOINT: Parameter = { flags: '<endpoint>', at: 'endpointId' }
const ENDPOINT_FIELDS: readonly Parameter[] = [
  { flags: '--description <text>', at: 'description', help: 'A description for people.' },
  { flags: '--type <type...>', at: 'filterTypes', help: 'Only events of these types. Absent: all.' },
  { flags: '--org <organization...>', at: 'channels', help: 'Only events of these organizations.' },
  { flags: '--rate-limit <number>', at: 'rateLimit' },
]
/** Only the secret, for use in scripts. */
const SECRET_ALONE = lines(({ secret }: { secret: string }) => [plain(secret)])

export const SETTINGS_COMMANDS: readonly OperationCommand[] = [
  { name: 'settings show', operation: getKeyConfig, show: record, examples: ['commonhold settings show'] },
  {
    name: 'settings set',
    operation: updateKeyConfig,
    parameters: [
      { flags: '--default-access <type>', at: 'defaultDocumentAccessType' },
      { flags: '--default-role <role>', at: 'defaultAccessRole' },
      { flags: '--require-known-resources <boolean>', at: 'requireKnownResources' },
      {
        flags: '--auto-member <boolean>',
        at: 'requireAutoOrgUser',
        help: 'Users who sign in for an organization become members of it.',
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
    ],
    show: record,
    examples: ['commonhold settings set --default-access restricted --user-token-lifetime 12h'],
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
      { flags: '--on <boolean>', at: 'usePermissionProvider', help: 'Ask it before a user token is denied.' },
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
  { name: 'email show', operation: getEmailConfig, show: record, examples: ['commonhold email show'] },
  {
    name: 'email test',
    operation: testEmailConfig,
    show: record,
    isNegative: ({ accepted }: { accepted: boolean }) => !accepted,
    examples: ['commonhold email test'],
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
    show: record,
    examples: ['commonhold domain add app.example.com'],
  },
  {
    name: 'domain remove',
    operation: deleteDomains,
    parameters: [DOMAINS],
    show: record,
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
  {
    name: 'webhooks settings',
    operation: getAdvancedWebhookConfig,
    show: record,
    examples: ['commonhold webhooks settings'],
  },
  {
    name: 'webhooks enable',
    operation: updateAdvancedWebhookConfig,
    summary: 'Enable signed webhooks',
    fixed: { isEnabled: true },
    show: record,
    examples: ['commonhold webhooks enable'],
  },
  {
    name: 'webhooks disable',
    operation: updateAdvancedWebhookConfig,
    summary: 'Disable signed webhooks',
    fixed: { isEnabled: false },
    confirm: () => 'Disable signed webhooks? Pending messages are discarded.',
    show: record,
    examples: ['commonhold webhooks disable'],
  },
  {
    name: 'webhooks endpoints',
    operation: getWebhookEndpoints,
    show: table(
      [
        column('ENDPOINT', 'id'),
        column('URL'),
        column('TYPES', 'filterTypes'),
        column('ORGANIZATIONS', 'channels'),
        column('STATUS', 'health.status'),
        column('ATTEMPTS', 'health.attempts'),
        column('FAILURES', 'health.failures'),
        column('LAST SUCCESS', 'health.lastSuccessAt', milliseconds),
      ],
      'endpoints',
    ),
    examples: ['commonhold webhooks endpoints'],
  },
  {
    name: 'webhooks create',
    operation: createWebhookEndpoint,
    parameters: [
      { flags: '<endpoint-url>', at: 'url' },
      ...ENDPOINT_FIELDS,
      { flags: '--uid <uid>', at: 'uid', help: 'Your own name for the endpoint; `promote` matches endpoints by it.' },
    ],
    show: record,
    examples: ['commonhold webhooks create https://example.com/hook --type permission.added permission.removed'],
  },
  {
    name: 'webhooks update',
    operation: updateWebhookEndpoint,
    parameters: [
      ENDPOINT,
      { flags: '--to <endpoint-url>', at: 'url', help: 'The new URL.' },
      ...ENDPOINT_FIELDS,
      { flags: '--disabled <boolean>', at: 'disabled' },
    ],
    show: record,
    examples: ['commonhold webhooks update ep_… --disabled false'],
  },
  {
    name: 'webhooks delete',
    operation: deleteWebhookEndpoint,
    parameters: [ENDPOINT],
    confirm: ({ endpointId }: { endpointId: string }) =>
      `Delete the endpoint ${endpointId}? Its pending messages are discarded.`,
    show: record,
    examples: ['commonhold webhooks delete ep_…'],
  },
  {
    name: 'webhooks secret',
    operation: getWebhookSecret,
    parameters: [ENDPOINT],
    show: SECRET_ALONE,
    examples: ['SECRET=$(commonhold webhooks secret ep_…)'],
  },
  {
    name: 'webhooks rotate-secret',
    operation: rotateWebhookSecret,
    parameters: [
      ENDPOINT,
      {
        flags: '--grace <span>',
        at: 'gracePeriodSeconds',
        help: 'How long messages are also signed with the old secret: 1d.',
        read: spanSeconds,
      },
    ],
    confirm: ({ endpointId }: { endpointId: string }) => `Replace the secret of the endpoint ${endpointId}?`,
    show: SECRET_ALONE,
    examples: ['commonhold webhooks rotate-secret ep_… --grace 1d'],
  },
  {
    name: 'webhooks attempts',
    operation: listWebhookAttempts,
    parameters: [
      ENDPOINT,
      { flags: '--message <message>', at: 'messageId' },
      { flags: '--outcome <outcome>', at: 'outcome' },
    ],
    show: table(
      [
        column('WHEN', 'attemptedAt', milliseconds),
        column('MESSAGE', 'messageId'),
        column('TYPE', 'eventType'),
        column('TRY', 'attempt'),
        column('STATUS', 'httpStatus'),
        column('ERROR'),
        column('MS', 'durationMs'),
        column('NEXT', 'nextAttemptAt', milliseconds),
      ],
      'attempts',
    ),
    limit: 50,
    examples: ['commonhold webhooks attempts ep_… --outcome failed'],
  },
  {
    name: 'webhooks resend',
    operation: resendWebhookMessage,
    parameters: [ENDPOINT, { flags: '<message>', at: 'messageId' }],
    show: done,
    examples: ['commonhold webhooks resend ep_… msg_…'],
  },
  {
    name: 'webhooks replay',
    operation: replayWebhookMessages,
    parameters: [
      ENDPOINT,
      {
        flags: '--since <when>',
        at: 'since',
        help: 'Messages of events since: 2h, or a time.',
        read: sinceMilliseconds,
      },
      {
        flags: '--until <when>',
        at: 'until',
        help: 'Messages of events before: 1h, or a time.',
        read: sinceMilliseconds,
      },
    ],
    show: record,
    examples: ['commonhold webhooks replay ep_… --since 2h'],
  },
  {
    name: 'webhooks test',
    operation: testWebhook,
    parameters: [ENDPOINT],
    show: record,
    examples: ['commonhold webhooks test ep_…'],
  },
]
