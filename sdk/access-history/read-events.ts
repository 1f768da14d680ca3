/** Reads the events that say how access in one organization has changed. For the console; not part of the published package. */
import type { Client } from '../client.ts'
import { type NamedEvent, namedEvents } from '../event-sentences/named-events.ts'
import type { Event, ListEventsData, ResourceName } from '../generated/operations.ts'
import type { CallOptions } from '../options.ts'
import { ACCESS_EVENTS } from './replay.ts'

/** A page scans 10,000 events at most. */
const PAGES_MAX = 100

/** The events about settings of the key and about users, which are outside of organizations. */
const KEY_EVENTS = ['api_key.updated', 'user.disabled', 'user.enabled'] as const satisfies Event['type'][]

/** Thrown when the events of the time are too many to go through. */
export class TooManyEvents extends Error {
  override readonly name = 'TooManyEvents'
}

/** Follows the events of a query: each call of `next` returns those since the last one. */
function follow(client: Client, query: ListEventsData, options: CallOptions | undefined) {
  let pageToken: string | undefined
  let pages = 0
  return async (): Promise<NamedEvent[]> => {
    const found: NamedEvent[] = []
    const data = { ...query, order: 'oldestFirst', includeNames: true, ...(pageToken && { pageToken }) } as const
    for await (const page of client.events.list.pages(data, options)) {
      pageToken = page.nextPageToken ?? pageToken
      found.push(...namedEvents(page.data))
      if (++pages > PAGES_MAX) throw new TooManyEvents('There are too many events.')
    }
    return found
  }
}

const byTime = (one: NamedEvent, other: NamedEvent): number => one.event.changedAt - other.event.changedAt

/** Returns a function that reads the events since `from`, oldest first, and with later calls those since then. */
export function followAccess(
  client: Client,
  { organizationId, from }: { organizationId: string; from: number },
  options?: CallOptions,
): () => Promise<NamedEvent[]> {
  const inside = follow(client, { organizationId, types: ACCESS_EVENTS, from }, options)
  const ofKey = follow(client, { types: KEY_EVENTS, from }, options)
  return async () => [...(await inside()), ...(await ofKey())].sort(byTime)
}

/**
 * Reads the earlier events about access, oldest first. If there are too many, only the grants and memberships of a user, or those on
 * resources and all memberships; of what is still too much, nothing.
 */
export async function earlierEvents(
  client: Client,
  { organizationId, to }: { organizationId: string; to: number },
  subject: { userId: string } | { resources: readonly ResourceName[] },
  options?: CallOptions,
): Promise<Event[]> {
  const memberships = ['user_group.*', 'user.removed'] as const
  const queries: ListEventsData[] =
    'userId' in subject
      ? [{ organizationId, userId: subject.userId, types: ['permission.*', ...memberships], to }]
      : [
          { organizationId, types: memberships, to },
          ...subject.resources.map(
            (resource): ListEventsData => ({ resource, types: ['permission.*', 'folder.*', 'document.*'], to }),
          ),
        ]
  const read = async (query: ListEventsData): Promise<NamedEvent[] | undefined> => {
    try {
      return await follow(client, query, options)()
    } catch (error) {
      if (!(error instanceof TooManyEvents)) throw error
      return undefined
    }
  }
  const all = await read({ organizationId, types: ACCESS_EVENTS, to })
  if (all !== undefined) return all.map(({ event }) => event)
  const found: NamedEvent[] = []
  for (const query of queries) found.push(...((await read(query)) ?? []))
  return found.sort(byTime).map(({ event }) => event)
}

/** Returns the time from which on the events of an organization are kept; undefined if all are. */
export async function keptSince(
  client: Client,
  organizationId: string,
  options?: CallOptions,
): Promise<number | undefined> {
  const { events } = await client.events.list({ organizationId, order: 'oldestFirst', pageSize: 1 }, options)
  const [first] = events
  return first === undefined || first.type === 'organization.added' ? undefined : first.changedAt
}
