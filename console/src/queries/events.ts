/** What happened to the data of a key. */
import type { ListEventsData } from '#sdk/generated/operations.ts'
import type { Key } from '../session/session.ts'
import { ofKey } from './keys.ts'
import { pagesQuery } from './pages.ts'

export const eventsQuery = (key: Key, data: Omit<ListEventsData, 'pageToken' | 'order'> = {}) =>
  pagesQuery({
    queryKey: ofKey(key, 'events', data),
    method: key.client.events.list,
    data: { ...data, order: 'newestFirst' },
    rowsOf: ({ events }) => events,
  })
