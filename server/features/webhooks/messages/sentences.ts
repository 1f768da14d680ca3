/** Describes an event in a sentence, with the current names: the same sentence as in the console and in exports. */
import type { EventName } from '#contract/events/events.ts'
import { EventNames } from '#sdk/event-sentences/names.ts'
import { sentenceText, withFullStop } from '#sdk/event-sentences/parts.ts'
import { eventSentence, formatUtcDay } from '#sdk/event-sentences/sentence.ts'
import { type FeedEvent, publicEvent } from '#tenancy/events/feed.ts'
import type { Names } from './name-statements.ts'

/** An event as clients have it: the values before and after are objects of any fields. */
type ClientEvent = Parameters<typeof eventSentence>[0]

export function sentenceOf(event: FeedEvent, names: Names): string {
  const shown = publicEvent(event) as ClientEvent
  const known = new EventNames().add({ events: [shown], names: eventNames(event, names) })
  return withFullStop(sentenceText(eventSentence(shown, { names: known, formatTime: formatUtcDay })))
}

function eventNames(event: FeedEvent, names: Names): EventName[] {
  const { organizationId, resourceKind, resourceId, userId } = event
  const { organizationName, resourceName, userName, userEmail } = names
  const known: EventName[] = []
  if (organizationId !== null && organizationName !== null)
    known.push({ kind: 'organization', id: organizationId, name: organizationName })
  if (resourceKind !== null && resourceKind !== 'organization' && resourceId !== null && resourceName !== null)
    known.push({
      kind: resourceKind,
      id: resourceId,
      ...(organizationId === null ? {} : { organizationId }),
      name: resourceName,
    })
  const name = userName ?? userEmail
  if (userId !== null && name !== null) known.push({ kind: 'user', id: userId, name })
  return known
}
