/** The health of a webhook, signed or basic: the results of its latest messages, and the waiting ones. */
import Type from 'typebox'
import { LIMITS, thousands } from '../core/limits.ts'

/** The states of a webhook, each with its meaning. */
export const WEBHOOK_STATUSES = {
  delivering: 'the last attempt was delivered',
  failing: 'the last attempt failed',
  waiting: 'messages wait, and nothing was delivered for a minute',
  disabled: 'nothing is sent',
  never_called: 'nothing was sent yet',
} as const
export type WebhookStatus = keyof typeof WEBHOOK_STATUSES

const meanings = Object.entries(WEBHOOK_STATUSES).map(([status, meaning]) => `\`${status}\`: ${meaning}`)

const MillisecondsOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

export const WebhookHealth = Type.Object({
  status: Type.Enum(Object.keys(WEBHOOK_STATUSES) as WebhookStatus[], { description: `${meanings.join('; ')}.` }),
  attempts: Type.Integer({
    description: `Attempts in the last ${LIMITS.webhookHealthHours} hours; of these, the last ${LIMITS.webhookHealthAttemptsMax} at most.`,
  }),
  failures: Type.Integer({ description: 'How many of these attempts failed.' }),
  lastSuccessAt: MillisecondsOrNull(
    'Milliseconds, at most a second before the last delivery. Null: nothing was delivered yet.',
  ),
  lastFailureAt: MillisecondsOrNull('Milliseconds. Null: no attempt failed yet.'),
  lastFailureStatus: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The HTTP status of the last failure. Null: there was no response, or no failure.',
  }),
  lastFailureError: Type.Union([Type.String(), Type.Null()], {
    description: 'Why there was no response to it, such as `timeout`.',
  }),
  failingSince: MillisecondsOrNull('Milliseconds, the first failure after the last delivery. Null: it is not failing.'),
  waiting: Type.Integer({
    description: `Messages that wait for their first or next attempt; ${thousands(LIMITS.webhookWaitingCountedMax)} stands for this number or more.`,
  }),
  nextAttemptAt: MillisecondsOrNull(
    'Milliseconds, when the first of these is sent. For a message that is being sent, this is when another server would take it over, at most two seconds ahead. Null: none waits.',
  ),
})
export type WebhookHealth = Type.Static<typeof WebhookHealth>
