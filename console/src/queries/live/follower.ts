/**
 * Follows the event feed of the open API key or of the workspace. Each tab has one follower. It refetches the queries
 * that an event concerns, and pauses while the tab is hidden or the server is unreachable.
 */
import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { CommonholdError } from '#sdk/errors.ts'
import type { ListEventsData, ListEventsResult } from '#sdk/generated/operations.ts'
import type { CallOptions, Page } from '#sdk/options.ts'
import { reportError, whenReachable } from '../../session/reachability.ts'
import { firstPage } from '../pages/pages.ts'
import { type Change, isConcerned, isFollowed, isOffered } from './concerns.ts'

/** A method that lists events, of a key or of the workspace. */
export interface Feed {
  pages(data: ListEventsData, options: CallOptions): AsyncGenerator<Page<ListEventsResult>, void, undefined>
}

/** The pause after an event, or after coming back to the tab. Without events it grows, up to six calls a minute. */
const PAUSE_MS = 3_000
const PAUSE_MS_MAX = 10_000
const GROWTH = 1.3
/** After a refusal that would be repeated, but is not for good. */
const REFUSED_MS = 60_000
const PAGE_SIZE = 1_000
/** A page that is further behind refetches everything instead. */
const PAGES_MAX = 3
/** Events that were being written when the latest was read can be older than it. */
const MARGIN_MS = 5_000

const LASTING: readonly CommonholdError['status'][] = ['PERMISSION_DENIED', 'UNAUTHENTICATED', 'NOT_FOUND']

/** Called after each poll that found events. */
const readers = new Set<() => void>()
let poll: (() => void) | undefined
let eager = 0

/**
 * Calls back when there may be new events; for a view that shows them live, the follower polls more often. Returns a
 * function that stops it.
 */
export function onEvents(callback: () => void): () => void {
  readers.add(callback)
  eager++
  poll?.()
  return () => {
    eager--
    readers.delete(callback)
  }
}

/** Without a feed, such as for an auth token that must not read it, everything is refetched when the window gets the focus. */
export function useFollower(feed: Feed | undefined): void {
  const queryClient = useQueryClient()
  useEffect(() => (feed === undefined ? refetchOnFocus(queryClient) : follow(queryClient, feed)), [queryClient, feed])
}

function follow(queryClient: QueryClient, feed: Feed): () => void {
  const stopping = new AbortController()
  const { signal } = stopping
  let position: { from: number; pageToken?: string } | undefined
  const openedAt = Date.now()
  let pauseMs = PAUSE_MS
  let timer: ReturnType<typeof setTimeout> | undefined
  let isPolling = false
  let stopFallback: (() => void) | undefined

  const read = (data: ListEventsData) => firstPage(feed.pages(data, { signal }))

  async function start(): Promise<{ from: number }> {
    const latest = await read({ pageSize: 1 })
    return { from: Math.max(0, (latest.data.events[0]?.changedAt ?? 0) - MARGIN_MS) }
  }

  /** Returns the new events; undefined when there are too many to read. */
  async function readNew(): Promise<readonly Change[] | undefined> {
    const isFirst = position === undefined
    position ??= await start()
    const found: Change[] = []
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const { data, nextPageToken } = await read({ ...position, order: 'oldestFirst', pageSize: PAGE_SIZE })
      // The page has read what happened before it was opened. Later, the clock of the browser must not matter.
      found.push(...data.events.filter(({ changedAt }) => !isFirst || changedAt > openedAt - MARGIN_MS))
      if (nextPageToken !== undefined) position = { ...position, pageToken: nextPageToken }
      if (!data.hasMore) return found
    }
    position = await start()
    return undefined
  }

  async function pollOnce(): Promise<void> {
    await whenReachable()
    if (signal.aborted) return
    try {
      const changes = await readNew()
      if (signal.aborted) return
      const isQuiet = changes?.length === 0
      pauseMs = eager > 0 || !isQuiet ? PAUSE_MS : Math.min(PAUSE_MS_MAX, pauseMs * GROWTH)
      if (isQuiet) return
      refetchForeign(queryClient, ({ queryKey }) =>
        changes === undefined ? isFollowed(queryKey) : isConcerned(queryKey, changes),
      )
      for (const reader of readers) reader()
    } catch (error) {
      if (signal.aborted) return
      reportError(error)
      pauseMs = pauseAfter(error)
      // A restored database does not know the position any more.
      if (error instanceof CommonholdError && error.reason === 'page_token_invalid') {
        position = undefined
        pauseMs = PAUSE_MS
        refetchForeign(queryClient, ({ queryKey }) => isFollowed(queryKey))
      }
      // The role or the scopes have changed: the first refused call of a view says more.
      if (error instanceof CommonholdError && LASTING.includes(error.status)) {
        stop()
        refetchForeign(queryClient, ({ queryKey }) => isFollowed(queryKey))
        stopFallback = refetchOnFocus(queryClient)
      }
    }
  }

  async function pollNow(): Promise<void> {
    clearTimeout(timer)
    if (isPolling || signal.aborted || document.visibilityState === 'hidden') return
    isPolling = true
    await pollOnce()
    isPolling = false
    // Random, so that the tabs of a server do not call it at the same time.
    if (!signal.aborted) timer = setTimeout(pollNow, pauseMs * (0.8 + Math.random() * 0.4))
  }

  const onVisible = () => {
    pauseMs = PAUSE_MS
    void pollNow()
  }
  function stop(): void {
    stopping.abort()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onVisible)
    if (poll === onVisible) poll = undefined
  }
  document.addEventListener('visibilitychange', onVisible)
  poll = onVisible
  timer = setTimeout(pollNow, PAUSE_MS)
  return () => {
    stop()
    stopFallback?.()
  }
}

/** A failure that passes, such as of a database that was busy, must not leave a page out of date for a minute. */
function pauseAfter(error: unknown): number {
  if (!(error instanceof CommonholdError && error.retryable)) return REFUSED_MS
  return error.reason === 'unreachable' ? PAUSE_MS : Math.max(PAUSE_MS_MAX, error.retryAfterMs ?? 0)
}

/** Refetches what is open, and marks the rest as stale. What takes long to compute is only marked. */
export function refetchForeign(queryClient: QueryClient, concerns: (query: Query) => boolean): void {
  const isOfferedQuery = ({ queryKey }: Query) => isOffered(queryKey)
  void queryClient.invalidateQueries({ predicate: (query) => !isOfferedQuery(query) && concerns(query) })
  void queryClient.invalidateQueries({
    predicate: (query) => isOfferedQuery(query) && concerns(query),
    refetchType: 'none',
  })
}

/** A window that gets the focus again and again refetches no more often than this. */
const FOCUS_MS = 5_000

function refetchOnFocus(queryClient: QueryClient): () => void {
  let last = Number.NEGATIVE_INFINITY
  const onFocus = () => {
    if (performance.now() - last < FOCUS_MS) return
    last = performance.now()
    refetchForeign(queryClient, ({ queryKey }) => isFollowed(queryKey))
  }
  addEventListener('focus', onFocus)
  return () => removeEventListener('focus', onFocus)
}
