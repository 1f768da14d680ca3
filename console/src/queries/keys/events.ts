/** Queries of the events of an API key. */
import { queryOptions } from '@tanstack/react-query'
import { namedEvents } from '#sdk/event-sentences/named-events.ts'
import type { ListEventsData } from '#sdk/generated/operations.ts'
import type { CallOptions } from '#sdk/options.ts'
import type { Key } from '../../session/session.ts'
import { firstPage, pagesQuery } from '../pages/pages.ts'
import { queryKeyOf } from './keys.ts'

export type EventQuery = Omit<ListEventsData, 'pageToken' | 'order' | 'pageSize' | 'includeNames'>

export const eventsQuery = (key: Key, data: Omit<ListEventsData, 'pageToken' | 'order'> = {}) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'events', data),
    method: key.client.events.list,
    data: { ...data, order: 'newestFirst', includeNames: true },
    rowsOf: namedEvents,
  })

/** One event, which the API lists by its time; null if there is none. */
export const eventQuery = (key: Key, id: string, at: number) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'events', 'one', id, at),
    queryFn: async ({ signal }) => {
      const data = { from: at, to: at + 1, pageSize: 1_000, includeNames: true } as const
      const page = await firstPage(key.client.events.list.pages(data, { signal }))
      return namedEvents(page.data).find(({ event }) => event.id === id) ?? null
    },
  })

/** Returns the time of the latest event by the server's clock; 0 without events. */
export async function lastChange(key: Key, options: CallOptions): Promise<number> {
  const { events } = await key.client.events.list({ pageSize: 1 }, options)
  return events[0]?.changedAt ?? 0
}

/** Later events are new. */
export const lastChangeQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'events', 'last'),
    queryFn: ({ signal }) => lastChange(key, { signal }),
    gcTime: 0,
  })

/** Events after the page of `pageToken`; without one, events since `from`. */
export const eventsSinceQuery = (key: Key, query: EventQuery, from: number, pageToken: string | undefined) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'events', 'since', query, from, pageToken),
    queryFn: ({ signal }) => {
      const token = pageToken === undefined ? {} : { pageToken }
      const data = { ...query, from, order: 'oldestFirst', includeNames: true, ...token } as const
      return firstPage(key.client.events.list.pages(data, { signal }))
    },
    gcTime: 0,
    staleTime: 0,
  })
