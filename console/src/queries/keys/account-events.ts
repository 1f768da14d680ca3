/** The events of a workspace and its API keys. In a file of its own, because every view loads the queries of the keys. */

import { namedEvents } from '#sdk/event-sentences/named-events.ts'
import type { ListAccountEventsData } from '#sdk/generated/operations.ts'
import { workspace } from '../../session/session.ts'
import { pagesQuery } from '../pages/pages.ts'

export const accountEventsQuery = (filters: ListAccountEventsData = {}) =>
  pagesQuery({
    queryKey: ['workspace', 'events', filters],
    method: workspace.accountEvents.list,
    data: { ...filters, order: 'newestFirst', pageSize: 100, includeNames: true },
    rowsOf: namedEvents,
  })
