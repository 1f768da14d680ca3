/** Lists events: a stream by sequence number, an API key by the feed (ADR 0018). */
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { listAccountEvents, listEvents } from '#contract/events/events.ts'
import type { Kernel } from '#kernel'
import type { Paged } from '#platform/secrets/page-token.ts'
import type { Caller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { organizationKey, workspaceStream } from '#tenancy/callers/keys.ts'
import { eventsPage, type FeedEvent, publicEvent } from '#tenancy/events/feed.ts'
import { FIRST_STREAM, LAST_STREAM } from '#tenancy/events/feed-statements.ts'
import { type Filters, organizationOf, queryOf, valuesOf } from './filters.ts'
import { type NameScope, namesIn } from './names.ts'
import { FIND_TICKS } from './range-statements.ts'
import { LIST_NEWEST, LIST_NEWEST_OF_KEY_USER, LIST_OLDEST, LIST_OLDEST_OF_KEY_USER } from './statements.ts'
import {
  boundsOf,
  EXAMINED_MAX,
  eventsLost,
  GREATEST,
  LAST_POSITION,
  nextSource,
  positionOf,
  reachedIn,
  readStream,
  withoutFrom,
} from './streams.ts'

type Page = Paged<ResultOf<typeof listEvents>>

/** The lower bound of every tick, as text because JavaScript numbers cannot represent it exactly. */
const LEAST = '-9223372036854775808'

/** A snapshot that sees nothing, not even rows written before snapshots were recorded. */
const NOTHING = '1:1:'

/**
 * A position in the feed, like those in `event_followers`. `seen` is null if the list ends with `until`. With `isPastFrom`, the list
 * continues with every event.
 */
interface Cursor {
  seen: string | null
  until: string | null
  after: [tick: number | string, stream: string, sequence: number] | null
  isPastFrom?: boolean
}

const NO_ROW = { until: '', isAhead: false, isPastFrom: false, logPosition: null }

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
    const { seen, until, after, isPastFrom = false }: Cursor = token === null ? first : JSON.parse(token)
    const values = [...valuesOf(withoutFrom(data, isPastFrom)), EXAMINED_MAX, pageSize, apiKeyId]
    const [tick, stream, sequence] = after ?? [null, null, null]
    const [oldest, newest] =
      data.userId === undefined ? [LIST_OLDEST, LIST_NEWEST] : [LIST_OLDEST_OF_KEY_USER, LIST_NEWEST_OF_KEY_USER]
    const rows = await (isOldest
      ? db.run(oldest, [...values, seen, until, tick, stream, sequence, String(greatest ?? GREATEST)])
      : db.run(newest, [...values, until, tick, stream, sequence, String(least ?? LEAST)]))
    const [{ until: seenNow, isAhead, isPastFrom: isPastNow, logPosition } = NO_ROW] = rows
    if (isAhead) throw eventsLost()
    const { events, last } = eventsPage(rows, pageSize)
    const hasMore = last !== undefined
    const next: Cursor = {
      ...(hasMore
        ? { seen, until: seenNow, after: [last.tick, last.stream, last.sequence] }
        : { seen: seenNow, until: null, after: null }),
      ...((isPastFrom || (!hasMore && isPastNow)) && { isPastFrom: true }),
    }
    const position = hasMore || isOldest ? encode(scope, JSON.stringify(next), epoch, logPosition) : undefined
    return pageOf(events, hasMore, position)
  }

  /** The epoch is from before the page was read, and the position from after: a failover in between makes the token invalid. */
  function encode(scope: readonly unknown[], last: string, epoch: number, logPosition?: string | null): string {
    return pageTokens.encode(scope, JSON.stringify([last, epoch, logPosition ?? LAST_POSITION]))
  }
}

function pageOf(found: readonly FeedEvent[], hasMore: boolean, nextPageToken: string | undefined): Page {
  return {
    data: { events: found.map(publicEvent), hasMore },
    ...(nextPageToken === undefined ? {} : { nextPageToken }),
  }
}
