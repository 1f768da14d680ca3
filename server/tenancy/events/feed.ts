/**
 * Following the events of API keys: each event exactly once, the events of each organization in the order in which they
 * happened, whoever writes at the same time and however long a transaction stays open (ADR 0018).
 */
import type { Event, EventType } from '#contract/events.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Backlog } from '#platform/jobs.ts'
import type { Log } from '#platform/log.ts'
import { repeat } from '#platform/repeat.ts'
import {
  ADD_FOLLOWER,
  CLAIM_FOLLOWERS,
  COUNT_BEHIND,
  DELETE_FOLLOWER,
  type EventRow,
  type FollowerPosition,
  READ_FOLLOWED,
  type ReadRow,
  SET_FOLLOWERS,
} from './feed-statements.ts'

/** Who follows. */
export type Consumer = 'webhooks' | 'mail'

/** An event of an API key as readers get it. */
export interface FeedEvent extends Omit<EventRow, 'tick' | 'apiKeyId' | 'changedAt'> {
  apiKeyId: string
  /** In milliseconds. */
  changedAt: number
}

/** A place in the order of the feed. */
export interface FeedPosition {
  tick: number
  stream: string
  sequence: number
}

export interface FollowedEvents {
  apiKeyId: string
  events: FeedEvent[]
}

/** Follows from now on, beginning with what the transaction of `session` itself writes; who follows already goes on. */
export async function startFollowing(session: Session, consumer: Consumer, apiKeyId: string): Promise<void> {
  await session.run(ADD_FOLLOWER, [consumer, apiKeyId])
}

/** Waits for events that are being handled; none is from here on. */
export async function stopFollowing(session: Session, consumer: Consumer, apiKeyId: string): Promise<void> {
  await session.run(DELETE_FOLLOWER, [consumer, apiKeyId])
}

/** Handles events in the transaction that notes how far they were read. It may run again, and must have no other effects. */
export type HandleEvents = (session: Session, followed: FollowedEvents[]) => Promise<void>

export interface FollowOptions {
  /** How long it waits when there is no news. */
  intervalMs: number
}

/** A transaction takes no more keys and no more events. */
const KEYS_AT_ONCE = 20
const EVENTS_AT_ONCE = 500
/** Of one key it goes past so many to find them. */
const LOOK_MAX = 10_000
/** A key whose events could not be handled waits, each time twice as long. */
const RETRY_MS = 1_000
const RETRY_MAX_MS = 60_000

/**
 * Gives the events of all followed keys to `handle`, exactly once each if it only writes to the database: every process
 * may do this, and each key is with one of them at a time. What `handle` throws is logged, and tried again later for the
 * keys that it was thrown for. Answers what ends it, after the transaction under way.
 */
export function followEvents(
  { db, log }: { db: Db; log: Log },
  consumer: Consumer,
  handle: HandleEvents,
  { intervalMs }: FollowOptions,
): () => Promise<void> {
  const failed = new Map<string, { delayMs: number; until: number }>()

  /** Goes once through all keys; answers whether there was anything. */
  async function goAround(stopping: AbortSignal): Promise<boolean> {
    let news = false
    let after = ''
    let aloneUpTo = ''
    while (!stopping.aborted) {
      const most = after < aloneUpTo ? 1 : KEYS_AT_ONCE
      const waiting = [...failed].filter(([, { until }]) => until > performance.now()).map(([apiKeyId]) => apiKeyId)
      const claimed: string[] = []
      try {
        await db.transaction(async (session) => {
          claimed.length = 0
          const found = await session.run(CLAIM_FOLLOWERS, [consumer, after, most, waiting])
          claimed.push(...found.map(({ apiKeyId }) => apiKeyId))
          if (claimed.length > 0) await handleNext(session, consumer, claimed, handle)
        })
        for (const apiKeyId of claimed) failed.delete(apiKeyId)
      } catch (err) {
        const [apiKeyId, ...others] = claimed
        if (apiKeyId === undefined) throw err
        if (others.length > 0) {
          aloneUpTo = claimed.at(-1) ?? '' // whose fault it is shows when each is alone
          continue
        }
        const delayMs = Math.min((failed.get(apiKeyId)?.delayMs ?? RETRY_MS / 2) * 2, RETRY_MAX_MS)
        failed.set(apiKeyId, { delayMs, until: performance.now() + delayMs })
        log.warn({ err, consumer, apiKeyId, delayMs }, 'events could not be handled; they are tried again')
      }
      const last = claimed.at(-1)
      if (last === undefined) break
      news = true
      after = last
    }
    return news
  }

  async function catchUp(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await goAround(stopping)));
  }
  return repeat(catchUp, {
    everyMs: intervalMs,
    log,
    failure: `the events for ${consumer} could not be followed; it is tried again`,
  })
}

/** Who has events to read. */
export async function followersBacklog(db: Db): Promise<Backlog[]> {
  const rows = await db.run(COUNT_BEHIND)
  return rows.map(({ consumer, ...waiting }) => ({ labels: { consumer }, ...waiting }))
}

/** Handles the next events of the keys that are claimed, and notes how far they are read. */
async function handleNext(session: Session, consumer: Consumer, claimed: string[], handle: HandleEvents) {
  const most = Math.floor(EVENTS_AT_ONCE / claimed.length)
  const rows = await session.run(READ_FOLLOWED, [consumer, claimed, most, LOOK_MAX])
  const followed: FollowedEvents[] = []
  const places: FollowerPosition[] = []
  for (const apiKeyId of claimed) {
    const own = rows.filter((row) => row.follower === apiKeyId)
    const { events, last } = eventsPage(own, most)
    if (events.length > 0) followed.push({ apiKeyId, events })
    const { tick = null, stream = null, sequence = null } = last ?? {}
    places.push({ consumer, apiKeyId, until: own[0]?.until ?? '', tick, stream, sequence })
  }
  if (followed.length > 0) await handle(session, followed)
  await session.runSet(SET_FOLLOWERS, places)
}

/** The events of rows that were read, at most `most`, and where to go on if there may be more. */
export function eventsPage(
  rows: readonly ReadRow<object>[],
  most: number,
): { events: FeedEvent[]; last?: FeedPosition } {
  const events = rows.flatMap((row) => (row.tick === null ? [] : [row]))
  const [{ edgeTick: tick = null, edgeStream: stream = null, edgeSequence: sequence = null } = {}] = rows
  const edge = tick !== null && stream !== null && sequence !== null ? { tick, stream, sequence } : undefined
  const last = events.length === most ? events.at(-1) : edge
  return { events: events.map(toFeedEvent), ...(last && { last }) }
}

export function toFeedEvent({ tick, changedAt, apiKeyId, ...row }: EventRow): FeedEvent {
  const { stream, sequence, type, organizationId, resourceKind, resourceId, userId, actor, before, after } = row
  return {
    ...{ stream, sequence, type, apiKeyId: apiKeyId ?? '', organizationId, resourceKind, resourceId, userId },
    ...{ actor, before, after, changedAt: changedAt.getTime() },
  }
}

/** The id of an event wherever it is told of. */
export const eventId = ({ stream, sequence }: Pick<FeedEvent, 'stream' | 'sequence'>): string =>
  `${stream.replaceAll('-', '')}-${sequence}`

/** An event as everybody is told of it. */
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

/** A resource, or what has an id and is none, a user group. */
function subjectOf(type: FeedEvent['resourceKind'], id: string | null) {
  if (id === null) return {}
  return type === null ? { groupId: id } : { resource: { type, id } }
}
