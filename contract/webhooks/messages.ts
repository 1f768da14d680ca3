/**
 * `workspace/webhooks/*`: the log of messages to the webhooks of an API key, and sending messages again. For signed endpoints
 * and the two basic URLs.
 */
import Type from 'typebox'
import { ClosedObject, Milliseconds } from '../core/fields.ts'
import { PAGING } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { WebhookHealth } from './health.ts'

const EndpointId = Type.String({
  description: 'The id of a signed endpoint; `raw` or `processed` for the URLs of `webhookconfig`.',
  minLength: 1,
  maxLength: LIMITS.idCharactersMax,
})
const MessageId = Type.String({
  description: 'The `webhook-id` of the message, the same for every attempt and every endpoint.',
  minLength: 1,
  maxLength: LIMITS.idCharactersMax,
})
const REASONS = ['advanced_webhooks_disabled', 'webhook_endpoint_does_not_exist'] as const

export const WebhookAttempt = Type.Object({
  messageId: Type.String(),
  eventType: Type.String(),
  attempt: Type.Integer({ description: 'Starts at 1, and again at 1 when a message is sent again.' }),
  attemptedAt: Type.Integer({ description: 'Milliseconds.' }),
  success: Type.Boolean({ description: 'True when the response was 2xx.' }),
  httpStatus: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: there was no response.' }),
  error: Type.Union([Type.String(), Type.Null()], {
    description: 'Why there was no response, such as `timeout`, `ECONNREFUSED` or `address_not_allowed`.',
  }),
  durationMs: Type.Integer(),
  excerpt: Type.String({ description: 'The beginning of the response, at most 1 KB.' }),
  nextAttemptAt: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Milliseconds; null: this was the last attempt, or the endpoint was disabled.',
  }),
})
export type WebhookAttempt = Type.Static<typeof WebhookAttempt>

export const ATTEMPT_OUTCOMES = ['delivered', 'failed', 'waiting'] as const

export const listWebhookAttempts = operation({
  name: 'webhook-attempts.list',
  path: '/v2/workspace/webhooks/attempts/list',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'List the delivery attempts of a webhook',
  description:
    'Lists every attempt to deliver a message to the endpoint, newest first, and returns the health of the endpoint. Attempts are kept for `WEBHOOK_ATTEMPTS_KEPT_DAYS`.',
  data: ClosedObject({
    endpointId: EndpointId,
    messageId: Type.Optional(MessageId),
    outcome: Type.Optional(
      Type.Enum([...ATTEMPT_OUTCOMES], {
        description:
          'Only attempts that were `delivered`, or that `failed`; `waiting`: the last attempt at each message that will be tried again, newest message first. Not together with `messageId`.',
      }),
    ),
    ...PAGING,
  }),
  result: Type.Object({ health: WebhookHealth, attempts: Type.Array(WebhookAttempt) }),
  success: 'Webhook attempts retrieved successfully.',
  reasons: REASONS,
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1' },
})

export const resendWebhookMessage = operation({
  name: 'webhook-messages.resend',
  path: '/v2/workspace/webhooks/messages/resend',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Send one message again',
  description:
    'Sends a message to an endpoint again at once under the same `webhook-id`, whether or not it was delivered before, and regardless of the filters of the endpoint. Failed attempts are retried on the usual schedule. The event must still be stored.',
  data: ClosedObject({ endpointId: EndpointId, messageId: MessageId }),
  success: 'Webhook message will be sent again.',
  reasons: [...REASONS, 'webhook_endpoint_disabled', 'webhook_message_does_not_exist'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1', messageId: 'msg_00000000000000000000000000000000-1' },
})

export const replayWebhookMessages = operation({
  name: 'webhook-messages.replay',
  path: '/v2/workspace/webhooks/messages/replay',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Send all messages since a time again',
  description: `Sends an endpoint all messages since a time that match its filters, delivered before or not, each under its own \`webhook-id\`. A call with more than ${thousands(LIMITS.replayedMessagesMax)} messages is refused; use \`until\` to split it.`,
  data: ClosedObject({
    endpointId: EndpointId,
    since: Milliseconds('Events from this time on, in milliseconds.'),
    until: Type.Optional(Milliseconds('Events before this time, in milliseconds. Absent: all until now.')),
  }),
  result: Type.Object({ messages: Type.Integer({ description: 'The number of messages that will be sent.' }) }),
  success: 'Webhook messages will be sent again.',
  reasons: [...REASONS, 'too_many_webhook_messages', 'webhook_endpoint_disabled'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1', since: 1_790_000_000_000 },
})

export const testWebhook = operation({
  name: 'webhook-messages.test',
  path: '/v2/workspace/webhooks/test',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Send a test message',
  description:
    'Sends a message of the type `webhook.test` to this endpoint only, regardless of its filters, and returns its `webhook-id`. `webhooks/attempts/list` reports the outcome.',
  data: ClosedObject({ endpointId: EndpointId }),
  result: Type.Object({ messageId: Type.String() }),
  success: 'Webhook test message will be sent.',
  reasons: [...REASONS, 'webhook_endpoint_disabled'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1' },
})

export const WEBHOOK_OPERATIONS = [listWebhookAttempts, resendWebhookMessage, replayWebhookMessages, testWebhook]
