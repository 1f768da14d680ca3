/** Lists events: a stream by sequence number, an API key by the feed (ADR 0018). */

import { organizationFault } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import { typesOf } from '#contract/events/event-types.ts'
import type { listAccountEvents, listEvents } from '#contract/events/events.ts'
import type { Kernel } from '#kernel'
import type { Db } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'
import { type Paged, pageTokenInvalid } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { organizationKey, owningOrganization, workspaceStream } from '#tenancy/callers/keys.ts'
import { eventsPage, type FeedEvent, publicEvent } from '#tenancy/events/feed.ts'
import { FIRST_STREAM, LAST_STREAM } from '#tenancy/events/feed-statements.ts'
import { type NameScope, namesIn } from './names.ts'
import {
  type BoundsRow,
  FIND_EPOCH,
  FIND_NUMBERS,
  FIND_TICKS,
  LIST_NEWEST,
  LIST_NEWEST_OF_KEY_USER,
  LIST_NEWEST_OF_RESOURCE,
  LIST_NEWEST_OF_STREAM,
  LIST_NEWEST_OF_USER,
  LIST_OLDEST,
  LIST_OLDEST_OF_KEY_USER,
  LIST_OLDEST_OF_RESOURCE,
  LIST_OLDEST_OF_STREAM,
  LIST_OLDEST_OF_USER,
} from './statements.ts'

type Filters = DataOf<typeof listEvents> & DataOf<typeof listAccountEvents>
type Page = Paged<ResultOf<typeof listEvents>>

const EXAMINED_MAX = LIMITS.eventsExaminedPerPageMax

/** Bounds of every tick and sequence number, as text because JavaScript numbers cannot represent them exactly. */
const LEAST = '-9223372036854775808'
const GREATEST = '9223372036854775807'

/** A snapshot that sees nothing, not even rows written before snapshots were recorded. */
const NOTHING = '1:1:'

/** A position in the feed, like those in `event_followers`. `seen` is null if the list ends with `until`. */
interface Cursor {
  seen: string | null
  until: string | null
  after: [tick: number | string, stream: string, sequence: number] | null
}

/** After everything, where a position is not known. */
const LAST_POSITION = 'FFFFFFFF/FFFFFFFF'

interface Position {
  last: string | null
  epoch: number
  token: string | null
}

type TokenParts = [last: string, epoch: number, logPosition: string]

/** Returns the parts of a token. Tokens of earlier versions have only the cursor, of the first epoch. */
function partsOf(token: string | null): [last: string | null, epoch: number, logPosition: string] {
  return token?.startsWith('[') ? JSON.parse(token) : [token, 0, LAST_POSITION]
}

export function createEvents(kernel: Kernel) {
  const { db, home, buckets, pageTokens } = kernel
  return {
    async list(caller: Caller, data: DataOf<typeof listEvents>): Promise<Page> {
      const organizationId = organizationOf(data)
      const scope = ['events.list', caller.apiKeyId, ...queryOf({ ...data, organizationId })]
      const page =
        organizationId === undefined
          ? await listFeed(caller.apiKeyId, data, scope)
          : await listStream(organizationKey(caller, organizationId), data, scope)
      return withNames(page, [kernel], caller, data)
    },

    async ofWorkspace(caller: WorkspaceCaller, data: DataOf<typeof listAccountEvents>): Promise<Page> {
      const scope = ['account-events.list', caller.workspaceId, ...queryOf(data)]
      const kernels = await buckets.kernelsOf(caller.workspaceId, data.apiKey)
      const page =
        kernels.length === 1
          ? await listStream(workspaceStream(caller.workspaceId, undefined), data, scope)
          : await listEverywhere(kernels, caller, data, scope)
      return withNames(page, kernels, caller, data)
    },
  }

  async function withNames(
    page: Page,
    kernels: readonly Kernel[],
    caller: NameScope,
    { includeNames = false }: Filters,
  ): Promise<Page> {
    if (!includeNames) return page
    const { events, hasMore } = page.data
    return { ...page, data: { events, names: await namesIn({ home, kernels }, caller, events), hasMore } }
  }

  async function listStream(stream: string, data: Filters, scope: readonly unknown[]): Promise<Page> {
    const position = await positionOf(db, pageTokens.decode(scope, data.pageToken))
    const { events, hasMore, next } = await readStream(db, stream, data, position)
    return pageOf(events, hasMore, next && pageTokens.encode(scope, JSON.stringify(next)))
  }

  /**
   * Lists the events of a workspace and those about its API keys in buckets, each from a stream of its own, in the order of their
   * times. The token of the next page has the position in each stream.
   */
  async function listEverywhere(
    kernels: readonly Kernel[],
    { workspaceId }: WorkspaceCaller,
    data: Filters,
    scope: readonly unknown[],
  ): Promise<Page> {
    const { order, pageSize = LIMITS.pageSizeMax } = data
    const token = pageTokens.decode(scope, data.pageToken)
    const tokens: Record<string, string | null> = token?.startsWith('{') ? JSON.parse(token) : { '': token }
    const sources = await buckets.inEach(kernels, async ({ db, bucket }) => {
      const position = await positionOf(db, tokens[bucket ?? ''] ?? null)
      const page = await readStream(db, workspaceStream(workspaceId, bucket), data, position)
      return { ...page, bucket: bucket ?? '', position, used: 0 }
    })
    const sign = order === 'oldestFirst' ? 1 : -1
    const events: FeedEvent[] = []
    while (events.length < pageSize) {
      const from = nextSource(sources, sign)
      if (from === undefined) break
      events.push(from.events[from.used++] as FeedEvent)
    }
    const hasMore = sources.some(({ events, used, hasMore }) => used < events.length || hasMore)
    const next = Object.fromEntries(
      sources.map(({ bucket, position, ...source }) => {
        const reached = reachedIn(source, order)
        return [bucket, reached === undefined ? position.token : JSON.stringify(reached)]
      }),
    )
    const isPositioned = hasMore || order === 'oldestFirst'
    return pageOf(events, hasMore, isPositioned ? pageTokens.encode(scope, JSON.stringify(next)) : undefined)
  }

  async function listFeed(apiKeyId: string, data: Filters, scope: readonly unknown[]): Promise<Page> {
    const { order, pageSize = LIMITS.pageSizeMax } = data
    const { last: token, epoch } = await positionOf(db, pageTokens.decode(scope, data.pageToken))
    const { least, greatest } = await boundsOf(db, FIND_TICKS, apiKeyId, data)
    const isOldest = order === 'oldestFirst'
    const first: Cursor = isOldest
      ? { seen: NOTHING, until: null, after: [String(least ?? LEAST), FIRST_STREAM, 0] }
      : { seen: null, until: null, after: [String(greatest ?? GREATEST), LAST_STREAM, 0] }
    const { seen, until, after }: Cursor = token === null ? first : JSON.parse(token)
    const values = [...valuesOf(data), EXAMINED_MAX, pageSize, apiKeyId]
    const [tick, stream, sequence] = after ?? [null, null, null]
    const [oldest, newest] =
      data.userId === undefined ? [LIST_OLDEST, LIST_NEWEST] : [LIST_OLDEST_OF_KEY_USER, LIST_NEWEST_OF_KEY_USER]
    const rows = await (isOldest
      ? db.run(oldest, [...values, seen, until, tick, stream, sequence, String(greatest ?? GREATEST)])
      : db.run(newest, [...values, until, tick, stream, sequence, String(least ?? LEAST)]))
    const [{ until: seenNow = '', isAhead = false } = {}] = rows
    if (isAhead) throw pageTokenInvalid()
    const { events, last } = eventsPage(rows, pageSize)
    const next: Cursor =
      last === undefined
        ? { seen: seenNow, until: null, after: null }
        : { seen, until: seenNow, after: [last.tick, last.stream, last.sequence] }
    const hasMore = last !== undefined
    const position = hasMore || isOldest ? encode(scope, JSON.stringify(next), epoch, rows[0]?.logPosition) : undefined
    return pageOf(events, hasMore, position)
  }

  /** The epoch is from before the page was read, and the position from after: a failover in between makes the token invalid. */
  function encode(scope: readonly unknown[], last: string, epoch: number, logPosition?: string | null): string {
    return pageTokens.encode(scope, JSON.stringify([last, epoch, logPosition ?? LAST_POSITION]))
  }
}

interface StreamPage {
  events: FeedEvent[]
  hasMore: boolean
  /** The position of the next page; undefined: there is none. */
  next: TokenParts | undefined
  /** Returns the position after the event with a number. */
  at(sequence: number): TokenParts
}

/** Lists by sequence number, which is a sufficient cursor because later commits have higher numbers. */
async function readStream(
  db: Db,
  stream: string,
  data: Filters,
  { last: token, epoch }: Position,
): Promise<StreamPage> {
  const { order, pageSize = LIMITS.pageSizeMax } = data
  const { least, greatest } = await boundsOf(db, FIND_NUMBERS, stream, data)
  const isOldest = order === 'oldestFirst'
  const after = isOldest ? (token ?? (least === null ? '0' : String(least - 1))) : String((least ?? 0) - 1)
  const before = isOldest || token === null ? (greatest === null ? GREATEST : String(greatest + 1)) : token
  const list = listOfStream(data)[isOldest ? 'oldestFirst' : 'newestFirst']
  const rows = await db.run(list, [...valuesOf(data), EXAMINED_MAX, pageSize, stream, after, before])
  const { events, last } = eventsPage(rows, pageSize)
  const end = isOldest ? Math.max(Number(after), rows[0]?.greatest ?? 0) : undefined
  const next = last?.sequence ?? end
  const at = (sequence: number): TokenParts => [String(sequence), epoch, rows[0]?.logPosition ?? LAST_POSITION]
  return {
    events,
    hasMore: last !== undefined,
    next: next === undefined ? undefined : at(next),
    at,
  }
}

/**
 * Returns the source whose next event is the earliest. Undefined if no source has another event, or if the page of a
 * source is used up although it has more events, so that the earliest is not known.
 */
function nextSource<Source extends StreamPage & { used: number }>(
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
function reachedIn({ events, used, next, at }: StreamPage & { used: number }, order: Filters['order']) {
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
async function positionOf(db: Db, token: string | null): Promise<Position> {
  const [last, seenEpoch, logPosition] = partsOf(token)
  const [{ epoch, isLost } = { epoch: 0, isLost: false }] = await db.run(FIND_EPOCH, [seenEpoch, logPosition])
  if (token !== null && isLost) throw pageTokenInvalid()
  return { last, epoch, token }
}

async function boundsOf(db: Db, find: Statement<BoundsRow>, key: string, { from, to }: Filters): Promise<BoundsRow> {
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

function pageOf(found: readonly FeedEvent[], hasMore: boolean, nextPageToken: string | undefined): Page {
  return {
    data: { events: found.map(publicEvent), hasMore },
    ...(nextPageToken === undefined ? {} : { nextPageToken }),
  }
}

/** Returns the organization of the query, if it is limited to one. */
function organizationOf({ organizationId, resource }: Filters): string | undefined {
  if (resource === undefined) return organizationId
  const fault = organizationFault(resource, 'resource')
  if (fault !== undefined) throw invalidArgument([fault])
  const owner = owningOrganization(resource)
  if (organizationId !== undefined && organizationId !== owner) {
    const field = 'organizationId'
    throw invalidArgument([{ field, message: `${field} must be equal to that of the resource, or be omitted` }])
  }
  return owner
}

/**
 * Returns all parameters of the query except the page size, in the form in which earlier versions signed page tokens.
 */
function queryOf(filters: Filters): unknown[] {
  const { order = 'newestFirst', organizationId = null, actor: { token = null, operatorId } = {} } = filters
  const values = valuesOf(filters).toSpliced(CAUSED_BY, 1, token)
  return [order, organizationId, ...values, ...(operatorId === undefined ? [] : [operatorId])]
}

const timeOf = (milliseconds: number | undefined): Date | null =>
  milliseconds === undefined ? null : new Date(milliseconds)

/** The place of `$5` among the values of the filters. */
const CAUSED_BY = 4

/** Returns the values of the filters, `$1` to `$9`. */
function valuesOf({ types, userId, resource, actor, from, to, apiKey }: Filters): unknown[] {
  const wantedTypes = types === undefined ? null : typesOf(types)
  const { token, operatorId, system = null } = actor ?? {}
  const subject = [userId ?? null, resource?.type ?? null, resource?.id ?? null]
  return [wantedTypes, ...subject, causedBy({ token, operatorId }), system, timeOf(from), timeOf(to), apiKey ?? null]
}

/** Returns the JSON that the actor of an event must contain, or null to match any actor. */
function causedBy({
  token,
  operatorId,
}: {
  token?: string | undefined
  operatorId?: string | undefined
}): string | null {
  if (token === undefined && operatorId === undefined) return null
  return JSON.stringify({ token, ...(operatorId === undefined ? {} : { operator: { id: operatorId } }) })
}
