/**
 * Knows when something on the page expires: a grant, a token, a session. Each query has one timer, set to the earliest
 * expiry in its data. When it fires, everything that shows times is redrawn, and data that depends on the expiry is
 * refetched.
 */
import type { Query, QueryClient } from '@tanstack/react-query'
import { drawTimes } from '../../clock.ts'
import { isConcerned, isFollowed } from './concerns.ts'
import { earliestEnd } from './earliest-end.ts'
import { refetchForeign } from './follower.ts'

/** Timers cannot be longer than 24 days; a page can be open for longer. */
const TIMER_MS_MAX = 86_400_000
/** The server decides by its own clock. Many tabs can show the same grant. */
const REFETCH_MS = 250
const REFETCH_SPREAD_MS = 750

export function watchEnds(queryClient: QueryClient): void {
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  queryClient.getQueryCache().subscribe(({ type, query, ...event }) => {
    const isNew =
      type === 'added' || (type === 'updated' && (event as { action: { type: string } }).action.type === 'success')
    if (!isNew && type !== 'removed') return
    clearTimeout(timers.get(query.queryHash))
    timers.delete(query.queryHash)
    if (isNew && isFollowed(query.queryKey)) watch(query)
  })

  function watch(query: Query): void {
    const now = Date.now()
    const end = earliestEnd(query.state.data, now)
    if (end === undefined) return
    const waitMs = Math.min(end - now, TIMER_MS_MAX)
    timers.set(
      query.queryHash,
      setTimeout(() => {
        if (Date.now() < end) return watch(query)
        drawTimes()
        timers.set(
          query.queryHash,
          setTimeout(() => expire(query), REFETCH_MS + Math.random() * REFETCH_SPREAD_MS),
        )
      }, waitMs),
    )
  }

  /** Access by a grant is in other queries too, without its expiry. */
  function expire({ queryHash }: Query): void {
    timers.delete(queryHash)
    const expired = [{ type: 'permission.expired' as const }]
    refetchForeign(
      queryClient,
      (query) => query.queryHash === queryHash || (query.isActive() && isConcerned(query.queryKey, expired)),
    )
  }
}
