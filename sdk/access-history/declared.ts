/**
 * Goes forwards through the events of an organization to learn which grants declared a folder or document, which exists
 * from then on until it is deleted, also after its grants have ended (rules/data.md#declared).
 */
import type { Event } from '../generated/operations.ts'
import { placeOf } from './event-values.ts'
import type { Removed } from './removed.ts'
import { keyOf } from './state.ts'

/**
 * Returns the events that made a resource exist, as far as the events show: the first grant on one that was deleted or
 * that no event has named before, and each addition of one that no grant had declared.
 */
export function beginningsIn(events: readonly Event[], removed: ReadonlyMap<Event, Removed>): ReadonlySet<Event> {
  const existing = new Set<string>()
  const beginnings = new Set<Event>()
  for (const event of events) {
    for (const { place } of removed.get(event)?.places ?? []) existing.delete(keyOf(place))
    const place = placeOf(event)
    if (place === undefined || place.type === 'organization') continue
    const key = keyOf(place)
    if (event.type.endsWith('.deleted')) existing.delete(key)
    else {
      const isNew = event.type === 'permission.added' || event.type.endsWith('.added')
      if (isNew && !existing.has(key)) beginnings.add(event)
      existing.add(key)
    }
  }
  return beginnings
}
