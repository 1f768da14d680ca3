/**
 * Sends due deliveries. Each process works in rounds: a round records the results of finished requests and claims the next
 * deliveries, in one transaction. A request whose result was not recorded, because the process died, is sent again when its
 * lease expires, under the same `webhook-id` (ADR 0019).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ActFacts, createReadActs } from '#features/comments/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { DueWork } from '#platform/jobs/due-work.ts'
import type { Log } from '#platform/log.ts'
import type { Outbound, OutboundResponse } from '#platform/outbound/outbound.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { inSpan, type Tracing } from '#platform/tracing.ts'
import { toFeedEvent } from '#tenancy/events/feed.ts'
import { messageType } from '../messages/message.ts'
import { NAME_EVENTS, type Names } from '../messages/name-statements.ts'
import {
  CLAIM_DELIVERIES,
  type ClaimedDelivery,
  HAS_READY_ENDPOINTS,
  LOCK_READY_ENDPOINTS,
  READY_ENDPOINTS,
} from './claim-statements.ts'
import type { Outcome, OutcomeRow } from './outcome-statements.ts'
import { dropped, outcomeOf, recordOutcomes, released, type Sent } from './outcomes.ts'
import { requestOf } from './outgoing.ts'
import { startRenewal } from './renewal.ts'
import { isSuccess } from './schedule.ts'
import { Slots } from './slots.ts'

/** The longest that an attempt may take. */
const TIME_LIMIT_MS = 15_000
/**
 * The time between rounds while nothing wakes them, for retries and deliveries that other processes added. After some
 * seconds without deliveries, only the look at all queues finds them (ADR 0072).
 */
const POLL_MS = 250
const IDLE_AFTER_MS = 5_000
/** Results within this time are recorded together. */
const GATHER_MS = 5
const RETRY_MS = 1_000
/** Requests that take longer at a stop are released, and not counted as attempts. */
const STOP_MS = 5_000

export interface DeliverDeps {
  db: Db
  log: Log
  dueWork: DueWork
  sealer: Sealer
  outbound: Outbound
  /** Reads what messages of acts say. */
  readActs: ReturnType<typeof createReadActs>
  userAgent: string
  /** How many requests this process sends to one host in a second; 0: no limit. */
  requestsPerHost: number
  /** Called for each attempt. */
  observe: (outcome: Outcome, ms: number) => void
  tracing: Tracing | undefined
}

export interface Deliveries {
  /** Starts a round now: there may be something to send. */
  wake(): void
  /** Claims nothing more, and waits some seconds for the requests under way. */
  stop(): Promise<void>
}

type Deliverable = ClaimedDelivery & { type: string }
type Contents = Parameters<typeof requestOf>[1]

export function startDeliveries({
  db,
  log,
  dueWork,
  sealer,
  outbound,
  readActs,
  userAgent,
  requestsPerHost,
  observe,
  tracing,
}: DeliverDeps): Deliveries {
  const slots = new Slots(requestsPerHost)
  const renewal = startRenewal<ClaimedDelivery>({ db, log })
  const stopping = new AbortController()
  const givingUp = new AbortController()
  let finished: Sent[] = []
  let woken = Promise.withResolvers<void>()
  const wake = () => woken.resolve()

  async function attempt(delivery: Deliverable, contents: Contents): Promise<void> {
    const { url, body, headers } = requestOf(delivery, contents, sealer, userAgent)
    const { host } = new URL(url)
    const attributes = {
      'server.address': host,
      'commonhold.event': messageType(delivery.type, delivery.isAct),
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

  /** Sends claimed deliveries. One whose request cannot be made counts as a failed attempt. */
  async function send(claimed: readonly ClaimedDelivery[]): Promise<void> {
    for (const delivery of claimed) {
      slots.begin(delivery)
      renewal.begin(delivery)
    }
    const here = claimed.filter((delivery): delivery is Deliverable => delivery.type !== null)
    for (const delivery of claimed) if (delivery.type === null) finish(delivery, dropped(delivery))
    const fail = (delivery: Deliverable) => (err: unknown) => {
      log.warn({ err, endpointId: delivery.endpointId }, 'a webhook message could not be put together')
      const answer = { status: null, error: 'internal', retryAfter: null, excerpt: '', durationMs: 0 }
      finish(delivery, outcomeOf(delivery, answer), answer)
    }
    try {
      const names = await namesOf(db, here)
      const acts = await actsOf(here)
      for (const delivery of here) {
        const contents = { names: names.get(delivery), act: acts.get(delivery) }
        void attempt(delivery, contents).catch(fail(delivery))
      }
    } catch (error) {
      for (const delivery of here) fail(delivery)(error)
    }
  }

  async function actsOf(deliveries: readonly Deliverable[]): Promise<Map<Deliverable, ActFacts>> {
    const acts = deliveries.filter(({ isAct }) => isAct)
    const facts = await readActs(acts.map((delivery) => toFeedEvent({ ...delivery, tick: 0 })))
    return new Map(facts.map((one, index) => [acts[index] as Deliverable, one]))
  }

  async function claim(session: Session): Promise<Claims> {
    const { full, working, failing } = slots.free()
    const ready = await session.run(LOCK_READY_ENDPOINTS, [full, working, failing])
    if (ready.length === 0) return NONE
    const shares = slots.shares(ready)
    const claimed = await session.run(CLAIM_DELIVERIES, [
      shares.map(({ endpointKey }) => endpointKey),
      shares.map(({ slots }) => slots),
      shares.map(({ pauseMs }) => pauseMs),
    ])
    return { claimed, more: true }
  }

  /** Returns whether there may be more to claim. */
  async function runRound(): Promise<boolean> {
    const recorded = finished
    finished = []
    const claims = slots.free().working > 0 && !stopping.signal.aborted
    if (recorded.length === 0 && !(claims && (await db.run(HAS_READY_ENDPOINTS)).length > 0)) return false
    const { claimed, more } = await db
      .transaction(async (session: Session) => {
        await recordOutcomes(session, recorded)
        return claims ? claim(session) : NONE
      })
      .catch((error: unknown) => {
        finished.unshift(...recorded)
        throw error
      })
    for (const { delivery } of recorded) renewal.end(delivery)
    await send(claimed.filter((delivery) => !renewal.handOver(delivery)))
    return more
  }

  const hasEnded = () => stopping.signal.aborted && slots.running === 0 && finished.length === 0

  async function runRounds(): Promise<void> {
    let lastDelivery = Number.NEGATIVE_INFINITY
    while (!hasEnded()) {
      woken = Promise.withResolvers()
      const more = await runRound().catch(async (err: unknown) => {
        log.warn({ err }, 'webhooks could not be delivered; it is tried again')
        await sleep(RETRY_MS)
        return true
      })
      if (more && givingUp.signal.aborted) break // the database cannot be reached: what is leased is due again later
      if (more) lastDelivery = performance.now()
      const isIdle = performance.now() - lastDelivery > IDLE_AFTER_MS
      if (!more && finished.length === 0 && !hasEnded())
        await (isIdle ? woken.promise : Promise.race([woken.promise, sleep(POLL_MS)]))
      await sleep(GATHER_MS)
    }
  }
  const stopWatching = dueWork.watch(READY_ENDPOINTS, wake)
  const ended = runRounds()
  return {
    wake,
    async stop() {
      stopWatching()
      stopping.abort()
      wake()
      const timer = setTimeout(() => givingUp.abort(), STOP_MS)
      await ended
      clearTimeout(timer)
      await renewal.stop()
    },
  }
}

const NO_TRIAL = { ok: true, durationMs: 0 }

/** `more`: other endpoints may wait behind the ones that this round examined. */
interface Claims {
  claimed: ClaimedDelivery[]
  more: boolean
}
const NONE: Claims = { claimed: [], more: false }

/** Looks up the names in processed messages. */
async function namesOf(db: Db, deliveries: readonly Deliverable[]): Promise<Map<Deliverable, Names>> {
  const processed = deliveries.filter(({ kind, isAct }) => kind === 'processed' && !isAct)
  if (processed.length === 0) return new Map()
  const rows = await db.runSet(
    NAME_EVENTS,
    processed.map((delivery) => ({ ...delivery, organizationKey: delivery.stream })),
  )
  return new Map(rows.flatMap(({ ord, ...names }) => [[processed[ord - 1] as Deliverable, names]]))
}
