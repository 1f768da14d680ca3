/**
 * Reads all events that match filters, page by page, and writes them as cells of CSV or as lines of JSON, each with its
 * sentence and its raw fields. For the command line and the console; not part of the published package.
 */

import type { Event, EventPage } from '../generated/operations.ts'
import type { CallOptions, Page } from '../options.ts'
import { type NamedEvent, namedEvents } from './named-events.ts'
import type { EventNames } from './names.ts'
import { sentenceText, withFullStop } from './parts.ts'
import { eventSentence, formatUtcDay } from './sentence.ts'

/** A method of the client that lists the events of an API key or of a workspace. */
export interface EventList<Data> {
  pages(data?: Data, options?: CallOptions): AsyncGenerator<Page<EventPage>, void, undefined>
}

/** Yields the events page by page; pages can be empty. Only one page is kept at a time. */
export async function* eventRows<Data extends object>(
  list: EventList<Data>,
  data: Data,
  options?: CallOptions,
): AsyncGenerator<NamedEvent[]> {
  for await (const page of list.pages({ ...data, includeNames: true }, options)) {
    yield namedEvents(page.data)
    if (!page.data.hasMore) return
  }
}

export const sentenceOf = ({ event, names }: NamedEvent, formatTime = formatUtcDay): string =>
  sentenceText(eventSentence(event, { names, formatTime }))

const json = (values: object | undefined): string => (values === undefined ? '' : JSON.stringify(values))

const COLUMNS: Readonly<Record<string, (row: NamedEvent) => string | undefined>> = {
  time: ({ event }) => new Date(event.changedAt).toISOString(),
  sentence: (row) => withFullStop(sentenceOf(row)),
  type: ({ event }) => event.type,
  organizationId: ({ event }) => event.organizationId,
  organizationName: ({ event, names }) => names.of({ kind: 'organization', id: event.organizationId ?? '' }),
  resourceType: ({ event }) => event.resource?.type,
  resourceId: ({ event }) => event.resource?.id,
  resourceName: ({ event, names }) => resourceName(event, names),
  userId: ({ event }) => event.userId,
  userName: ({ event, names }) => names.of({ kind: 'user', id: event.userId ?? '' }),
  groupId: ({ event }) => event.groupId,
  actorUserId: ({ event }) => event.actor.userId,
  token: ({ event }) => event.actor.token,
  operatorId: ({ event }) => event.actor.operator?.id,
  operatorName: ({ event }) => event.actor.operator?.name,
  system: ({ event }) => event.actor.system,
  address: ({ event }) => event.actor.address,
  apiKey: ({ event }) => event.apiKey,
  before: ({ event }) => json(event.before),
  after: ({ event }) => json(event.after),
  id: ({ event }) => event.id,
}

function resourceName({ resource, organizationId }: Event, names: EventNames): string | undefined {
  if (resource === undefined) return undefined
  const { type: kind, id } = resource
  return names.of(kind === 'organization' ? { kind, id } : { kind, id, organizationId })
}

export const EVENT_COLUMNS: readonly string[] = Object.keys(COLUMNS)

/** Returns the cells of an event, in the order of `EVENT_COLUMNS`. */
export const eventCells = (row: NamedEvent): string[] => Object.values(COLUMNS).map((of) => of(row) ?? '')

/** Returns the event as one line of JSON, with its sentence first. */
export const eventLine = (row: NamedEvent): string =>
  JSON.stringify({ sentence: withFullStop(sentenceOf(row)), ...row.event })
