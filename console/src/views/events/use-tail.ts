/** Reads new events when the follower of the tab finds some, and returns each exactly once. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type NamedEvent, namedEvents } from '#sdk/event-sentences/named-events.ts'
import { type EventQuery, eventsSinceQuery } from '../../queries/keys/events.ts'
import { onEvents } from '../../queries/live/follower.ts'
import type { Key } from '../../session/session.ts'

/** Pages that stay open for days drop the oldest events. */
const KEPT_MAX = 5_000

interface Tail {
  query: EventQuery
  /** Unix milliseconds; undefined until known. Only the first value counts, because page tokens belong to it. */
  from: number | undefined
  isLive: boolean
}

/** Returns the events since `from`. Pausing loses none: polling resumes at the same position. */
export function useTail(key: Key, { query, from, isLive }: Tail): readonly NamedEvent[] {
  const queryClient = useQueryClient()
  const [events, setEvents] = useState<readonly NamedEvent[]>([])
  const pageToken = useRef<string>(undefined)
  const initialQuery = useRef(query)
  const since = useRef<number>(undefined)
  useEffect(() => {
    since.current ??= from
    const first = since.current
    if (!isLive || first === undefined) return
    let stopped = false
    let reading = Promise.resolve()
    const read = async () => {
      for (;;) {
        const page = await queryClient.fetchQuery(eventsSinceQuery(key, initialQuery.current, first, pageToken.current))
        if (stopped) return
        pageToken.current = page.nextPageToken ?? pageToken.current
        const arrived = namedEvents(page.data)
        if (arrived.length > 0) setEvents((before) => [...arrived.toReversed(), ...before].slice(0, KEPT_MAX))
        if (!page.data.hasMore) return
      }
    }
    // One after the other: each read continues where the last one ended. What fails is read with the next events.
    const readNext = () => {
      reading = reading.then(() => (stopped ? undefined : read().catch(() => {})))
    }
    readNext()
    const stopFollowing = onEvents(readNext)
    return () => {
      stopped = true
      stopFollowing()
    }
  }, [queryClient, key, from, isLive])
  return events
}
