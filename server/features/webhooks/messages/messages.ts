/** Lists the attempts of an API key's webhooks, and resends, replays and tests messages. */

import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { EventType } from '#contract/events/events.ts'
import type {
  ATTEMPT_OUTCOMES,
  listWebhookAttempts,
  replayWebhookMessages,
  resendWebhookMessage,
  testWebhook,
  WebhookAttempt,
} from '#contract/webhooks/messages.ts'
import { FIND_TICKS } from '#features/events/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { workspaceStream } from '#tenancy/callers/keys.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { isSuccess } from '../delivery/schedule.ts'
import { GET_WEBHOOK_ENDPOINT } from '../endpoints/endpoint-statements.ts'
import { endpointDoesNotExist, requireEnabled } from '../endpoints/endpoints.ts'
import { readHealth } from '../endpoints/health.ts'
import { messageId, placeOfMessage } from './message.ts'
import {
  type AttemptRow,
  LAST_OF_STREAM,
  LIST_MESSAGE_ATTEMPTS,
  LIST_WAITING_ATTEMPTS,
  LIST_WEBHOOK_ATTEMPTS,
  LOCK_WEBHOOK_ENDPOINT,
  REPLAY_WEBHOOK_MESSAGES,
  RESEND_WEBHOOK_MESSAGE,
} from './message-statements.ts'

export interface WebhookMessagesDeps {
  db: Db
  pageTokens: PageTokens
  /** Called when there are new deliveries. */
  wake(): void
}

export const TEST = 'webhook.test'

type Page = Paged<ResultOf<typeof listWebhookAttempts>>

export function createWebhookMessages({ db, pageTokens, wake }: WebhookMessagesDeps) {
  /**
   * Returns the key of an endpoint of any kind. Unless it is a basic URL, signed endpoints must be enabled, even to
   * report that it does not exist.
   */
  async function find(caller: Caller, endpointId: string): Promise<number> {
    if (endpointId !== 'raw' && endpointId !== 'processed') await requireEnabled(db, caller)
    const [row] = await db.run(GET_WEBHOOK_ENDPOINT, [caller.apiKeyId, endpointId])
    if (row === undefined) throw endpointDoesNotExist()
    return row.endpointKey
  }

  /** `bounds`: the endpoint, the cursor and the number of attempts. */
  async function readAttempts(
    bounds: [number, string | null, number],
    message: string | undefined,
    outcome: (typeof ATTEMPT_OUTCOMES)[number] | undefined,
  ): Promise<AttemptRow[]> {
    if (outcome === 'waiting') return db.run(LIST_WAITING_ATTEMPTS, bounds)
    if (message === undefined) {
      const delivered = outcome === undefined ? [true, false] : [outcome === 'delivered']
      return db.run(LIST_WEBHOOK_ATTEMPTS, [...bounds, delivered])
    }
    const place = placeOfMessage(message)
    return place === undefined
      ? []
      : db.run(LIST_MESSAGE_ATTEMPTS, [...bounds, place.stream, place.sequence, place.isAct])
  }

  /** Locks the endpoint while `work` enqueues deliveries for it and records that. */
  async function enqueueFor<T>(
    caller: Caller,
    endpointId: string,
    work: (session: Session, endpointKey: number) => Promise<T>,
  ): Promise<T> {
    const endpointKey = await find(caller, endpointId)
    const result = await db.transaction(async (session) => {
      const [endpoint] = await session.run(LOCK_WEBHOOK_ENDPOINT, [endpointKey])
      if (endpoint === undefined) throw endpointDoesNotExist()
      if (!endpoint.active) throw endpointDisabled()
      return work(session, endpointKey)
    })
    db.afterCommit(wake)
    return result
  }

  const record = (session: Session, { apiKeyId, workspaceId, actor }: Caller, type: EventType, after: object) =>
    recordStreamEvents(session, [{ type, workspaceId, apiKeyId, actor, after }])

  return {
    async list(caller: Caller, data: DataOf<typeof listWebhookAttempts>): Promise<Page> {
      const { endpointId, messageId: message, outcome, pageSize = LIMITS.pageSizeMax, pageToken } = data
      if (message !== undefined && outcome !== undefined)
        throw invalidArgument([{ field: 'outcome', message: 'outcome must not be given together with messageId' }])
      const scope = ['webhook-attempts.list', caller.apiKeyId, endpointId, message ?? null, outcome ?? null]
      const last = pageTokens.decode(scope, pageToken)
      const endpointKey = await find(caller, endpointId)
      const rows = await readAttempts([endpointKey, last, pageSize + 1], message, outcome)
      const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ position }) => String(position))
      const health = (await readHealth(db, [endpointKey])).get(endpointKey)
      if (health === undefined) throw endpointDoesNotExist() // deleted meanwhile
      return { data: { health, attempts: page.map(attemptOf) }, ...next }
    },

    async resend(caller: Caller, { endpointId, messageId: id }: DataOf<typeof resendWebhookMessage>): Promise<void> {
      await enqueueFor(caller, endpointId, async (session, endpointKey) => {
        const place = placeOfMessage(id)
        const values = place && [endpointKey, place.stream, place.sequence, caller.apiKeyId, place.isAct]
        const [message] = values ? await session.run(RESEND_WEBHOOK_MESSAGE, values) : []
        if (message === undefined) throw messageDoesNotExist()
        await record(session, caller, 'webhook.resent', { endpointId, messageId: id })
      })
    },

    async replay(caller: Caller, data: DataOf<typeof replayWebhookMessages>) {
      const { endpointId, since, until } = data
      return enqueueFor(caller, endpointId, async (session, endpointKey) => {
        const from = new Date(since)
        const to = until === undefined ? 'infinity' : new Date(until)
        const [ticks] = await session.run(FIND_TICKS, [caller.apiKeyId, from, to])
        const bounds = [from, to, LIMITS.replayedMessagesMax, TEST, ticks?.least ?? null, ticks?.greatest ?? null]
        const values = [endpointKey, ...bounds]
        const [replayed] = await session.run(REPLAY_WEBHOOK_MESSAGES, values)
        const messages = replayed?.messages ?? 0
        if (messages > LIMITS.replayedMessagesMax) throw tooManyMessages()
        if (messages > 0) await record(session, caller, 'webhook.replayed', { ...data, messages })
        return { messages }
      })
    },

    /** Sends a test. It is an event like any other, but is sent only to this endpoint. */
    async test(caller: Caller, { endpointId }: DataOf<typeof testWebhook>): Promise<ResultOf<typeof testWebhook>> {
      return enqueueFor(caller, endpointId, async (session, endpointKey) => {
        await record(session, caller, TEST, { endpointId })
        const stream = workspaceStream(caller.workspaceId, session.bucket)
        const [last] = await session.run(LAST_OF_STREAM, [stream])
        const place = { stream, sequence: last?.sequence ?? 0, isAct: false }
        await session.run(RESEND_WEBHOOK_MESSAGE, [endpointKey, stream, place.sequence, caller.apiKeyId, false])
        return { messageId: messageId(place) }
      })
    },
  }
}

const endpointDisabled = () =>
  new StatusError('FAILED_PRECONDITION', 'webhook_endpoint_disabled', 'The webhook endpoint is disabled.')

const messageDoesNotExist = () =>
  new StatusError('NOT_FOUND', 'webhook_message_does_not_exist', 'The API key has no such webhook message.')

const tooManyMessages = () =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'too_many_webhook_messages',
    `More than ${LIMITS.replayedMessagesMax} messages would be resent; replay them in parts by setting until.`,
  )

const attemptOf = ({
  position: _cursor,
  stream,
  sequence,
  isAct,
  attemptedAt,
  nextAttemptAt,
  ...row
}: AttemptRow): WebhookAttempt => ({
  messageId: messageId({ stream, sequence, isAct }),
  attemptedAt: attemptedAt.getTime(),
  success: isSuccess(row.httpStatus),
  nextAttemptAt: nextAttemptAt?.getTime() ?? null,
  ...row,
})
