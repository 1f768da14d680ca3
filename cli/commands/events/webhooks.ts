/** Commands for webhooks: the settings, endpoints, their secrets, and the attempts to deliver messages. */

import { getAdvancedWebhookConfig, updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoints,
  updateWebhookEndpoint,
} from '#contract/webhooks/endpoints.ts'
import {
  listWebhookAttempts,
  replayWebhookMessages,
  resendWebhookMessage,
  testWebhook,
} from '#contract/webhooks/messages.ts'
import { getWebhookSecret, rotateWebhookSecret } from '#contract/webhooks/secrets.ts'
import type { Parameter } from '../../command-parameters.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { done, lines, record, table } from '../../terminal/output.ts'
import { column, milliseconds } from '../../terminal/table.ts'
import { plain } from '../../terminal/terminal.ts'
import { A_TIME, sinceMilliseconds, spanSeconds } from '../../times.ts'

const ENDPOINT: Parameter = { flags: '<endpoint>', at: 'endpointId' }
const ENDPOINT_FIELDS: readonly Parameter[] = [
  { flags: '--description <text>', at: 'description', help: 'A description for people.' },
  { flags: '--type <type...>', at: 'filterTypes', help: 'Only events of these types. Absent: all.' },
  { flags: '--org <organization...>', at: 'channels', help: 'Only events of these organizations.' },
  { flags: '--rate-limit <number>', at: 'rateLimit' },
]
/** Only the secret, for use in scripts. */
const SECRET_ALONE = lines(({ secret }: { secret: string }) => [plain(secret)])

export const WEBHOOK_COMMANDS: readonly OperationCommand[] = [
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
    alias: 'list',
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
        help: `Messages of events since: ${A_TIME}`,
        read: sinceMilliseconds,
      },
      {
        flags: '--until <when>',
        at: 'until',
        help: `Messages of events before: ${A_TIME}`,
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
