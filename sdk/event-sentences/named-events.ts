/** Events with the names of their subjects. For the command line and the console; not part of the published package. */

import type { Event, EventPage } from '../generated/operations.ts'
import { EventNames } from './names.ts'

/** An event with the names of its page. */
export interface NamedEvent {
  event: Event
  names: EventNames
}

export function namedEvents(page: EventPage): NamedEvent[] {
  const names = new EventNames().add(page)
  return page.events.map((event) => ({ event, names }))
}
