/** Reads one stream of events by sequence number, and the positions that page tokens have in it. */
import { LIMITS } from '#contract/core/limits.ts'
import type { Db } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'
import { pageTokenInvalid } from '#platform/secrets/page-token.ts'
import type { StatusError } from '#platform/status-error.ts'
import { eventsPage, type FeedEvent } from '#tenancy/events/feed.ts'
import { type Filters, timeOf, valuesOf } from './filters.ts'
import { type BoundsRow, FIND_NUMBERS } from './range-statements.ts'
import {
  FIND_EPOCH,
  LIST_NEWEST_OF_RESOURCE,
  LIST_NEWEST_OF_STREAM,
  LIST_NEWEST_OF_USER,
  LIST_OLDEST_OF_RESOURCE,
  LIST_OLDEST_OF_STREAM,
  LIST_OLDEST_OF_USER,
} from './statements.ts'

export const EXAMINED_MAX = LIMITS.eventsExaminedPerPageMax

/** The upper bound of every tick and sequence number, as text because JavaScript numbers cannot represent it exactly. */
export const GREATEST = '9223372036854775807'

/** After everything, where a position is not known. */
export const LAST_POSITION = 'FFFFFFFF/FFFFFFFF'

interface Position {
  last: string | null
  epoch: number
  token: string | null
  isPastFrom: boolean
}

/** What a page token holds. With `isPastFrom`, the list continues with every event. */
type TokenParts = [last: string, epoch: number, logPosition: string, isPastFrom?: true]

/** Returns the parts of a token. Tokens of earlier versions have only the cursor, of the first epoch. */
function partsOf(token: string | null): [last: string | null, epoch: number, logPosition: string, isPastFrom?: true] {
  return token?.startsWith('[') ? JSON.parse(token) : [token, 0, LAST_POSITION]
}

export interface StreamPage {
  events: FeedEvent[]
  hasMore: boolean
  /** The position of the next page; undefined: there is none. */
  next: TokenParts | undefined
  /** Returns the position after the event with a number. */
  at(sequence: number): TokenParts
}

/** Lists by sequence number, which is a sufficient cursor because later commits have higher numbers. */
export async function readStream(
  db: Db,
  stream: string,
  data: Filters,
  { last: token, epoch, isPastFrom: wasPastFrom }: Position,
): Promise<StreamPage> {
  const { order, pageSize = LIMITS.pageSizeMax } = data
  const { least, greatest } = await boundsOf(db, FIND_NUMBERS, stream, data)
  const isOldest = order === 'oldestFirst'
  const after = isOldest ? (token ?? (least === null ? '0' : String(least - 1))) : String((least ?? 0) - 1)
  const before = isOldest || token === null ? (greatest === null ? GREATEST : String(greatest + 1)) : token
  const list = listOfStream(data)[isOldest ? 'oldestFirst' : 'newestFirst']
  const rows = await db.run(list, [
    ...valuesOf(withoutFrom(data, wasPastFrom)),
    EXAMINED_MAX,
    pageSize,
    stream,
    after,
    before,
  ])
  const { events, last } = eventsPage(rows, pageSize)
  const end = isOldest ? Math.max(Number(after), rows[0]?.greatest ?? 0) : undefined
  const next = last?.sequence ?? end
  const at = (sequence: number, isPastFrom = wasPastFrom): TokenParts => {
    const parts = [String(sequence), epoch, rows[0]?.logPosition ?? LAST_POSITION] as const
    return isPastFrom ? [...parts, true] : [...parts]
  }
  const isPastFrom = wasPastFrom || (last === undefined && rows[0]?.isPastFrom)
  return {
    events,
    hasMore: last !== undefined,
    next: next === undefined ? undefined : at(next, isPastFrom),
    at,
  }
}

/**
 * Returns the source whose next event is the earliest. Undefined if no source has another event, or if the page of a
 * source is used up although it has more events, so that the earliest is not known.
 */
export function nextSource<Source extends StreamPage & { used: number }>(
  sources: readonly Source[],
  sign: 1 | -1,
): Source | undefined {
  if (sources.some(({ events, used, hasMore }) => used === events.length && hasMore)) return undefined
  const timeOf = ({ events, used }: Source) => sign * (events[used]?.changedAt ?? 0)
  const left = sources.filter(({ events, used }) => used < events.length)
  return left.reduce<Source | undefined>(
    (first, source) => (first === undefined || timeOf(source) < timeOf(first) ? source : first),
    undefined,
  )
}

/** Returns the position after the first `used` events of a page; undefined: it is where the page began. */
export function reachedIn({ events, used, next, at }: StreamPage & { used: number }, order: Filters['order']) {
  if (used === events.length && next !== undefined) return next
  const last = events[used - 1]
  if (last !== undefined) return at(last.sequence)
  // Events that are recorded from now on are newer than this page.
  return order === 'oldestFirst' ? undefined : at((events[0]?.sequence ?? 0) + 1)
}

/**
 * Returns the cursor of a page token, and the epoch of the database. Refuses a token whose position may be after events
 * that a failover or a restore has lost, because the numbers of those events are used for other events.
 */
export async function positionOf(db: Db, token: string | null): Promise<Position> {
  const [last, seenEpoch, logPosition, isPastFrom = false] = partsOf(token)
  const [{ epoch, isLost } = { epoch: 0, isLost: false }] = await db.run(FIND_EPOCH, [seenEpoch, logPosition])
  if (token !== null && isLost) throw eventsLost()
  return { last, epoch, token, isPastFrom }
}

/** Returns the filters of a page; behind the end of an earlier page after `from`, times say nothing any more. */
export const withoutFrom = ({ from, ...filters }: Filters, isPastFrom: boolean): Filters =>
  isPastFrom || from === undefined ? filters : { from, ...filters }

export async function boundsOf(
  db: Db,
  find: Statement<BoundsRow>,
  key: string,
  { from, to }: Filters,
): Promise<BoundsRow> {
  const found = from === undefined && to === undefined ? [] : await db.run(find, [key, timeOf(from), timeOf(to)])
  return found[0] ?? { least: null, greatest: null }
}

/**
 * Returns the statements with the most selective index. Not every event about an organization has its id as resource,
 * so that filter scans the stream.
 */
function listOfStream({ resource, userId }: Filters) {
  if (resource !== undefined && resource.type !== 'organization')
    return { oldestFirst: LIST_OLDEST_OF_RESOURCE, newestFirst: LIST_NEWEST_OF_RESOURCE }
  return userId === undefined
    ? { oldestFirst: LIST_OLDEST_OF_STREAM, newestFirst: LIST_NEWEST_OF_STREAM }
    : { oldestFirst: LIST_OLDEST_OF_USER, newestFirst: LIST_NEWEST_OF_USER }
}

/** The refusal of a token from before a restore or failover: its reader need not read everything again. */
export const eventsLost = (): StatusError =>
  pageTokenInvalid(
    'pageToken',
    'pageToken is from before a restore or failover of the database, and may have seen events that are lost; start again without it, with `from`',
  )
