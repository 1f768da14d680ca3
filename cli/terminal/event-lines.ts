/** Events as lines for people: the time, a sentence with names, and the type and ids for further commands. */

import { sentenceOf } from '#sdk/event-sentences/event-rows.ts'
import type { NamedEvent } from '#sdk/event-sentences/named-events.ts'
import { EventNames } from '#sdk/event-sentences/names.ts'
import { withFullStop } from '#sdk/event-sentences/parts.ts'
import type { Event, EventPage } from '#sdk/generated/operations.ts'
import { shown } from '../times.ts'
import { resource } from './table.ts'
import { coloured, plain } from './terminal.ts'

/** Returns the lines of some events of a page. Without `includeNames`, only names in the events themselves are shown. */
export function eventLines(page: EventPage, events: readonly Event[] = page.events): string[] {
  const names = new EventNames().add(page)
  return events.map((event) => `${coloured('dim', shown(event.changedAt))}  ${eventText({ event, names })}`)
}

/** Returns the sentence about an event, then its type and ids. */
export function eventText(row: NamedEvent): string {
  const { type, organizationId, resource: about, groupId, userId, actor } = row.event
  const isNamed = (actor.operator ?? actor.token ?? actor.system) !== undefined
  const ids = [type, organizationId, about && resource(about), groupId, userId, isNamed ? undefined : actor.address]
  const shown = ids.flatMap((id) => (id === undefined ? [] : [plain(id)])).join('  ')
  return `${withFullStop(plain(sentenceOf(row)))}  ${coloured('dim', shown)}`
}
