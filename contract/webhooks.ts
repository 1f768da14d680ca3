/** `workspace/webhooks/*`: what was sent to the webhooks of an API key, and sending it again. For signed endpoints and for the two basic URLs. */
import Type from 'typebox'
import { PageSize, PageToken } from './ids.ts'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'

const EndpointId = Type.String({
  description: 'The id of a signed endpoint; `raw` or `processed` for the URLs of `webhookconfig`.',
  minLength: 1,
  maxLength: LIMITS.idCharactersMax,
})
const MessageId = Type.String({
  description: 'The `webhook-id` of the message: the same for each attempt, and each endpoint.',
  minLength: 1,
  maxLength: LIMITS.idCharactersMax,
})
const REASONS = ['advanced_webhooks_disabled', 'webhook_endpoint_does_not_exist'] as const
const Milliseconds = (description: string) =>
  Type.Integer({ description, minimum: 0, maximum: LIMITS.momentMillisecondsMax })

export const WebhookAttempt = Type.Object({
  messageId: Type.String(),
  eventType: Type.String(),
  attempt: Type.Integer({ description: 'From 1; a message that is sent again begins anew.' }),
  attemptedAt: Type.Integer({ description: 'Milliseconds.' }),
  success: Type.Boolean({ description: 'It was answered with 2xx.' }),
  httpStatus: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: no answer came.' }),
  error: Type.Union([Type.String(), Type.Null()], {
    description: 'Why no answer came, such as `timeout`, `ECONNREFUSED` or `address_not_allowed`.',
  }),
  durationMs: Type.Integer(),
  excerpt: Type.String({ description: 'The beginning of the answer, at most 1 KB.' }),
  nextAttemptAt: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Milliseconds; null: it was the last, or the endpoint was disabled.',
  }),
})
export type WebhookAttempt = Type.Static<typeof WebhookAttempt>

export const listWebhookAttempts = operation({
  name: 'webhook-attempts.list',
  path: '/v2/workspace/webhooks/attempts/list',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'List what was sent to a webhook',
  description:
    'Every attempt to deliver a message to the endpoint, the latest first, as long as `WEBHOOK_ATTEMPTS_KEPT_DAYS` keeps them.',
  data: Type.Object(
    {
      endpointId: EndpointId,
      messageId: Type.Optional(MessageId),
      pageSize: Type.Optional(PageSize),
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({ attempts: Type.Array(WebhookAttempt) }),
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
    'Sends a message to an endpoint at once, whether or not it was delivered before and whatever the endpoint filters, under the same `webhook-id`, and again on the usual schedule while that fails. The event must still be there.',
  data: Type.Object({ endpointId: EndpointId, messageId: MessageId }, { additionalProperties: false }),
  success: 'Webhook message will be sent again.',
  reasons: [...REASONS, 'webhook_endpoint_disabled', 'webhook_message_does_not_exist'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1', messageId: 'msg_00000000000000000000000000000000-1' },
})

export const replayWebhookMessages = operation({
  name: 'webhook-messages.replay',
  path: '/v2/workspace/webhooks/messages/replay',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Send everything since a time again',
  description: `Sends an endpoint every message that it wants of what has happened since a time, delivered before or not, each under its own \`webhook-id\`. At most ${LIMITS.replayedMessagesMax.toLocaleString('en')} at once: more are refused, and \`until\` makes parts of them.`,
  data: Type.Object(
    {
      endpointId: EndpointId,
      since: Milliseconds('Of the events, in milliseconds.'),
      until: Type.Optional(Milliseconds('Events before this; absent: all until now.')),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({ messages: Type.Integer({ description: 'How many will be sent.' }) }),
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
    'Sends one endpoint, and no other, a message of the type `webhook.test`, whatever it filters, and answers its `webhook-id`: `webhooks/attempts/list` tells what became of it.',
  data: Type.Object({ endpointId: EndpointId }, { additionalProperties: false }),
  result: Type.Object({ messageId: Type.String() }),
  success: 'Webhook test message will be sent.',
  reasons: [...REASONS, 'webhook_endpoint_disabled'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1' },
})
