/** The results of deliveries: records them, gives up messages, disables endpoints that keep failing, and writes events about both. */
import { ADD_USAGE, NOTHING } from '#features/usage/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { repeatLater } from '#platform/jobs/repeat.ts'
import type { Log } from '#platform/log.ts'
import type { OutboundResponse } from '#platform/outbound/outbound.ts'
import { recordStreamEvents, type StreamEvent } from '#tenancy/events/record.ts'
import { messageId, messageType } from '../messages/message.ts'
import type { ClaimedDelivery } from './claim-statements.ts'
import {
  DELETE_OLD_ATTEMPTS,
  DISABLE_ENDPOINTS,
  LOCK_TRIED_ENDPOINTS,
  type Outcome,
  type OutcomeRow,
  RECORD_OUTCOMES,
} from './outcome-statements.ts'
import { DISABLED_AFTER_DAYS, isGone, isSuccess, pauseMs, waitMs } from './schedule.ts'

/** The event about a message that is given up; giving up this one is not reported. */
const EXHAUSTED = 'message.attempt.exhausted'
const ACTOR = { system: 'webhooks' } as const

export interface Sent {
  delivery: ClaimedDelivery
  outcome: OutcomeRow
}

export async function recordOutcomes(session: Session, finished: readonly Sent[]): Promise<void> {
  if (finished.length === 0) return
  const sent = await withoutOldUrls(session, finished)
  const rows = sent.map(({ delivery: { claims }, outcome }) => ({ ...outcome, claims })) // it may have had another lease since
  const failing = await session.runSet(RECORD_OUTCOMES, rows)
  const gone = new Set(rows.flatMap(({ outcome, endpointKey }) => (outcome === 'gone' ? [endpointKey] : [])))
  const old = failing.flatMap((row) => (row.failingDays >= DISABLED_AFTER_DAYS ? [row.endpointKey] : []))
  const events = [...(await disable(session, sent, gone, old)), ...sent.flatMap(exhaustion)]
  if (events.length > 0) await recordStreamEvents(session, events)
  await countDelivered(session, sent)
}

const FAILURES: ReadonlySet<Outcome> = new Set(['failed', 'exhausted', 'gone'])
const hasFailed = ({ outcome: { outcome } }: Sent): boolean => FAILURES.has(outcome)

/**
 * Lets no failure of an address count against the URL that the endpoint has been given meanwhile: the message is sent there at once.
 */
async function withoutOldUrls(session: Session, sent: readonly Sent[]): Promise<readonly Sent[]> {
  if (!sent.some(hasFailed)) return sent
  const keys = [...new Set(sent.map(({ delivery: { endpointKey } }) => endpointKey))]
  const rows = await session.runSet(
    LOCK_TRIED_ENDPOINTS,
    keys.map((endpointKey) => ({ endpointKey })),
  )
  const urls = new Map(rows.map(({ endpointKey, url }) => [endpointKey, url]))
  return sent.map((one) => {
    const { url, endpointKey } = one.delivery
    const isOld = hasFailed(one) && (urls.get(endpointKey) ?? url) !== url
    return isOld ? { ...one, outcome: { ...one.outcome, outcome: 'moved', waitMs: 0, pauseMs: 0 } } : one
  })
}

/** Counts the delivered messages of each API key, exactly once: in the transaction that records them. */
async function countDelivered(session: Session, sent: readonly Sent[]): Promise<void> {
  const delivered = sent.filter(({ outcome }) => outcome.outcome === 'delivered')
  const byKey = Map.groupBy(delivered, ({ delivery }) => delivery.apiKeyId)
  const rows = [...byKey]
    .map(([apiKeyId, { length }]) => ({ apiKeyId, ...NOTHING, webhooks: length }))
    .sort((one, other) => (one.apiKeyId < other.apiKeyId ? -1 : 1))
  if (rows.length > 0) await session.runSet(ADD_USAGE, rows)
}

async function disable(
  session: Session,
  sent: readonly Sent[],
  gone: ReadonlySet<number>,
  old: readonly number[],
): Promise<StreamEvent[]> {
  const keys = [...new Set([...gone, ...old])].sort((a, b) => a - b)
  if (keys.length === 0) return []
  const disabled = await session.runSet(
    DISABLE_ENDPOINTS,
    keys.map((endpointKey) => ({ endpointKey })),
  )
  return disabled.map(({ endpointKey, endpointId, url, failingSince }) => ({
    type: 'webhook_endpoint.disabled',
    ...ofKey(sent.find(({ delivery }) => delivery.endpointKey === endpointKey)?.delivery),
    after: {
      endpointId,
      url,
      reason: gone.has(endpointKey) ? 'gone' : 'failing',
      failingSince: failingSince?.getTime() ?? null,
    },
  }))
}

function exhaustion({ delivery, outcome }: Sent): StreamEvent[] {
  if (outcome.outcome !== 'exhausted' || outcome.eventType === EXHAUSTED) return []
  const { eventType, attempt: attempts, httpStatus, error } = outcome
  const { endpointId } = delivery
  const after = { endpointId, messageId: messageId(delivery), eventType, attempts, httpStatus, error }
  return [{ type: EXHAUSTED, ...ofKey(delivery), after }]
}

const ofKey = (delivery: ClaimedDelivery | undefined) => ({
  workspaceId: delivery?.workspaceId ?? '',
  apiKeyId: delivery?.apiKeyId ?? '',
  actor: ACTOR,
})

const rowOf = (delivery: ClaimedDelivery, outcome: OutcomeRow['outcome']): OutcomeRow => ({
  endpointKey: delivery.endpointKey,
  stream: delivery.stream,
  sequence: delivery.sequence,
  isAct: delivery.isAct,
  claims: delivery.claims,
  outcome,
  eventType: delivery.type === null ? '' : messageType(delivery.type, delivery.isAct),
  attempt: delivery.attempts + 1,
  attemptedAt: delivery.now,
  httpStatus: null,
  error: null,
  durationMs: 0,
  excerpt: '',
  waitMs: null,
  pauseMs: 0,
})

export const released = (delivery: ClaimedDelivery): OutcomeRow => ({ ...rowOf(delivery, 'released'), waitMs: 0 })
export const dropped = (delivery: ClaimedDelivery): OutcomeRow => rowOf(delivery, 'dropped')

export function outcomeOf(delivery: ClaimedDelivery, answer: OutboundResponse): OutcomeRow {
  const { status: httpStatus, error, durationMs, excerpt } = answer
  const facts = { httpStatus, error, durationMs, excerpt }
  if (isSuccess(answer.status)) return { ...rowOf(delivery, 'delivered'), ...facts }
  if (isGone(answer)) return { ...rowOf(delivery, 'gone'), ...facts }
  const pause = pauseMs(answer, delivery.now)
  const wait = waitMs(delivery.attempts + 1, pause)
  return { ...rowOf(delivery, wait === null ? 'exhausted' : 'failed'), ...facts, waitMs: wait, pauseMs: pause }
}

const INTERVAL_MS = 60_000
const BATCH_SIZE = 1_000

interface RetentionDeps {
  db: Db
  log: Log
  /** 0: indefinitely. */
  attemptsKeptDays: number
}

/** Starts the deletion of old attempts, again and again. Returns a function that stops it after the current statement. */
export function startAttemptRetention({ db, log, attemptsKeptDays }: RetentionDeps): () => Promise<void> {
  if (attemptsKeptDays === 0) return async () => {}
  async function deleteOld(stopping: AbortSignal): Promise<void> {
    for (let deleted = BATCH_SIZE; deleted === BATCH_SIZE && !stopping.aborted; ) {
      const [result] = await db.run(DELETE_OLD_ATTEMPTS, [attemptsKeptDays, BATCH_SIZE])
      deleted = result?.deleted ?? 0
    }
  }
  return repeatLater(deleteOld, { everyMs: INTERVAL_MS, log, failure: 'old webhook attempts could not be deleted' })
}
