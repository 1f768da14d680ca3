/** Follows the events of API keys and enqueues a delivery of each for every endpoint that receives it (ADR 0019). */
import { commentActOf } from '#contract/comments/acts.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Log } from '#platform/log.ts'
import { type FollowedEvents, followEvents } from '#tenancy/events/feed.ts'
import { TEST } from '../messages/messages.ts'
import { COUNT_ACTIVE_ENDPOINTS, ENQUEUE_DELIVERIES, LOCK_ACTIVE_ENDPOINTS } from './delivery-statements.ts'

/** The polling interval for events that this process is not notified of. */
const FOLLOW_MS = 250
/** The delay after which the transaction that enqueued deliveries has normally committed. */
const WAKE_MS = 5
/** Other transactions wait for one of these on the embedded engine, which has one connection. */
const DELIVERIES_PER_TRANSACTION = 2_000

/** Starts to follow events, and calls `wake` when deliveries were enqueued. Returns a function that stops it. */
export function startEnqueueing(deps: { db: Db; log: Log }, wake: () => void): () => Promise<void> {
  return followEvents(
    deps,
    'webhooks',
    async (session, followed) => {
      if (await enqueue(session, followed)) setTimeout(wake, WAKE_MS)
    },
    { intervalMs: FOLLOW_MS, eventsMax },
  )
}

/** How many events a transaction handles: few where an API key has many endpoints, because each event is a delivery for each. */
async function eventsMax(session: Session, apiKeyIds: readonly string[]): Promise<number> {
  const [row] = await session.run(COUNT_ACTIVE_ENDPOINTS, [apiKeyIds])
  return Math.ceil(DELIVERIES_PER_TRANSACTION / Math.max(row?.count ?? 0, 1))
}

/** Enqueues deliveries; returns whether there are any. */
async function enqueue(session: Session, followed: readonly FollowedEvents[]): Promise<boolean> {
  await session.runSet(LOCK_ACTIVE_ENDPOINTS, followed)
  const events = followed
    .flatMap(({ events }) => events)
    .filter(({ type }) => type !== TEST)
    .map(({ changedAt, after, ...event }) => ({
      ...event,
      changedAt: new Date(changedAt),
      after: commentActOf(event.type) === undefined ? null : after,
    }))
  if (events.length === 0) return false
  const [result] = await session.runSet(ENQUEUE_DELIVERIES, events)
  return (result?.enqueued ?? 0) > 0
}
