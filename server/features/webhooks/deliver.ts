/**
 * Sends what is due. Each process goes round: it writes what became of what it has sent and takes what it may send next,
 * in one transaction. A request that was sent and not written down, because the process died, is sent again when its lease
 * is over, under the same `webhook-id` (ADR 0019).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Session } from '#platform/db/db.ts'
import type { Log } from '#platform/log.ts'
import type { Outbound, OutboundResponse } from '#platform/outbound.ts'
import type { Sealer } from '#platform/seal.ts'
import { inSpan, type Tracing } from '#platform/tracing.ts'
import {
  CLAIM_DELIVERIES,
  type ClaimedDelivery,
  LOCK_READY_ENDPOINTS,
  NAME_EVENTS,
  type Outcome,
  type OutcomeRow,
} from './delivery-statements.ts'
import type { Names } from './names.ts'
import { recordOutcomes, type Sent } from './outcomes.ts'
import { requestOf } from './outgoing.ts'
import { isGone, isSuccess, pauseMs, waitMs } from './schedule.ts'
import { Slots } from './slots.ts'

/** An attempt takes no longer. */
const TIME_LIMIT_MS = 15_000
/** Without news it looks again after this: for retries, and for what other processes have put in. */
const LOOK_MS = 250
/** What ends within this is written down together. */
const GATHER_MS = 5
const RETRY_MS = 1_000
/** What is under way then is given back, and not counted as an attempt. */
const STOP_MS = 5_000

export interface DeliverDeps {
  db: Db
  log: Log
  sealer: Sealer
  outbound: Outbound
  userAgent: string
  /** Is told of each attempt. */
  observe: (outcome: Outcome, ms: number) => void
  tracing: Tracing | undefined
}

export interface Deliveries {
  /** There may be something to send. */
  wake(): void
  /** Takes nothing more, and waits for what is under way, for some seconds. */
  stop(): Promise<void>
}

type Deliverable = ClaimedDelivery & { type: string }

export function startDeliveries({ db, log, sealer, outbound, userAgent, observe, tracing }: DeliverDeps): Deliveries {
  const slots = new Slots()
  const stopping = new AbortController()
  const givingUp = new AbortController()
  let finished: Sent[] = []
  let news = Promise.withResolvers<void>()
  const wake = () => news.resolve()

  async function attempt(delivery: Deliverable, names: Names | undefined): Promise<void> {
    const { url, body, headers } = requestOf(delivery, names, sealer, userAgent)
    const { host } = new URL(url)
    const attributes = {
      'server.address': host,
      'commonhold.event': delivery.type,
      'webhook.id': headers['webhook-id'] ?? '',
    }
    const answer = await inSpan(tracing, 'webhook', { kind: 'client', parent: 'none', attributes }, async (span) => {
      const traced = { ...headers, ...span?.headers() }
      const answer = await outbound.post(url, {
        headers: traced,
        body,
        timeoutMs: TIME_LIMIT_MS,
        signal: givingUp.signal,
      })
      if (answer.status !== null) span?.set({ 'http.response.status_code': answer.status })
      if (!isSuccess(answer.status)) span?.fail(answer.error ?? String(answer.status))
      return answer
    })
    const isReleased = answer.status === null && givingUp.signal.aborted
    finish(delivery, isReleased ? released(delivery) : outcomeOf(delivery, answer), answer)
  }

  function finish(delivery: ClaimedDelivery, outcome: OutcomeRow, answer?: OutboundResponse): void {
    slots.end(delivery.endpointKey, answer ? { ok: isSuccess(answer.status), durationMs: answer.durationMs } : NO_TRIAL)
    observe(outcome.outcome, outcome.durationMs)
    finished.push({ delivery, outcome })
    wake()
  }

  /** Sends what was taken. One that cannot even be put together is tried again like one that fails. */
  async function send(claimed: readonly ClaimedDelivery[]): Promise<void> {
    for (const { endpointKey, isFailing } of claimed) slots.begin(endpointKey, isFailing)
    const here = claimed.filter((delivery): delivery is Deliverable => delivery.type !== null)
    for (const delivery of claimed) if (delivery.type === null) finish(delivery, dropped(delivery))
    const fail = (delivery: Deliverable) => (err: unknown) => {
      log.warn({ err, endpointId: delivery.endpointId }, 'a webhook message could not be put together')
      const answer = { status: null, error: 'internal', retryAfter: null, excerpt: '', durationMs: 0 }
      finish(delivery, outcomeOf(delivery, answer), answer)
    }
    try {
      const names = await namesOf(db, here)
      for (const delivery of here) void attempt(delivery, names.get(delivery)).catch(fail(delivery))
    } catch (error) {
      for (const delivery of here) fail(delivery)(error)
    }
  }

  async function claim(session: Session): Promise<ClaimedDelivery[]> {
    const { full, working, failing } = slots.free()
    const ready = await session.run(LOCK_READY_ENDPOINTS, [full, working, failing])
    if (ready.length === 0) return []
    return session.run(CLAIM_DELIVERIES, [ready.map(({ endpointKey }) => endpointKey), slots.shares(ready)])
  }

  /** Answers whether there may be more to take at once. */
  async function goRound(): Promise<boolean> {
    const written = finished
    finished = []
    const takes = slots.free().working > 0 && !stopping.signal.aborted
    if (written.length === 0 && !takes) return false
    const claimed = await db
      .transaction(async (session: Session) => {
        await recordOutcomes(session, written)
        return takes ? claim(session) : []
      })
      .catch((error: unknown) => {
        finished.unshift(...written)
        throw error
      })
    await send(claimed)
    return claimed.length > 0
  }

  async function goOn(): Promise<void> {
    while (!stopping.signal.aborted || slots.running > 0 || finished.length > 0) {
      news = Promise.withResolvers()
      const more = await goRound().catch(async (err: unknown) => {
        log.warn({ err }, 'webhooks could not be delivered; it is tried again')
        await sleep(RETRY_MS)
        return true
      })
      if (more && givingUp.signal.aborted) break // the database is not there to be told: what is leased is due again later
      if (!more && finished.length === 0) await Promise.race([news.promise, sleep(LOOK_MS)])
      await sleep(GATHER_MS)
    }
  }
  const ended = goOn()
  return {
    wake,
    async stop() {
      stopping.abort()
      wake()
      const timer = setTimeout(() => givingUp.abort(), STOP_MS)
      await ended
      clearTimeout(timer)
    },
  }
}

const NO_TRIAL = { ok: true, durationMs: 0 }

/** The names that messages to processed URLs have in them. */
async function namesOf(db: Db, deliveries: readonly Deliverable[]): Promise<Map<Deliverable, Names>> {
  const wanted = deliveries.filter(({ kind }) => kind === 'processed')
  if (wanted.length === 0) return new Map()
  const rows = await db.runSet(
    NAME_EVENTS,
    wanted.map((delivery) => ({ ...delivery, organizationKey: delivery.stream })),
  )
  return new Map(rows.flatMap(({ ord, ...names }) => [[wanted[ord - 1] as Deliverable, names]]))
}

const rowOf = (delivery: ClaimedDelivery, outcome: OutcomeRow['outcome']): OutcomeRow => ({
  endpointKey: delivery.endpointKey,
  stream: delivery.stream,
  sequence: delivery.sequence,
  claims: delivery.claims,
  outcome,
  eventType: delivery.type ?? '',
  attempt: delivery.attempts + 1,
  attemptedAt: delivery.now,
  httpStatus: null,
  error: null,
  durationMs: 0,
  excerpt: '',
  waitMs: null,
  pauseMs: 0,
})

const released = (delivery: ClaimedDelivery): OutcomeRow => ({ ...rowOf(delivery, 'released'), waitMs: 0 })
const dropped = (delivery: ClaimedDelivery): OutcomeRow => rowOf(delivery, 'dropped')

function outcomeOf(delivery: ClaimedDelivery, answer: OutboundResponse): OutcomeRow {
  const { status: httpStatus, error, durationMs, excerpt } = answer
  const facts = { httpStatus, error, durationMs, excerpt }
  if (isSuccess(answer.status)) return { ...rowOf(delivery, 'delivered'), ...facts }
  if (isGone(answer)) return { ...rowOf(delivery, 'gone'), ...facts }
  const pause = pauseMs(answer, delivery.now)
  const wait = waitMs(delivery.attempts + 1, pause)
  return { ...rowOf(delivery, wait === null ? 'exhausted' : 'failed'), ...facts, waitMs: wait, pauseMs: pause }
}
