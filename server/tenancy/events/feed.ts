/**
 * Follows the events of API keys: each event exactly once, and the events of each organization in the order in which they
 * happened, despite concurrent writes and long transactions (ADR 0018).
 */
import type { Event, EventType } from '#contract/events/events.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { repeat } from '#platform/jobs/repeat.ts'
import type { Backlog } from '#platform/jobs/worker.ts'
import type { Log } from '#platform/log.ts'
import { isInvitee } from '../principals.ts'
import {
  ADD_FOLLOWER,
  CLAIM_FOLLOWERS,
  COUNT_BEHIND,
  DELETE_FOLLOWER,
  type EventRow,
  FIND_BEHIND,
  type FollowerPosition,
  READ_FOLLOWED,
  type ReadRow,
  SET_FOLLOWERS,
} from './feed-statements.ts'

/** A reader of the feeds. Each has one follower per API key. */
export type Consumer = 'webhooks' | 'mail'

/** An event of an API key as readers receive it. */
export interface FeedEvent extends Omit<EventRow, 'tick' | 'apiKeyId' | 'changedAt'> {
  apiKeyId: string
  /** When the change was made, in Unix milliseconds. */
  changedAt: number
}

/** A position in the order of the feed. */
export interface FeedPosition {
  tick: number
  stream: string
  sequence: number
}

export interface FollowedEvents {
  apiKeyId: string
  events: FeedEvent[]
}

/** Starts following from now on, including events that the transaction of `session` writes. An existing follower continues. */
export async function startFollowing(session: Session, consumer: Consumer, apiKeyId: string): Promise<void> {
  await session.run(ADD_FOLLOWER, [consumer, apiKeyId])
}

/** Stops following. Waits for events that are being handled; afterwards none are. */
export async function stopFollowing(session: Session, consumer: Consumer, apiKeyId: string): Promise<void> {
  await session.run(DELETE_FOLLOWER, [consumer, apiKeyId])
}

/** Handles events in the transaction that stores the position of the follower. It can run again, so it must have no other effects. */
export type HandleEvents = (session: Session, followed: FollowedEvents[]) => Promise<void>

export interface FollowOptions {
  /** How long to wait when there are no unread events. */
  intervalMs: number
  /** Returns how many events of the claimed API keys a transaction handles in total; default: the maximum. */
  eventsMax?(session: Session, apiKeyIds: readonly string[]): Promise<number>
}

/** The limits of one transaction. */
const KEYS_PER_TRANSACTION = 20
const EVENTS_PER_TRANSACTION = 500
/** The maximum number of events of one key that are scanned for unread ones. */
const SCAN_MAX = 10_000
/** The delay after the events of a key could not be handled. It doubles each time. */
const RETRY_MS = 1_000
const RETRY_MAX_MS = 60_000

/**
 * Passes the events of all followed keys to `handle`, each exactly once if it only writes to the database. Every process can
 * do this; one process at a time handles a key. If `handle` throws, the error is logged and its keys are retried later.
 * Returns a function that stops it and resolves after the transaction under way.
 */
export function followEvents(
  { db, log }: { db: Db; log: Log },
  consumer: Consumer,
  handle: HandleEvents,
  { intervalMs, eventsMax = async () => EVENTS_PER_TRANSACTION }: FollowOptions,
): () => Promise<void> {
  const failed = new Map<string, { delayMs: number; until: number }>()

  /** Polls all keys once. Returns whether there were unread events. */
  async function pollOnce(stopping: AbortSignal): Promise<boolean> {
    if ((await db.run(FIND_BEHIND, [consumer])).length === 0) return false
    let hasUnread = false
    let after = ''
    let aloneUpTo = ''
    while (!stopping.aborted) {
      const keysMax = after < aloneUpTo ? 1 : KEYS_PER_TRANSACTION
      const waiting = [...failed].filter(([, { until }]) => until > performance.now()).map(([apiKeyId]) => apiKeyId)
      const claimed: string[] = []
      try {
        await db.transaction(async (session) => {
          claimed.length = 0
          const found = await session.run(CLAIM_FOLLOWERS, [consumer, after, keysMax, waiting])
          claimed.push(...found.map(({ apiKeyId }) => apiKeyId))
          if (claimed.length === 0) return
          const most = Math.min(await eventsMax(session, claimed), EVENTS_PER_TRANSACTION)
          await handleNext(session, consumer, claimed, Math.max(Math.floor(most / claimed.length), 1), handle)
        })
        for (const apiKeyId of claimed) failed.delete(apiKeyId)
      } catch (err) {
        const [apiKeyId, ...others] = claimed
        if (apiKeyId === undefined) throw err
        if (others.length > 0) {
          aloneUpTo = claimed.at(-1) ?? '' // handle each key alone, to find the one that fails
          continue
        }
        const delayMs = Math.min((failed.get(apiKeyId)?.delayMs ?? RETRY_MS / 2) * 2, RETRY_MAX_MS)
        failed.set(apiKeyId, { delayMs, until: performance.now() + delayMs })
        log.warn({ err, consumer, apiKeyId, delayMs }, 'events could not be handled; they will be retried')
      }
      const last = claimed.at(-1)
      if (last === undefined) break
      hasUnread = true
      after = last
    }
    return hasUnread
  }

  async function catchUp(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await pollOnce(stopping)));
  }
  return repeat(catchUp, {
    everyMs: intervalMs,
    log,
    failure: `the events for ${consumer} could not be followed; they will be retried`,
  })
}

/** Returns how many followers have unread events. */
export async function followersBacklog(db: Db): Promise<Backlog[]> {
  const rows = await db.run(COUNT_BEHIND)
  return rows.map(({ consumer, ...waiting }) => ({ labels: { consumer }, ...waiting }))
}

/** Handles the next events of the claimed keys, `eventsMax` of each, and stores the positions of their followers. */
async function handleNext(
  session: Session,
  consumer: Consumer,
  claimed: string[],
  eventsMax: number,
  handle: HandleEvents,
): Promise<void> {
  const rows = await session.run(READ_FOLLOWED, [consumer, claimed, eventsMax, SCAN_MAX])
  const followed: FollowedEvents[] = []
  const positions: FollowerPosition[] = []
  for (const apiKeyId of claimed) {
    const own = rows.filter((row) => row.follower === apiKeyId)
    const { events, last } = eventsPage(own, eventsMax)
    if (events.length > 0) followed.push({ apiKeyId, events })
    const { tick = null, stream = null, sequence = null } = last ?? {}
    positions.push({ consumer, apiKeyId, until: own[0]?.until ?? '', tick, stream, sequence })
  }
  if (followed.length > 0) await handle(session, followed)
  await session.runSet(SET_FOLLOWERS, positions)
}

/** Returns the events of `rows`, and the position to continue from if there may be more. `limit` is the number requested. */
export function eventsPage(
  rows: readonly ReadRow<object>[],
  limit: number,
): { events: FeedEvent[]; last?: FeedPosition } {
  const events = rows.flatMap((row) => (row.tick === null ? [] : [row]))
  const [{ edgeTick: tick = null, edgeStream: stream = null, edgeSequence: sequence = null } = {}] = rows
  const edge = tick !== null && stream !== null && sequence !== null ? { tick, stream, sequence } : undefined
  const last = events.length === limit ? events.at(-1) : edge
  return { events: events.map(toFeedEvent), ...(last && { last }) }
}

export function toFeedEvent({ tick, changedAt, apiKeyId, ...row }: EventRow): FeedEvent {
  const { stream, sequence, type, organizationId, resourceKind, resourceId, userId, actor, before, after } = row
  const user = userId === null || isInvitee(userId) ? null : userId
  return {
    ...{ stream, sequence, type, apiKeyId: apiKeyId ?? '', organizationId, resourceKind, resourceId, userId: user },
    ...{ actor, before, after, changedAt: changedAt.getTime() },
  }
}

/** Returns the id of an event, the same in lists, webhooks and mail. */
export const eventId = ({ stream, sequence }: Pick<FeedEvent, 'stream' | 'sequence'>): string =>
  `${stream.replaceAll('-', '')}-${sequence}`

/** Returns an event in the form of the API and of webhooks. */
export function publicEvent(event: FeedEvent): Event {
  const { type, changedAt, actor, apiKeyId, organizationId, resourceKind, resourceId, userId, before, after } = event
  return {
    id: eventId(event),
    type: type as EventType,
    changedAt,
    actor,
    ...(apiKeyId === '' ? {} : { apiKey: apiKeyId }),
    ...(organizationId === null ? {} : { organizationId }),
    ...subjectOf(resourceKind, resourceId),
    ...(userId === null ? {} : { userId }),
    ...(before === null ? {} : { before }),
    ...(after === null ? {} : { after }),
  }
}

/** Returns the resource of an event, or its user group: an id without a resource type. */
function subjectOf(type: FeedEvent['resourceKind'], id: string | null) {
  if (id === null) return {}
  return type === null ? { groupId: id } : { resource: { type, id } }
}
