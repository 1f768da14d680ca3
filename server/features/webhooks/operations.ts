/** Webhooks of API keys: their settings and endpoints, and the delivery of events as messages (ADR 0019). */

import type { Backlog } from '#platform/backlog.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Log } from '#platform/log.ts'
import type { Outbound } from '#platform/outbound.ts'
import type { PageTokens } from '#platform/page-token.ts'
import type { Sealer } from '#platform/seal.ts'
import { type FollowedEvents, followEvents } from '#tenancy/events/feed.ts'
import { type DeliverDeps, startDeliveries } from './deliver.ts'
import { COUNT_ACTIVE_ENDPOINTS, COUNT_DUE, ENQUEUE_DELIVERIES, LOCK_ACTIVE_ENDPOINTS } from './delivery-statements.ts'
import { createWebhookEndpoints } from './endpoints.ts'
import { createWebhookMessages, TEST } from './messages.ts'
import { startAttemptRetention } from './retention.ts'
import { createWebhookSettings } from './settings.ts'

export interface WebhooksDeps {
  db: Db
  log: Log
  sealer: Sealer
  pageTokens: PageTokens
  outbound: Outbound
  allowPrivate: boolean
  userAgent: string
  requestsPerHost: number
  observe: DeliverDeps['observe']
  tracing: DeliverDeps['tracing']
  /** 0: indefinitely. */
  attemptsKeptDays: number
}

export type Webhooks = ReturnType<typeof startWebhooks>

/** The polling interval for events that this process is not notified of. */
const FOLLOW_MS = 250
/** The delay after which the transaction that enqueued deliveries has normally committed. */
const WAKE_MS = 5
/** Other transactions wait for one of these on the embedded engine, which has one connection. */
const DELIVERIES_PER_TRANSACTION = 2_000

export function startWebhooks(deps: WebhooksDeps) {
  const { db } = deps
  const deliveries = startDeliveries(deps)
  const stopFollowing = followEvents(
    deps,
    'webhooks',
    async (session, followed) => {
      if (await enqueue(session, followed)) setTimeout(deliveries.wake, WAKE_MS)
    },
    { intervalMs: FOLLOW_MS, eventsMax },
  )
  const stopRetention = startAttemptRetention(deps)
  return {
    settings: createWebhookSettings({ db }),
    endpoints: createWebhookEndpoints(deps),
    messages: createWebhookMessages({ ...deps, wake: deliveries.wake }),
    /** Returns the due deliveries. */
    async backlog(): Promise<Backlog[]> {
      const rows = await db.run(COUNT_DUE)
      return rows.map(({ endpoints, ...waiting }) => ({ labels: { endpoints }, ...waiting }))
    },
    async stop(): Promise<void> {
      await Promise.all([stopFollowing(), stopRetention()])
      await deliveries.stop()
      await deps.outbound.close()
    },
  }
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
    .map(({ changedAt, ...event }) => ({ ...event, changedAt: new Date(changedAt) }))
  if (events.length === 0) return false
  const [result] = await session.runSet(ENQUEUE_DELIVERIES, events)
  return (result?.enqueued ?? 0) > 0
}
