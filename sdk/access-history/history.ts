/**
 * Computes the access at two moments, for one user or one resource of an organization, and the events between them. The
 * server stores only the present, so the past is rebuilt from events. For the console; not part of the published
 * package.
 */
import type { Client } from '../client.ts'
import type { NamedEvent } from '../event-sentences/named-events.ts'
import type { Event } from '../generated/operations.ts'
import type { CallOptions } from '../options.ts'
import { concerns, limitsOf } from './concerns.ts'
import { principalsOf } from './principals.ts'
import type { HistoryRow, Limit, Moment, Question } from './question.ts'
import { earlierEvents, followAccess, keptSince } from './read-events.ts'
import { addChain, addDisabledUsers, addGroupsOf, addMembers, presentState } from './read-present.ts'
import { removedBy } from './removed.ts'
import { stateAt, withCurrentIds } from './replay.ts'
import { type AccessState, chainOf, Decisions, keyOf, type Place } from './state.ts'

export interface AccessHistory {
  rows: HistoryRow[]
  /** After the first moment and up to the second, oldest first. */
  events: NamedEvent[]
  limits: Limit[]
}

/** The state changes while it is read: as often it is read again. */
const READS_MAX = 5

/** The places of one user that are looked up: each takes a call. */
const PLACES_MAX = 200

/** Throws `TooManyEvents` or `TooManyGrants` where there are too many to go through. */
export async function accessHistory(client: Client, question: Question, options?: CallOptions): Promise<AccessHistory> {
  const next = followAccess(client, question, options)
  const named = await next()
  for (let reads = 1; ; reads++) {
    const read: Read = { client, question, events: withCurrentIds(named.map(({ event }) => event)), options }
    const past = await readPast(read)
    const meanwhile = await next()
    if (meanwhile.length === 0 || reads === READS_MAX) return historyOf(read, past, named)
    named.push(...meanwhile)
  }
}

interface Read {
  client: Client
  question: Question
  events: readonly Event[]
  options: CallOptions | undefined
}

interface Past {
  present: AccessState
  removed: ReturnType<typeof removedBy>
  /** The places of the rows. */
  places: readonly Place[]
  /** What these are in now, or were in. */
  chains: readonly Place[]
  limits: readonly Limit[]
}

async function historyOf({ client, question, events, options }: Read, past: Past, named: readonly NamedEvent[]) {
  const { organizationId, from, to } = question
  const momentAt = (at: number): Moment => ({ at, state: stateAt(at, past.present, events, past.removed) })
  const [before, after] = [momentAt(from), momentAt(to)]
  const rows = rowsOf(question, past.places, [before, after])
  const since = await keptSince(client, organizationId, options)
  const limits: Limit[] = [
    ...(since !== undefined && since > from ? [{ kind: 'kept_since' as const, at: since }] : []),
    ...past.limits,
    ...limitsOf(question, events, past),
  ]
  const isConcerned = concerns(question, rows, [before, after])
  const between = named.filter(
    ({ event }, index) => event.changedAt > from && event.changedAt <= to && isConcerned(events[index] ?? event),
  )
  return { rows, events: between, limits }
}

async function readPast(read: Read): Promise<Past> {
  const { client, question, options } = read
  const present = await presentState(client, question.organizationId, options)
  return 'userId' in question.subject
    ? readOfUser(read, present, question.subject.userId)
    : readOfPlace(read, present, question.subject.place)
}

async function readOfUser(read: Read, present: AccessState, userId: string): Promise<Past> {
  const { client, question, events, options } = read
  const { organizationId, from, to } = question
  await addGroupsOf(client, present, organizationId, userId, options)
  await addDisabledUsers(client, present, [userId], options)
  const removed = removedBy([...(await earlier(read, { userId })), ...events])
  const held = new Map<string, Place>()
  for (const at of [from, to])
    for (const [key, [grant]] of new Decisions(stateAt(at, present, events, removed), organizationId, at).grantsOf(
      userId,
    ))
      if (grant !== undefined) held.set(key, { type: grant.type, id: grant.id })
  const places = [...held.values()].slice(0, PLACES_MAX)
  const count = held.size - places.length
  const chains = await readChains(read, present, places, removed)
  return { present, removed, places, chains, limits: count > 0 ? [{ kind: 'more_places', count }] : [] }
}

async function readOfPlace(read: Read, present: AccessState, place: Place): Promise<Past> {
  const { client, question, events, options } = read
  const { organizationId } = question
  const above = await readChains(read, present, [place], new Map())
  const resources = above.map((one) => (one.type === 'organization' ? one : { ...one, organizationId }))
  const removed = removedBy([...(await earlier(read, { resources })), ...events])
  const chains = removed.size === 0 ? above : await readChains(read, present, [place], removed)
  const known = new Set(chains.map(keyOf))
  for (const [key, grant] of present.grants) if (!known.has(keyOf(grant))) present.grants.delete(key)
  for (const one of removed.values()) one.grants = one.grants.filter((grant) => known.has(keyOf(grant)))
  const { groups, users } = principalsOf(present, events, known, removed)
  await addMembers(client, present, organizationId, [...groups], options)
  for (const members of present.members.values()) for (const userId of members) users.add(userId)
  await addDisabledUsers(client, present, [...users], options)
  return { present, removed, places: [place], chains, limits: [] }
}

/** Reads what earlier events say about what deletions removed; nothing if there were none. */
async function earlier({ client, question, events, options }: Read, subject: Parameters<typeof earlierEvents>[2]) {
  const isNeeded = events.some(({ type }) => type === 'user.removed' || /\.(deleted|emptied)$/.test(type))
  if (!isNeeded) return []
  const { organizationId, from: to } = question
  const found = await earlierEvents(client, { organizationId, to }, subject, options)
  return withCurrentIds([...found, ...events]).slice(0, found.length)
}

/**
 * Adds the present parents of the places. They may have been elsewhere at the time, so those folders and their
 * parents are read too.
 */
async function readChains(
  { client, question, events, options }: Read,
  present: AccessState,
  places: readonly Place[],
  removed: Past['removed'],
): Promise<Place[]> {
  const { organizationId, from, to } = question
  const known = new Map<string, Place>()
  for (let unknown = [...places]; unknown.length > 0; ) {
    for (const place of unknown) {
      if (known.has(keyOf(place))) continue
      known.set(keyOf(place), place)
      for (const one of await addChain(client, present, organizationId, place, options)) known.set(keyOf(one), one)
    }
    const states = [from, to].map((at) => stateAt(at, present, events, removed))
    unknown = places
      .flatMap((place) => states.flatMap((state) => chainOf(state, organizationId, place)))
      .filter((one) => !known.has(keyOf(one)))
  }
  return [...known.values()]
}

function rowsOf(
  { organizationId, subject }: Question,
  places: readonly Place[],
  moments: readonly [Moment, Moment],
): HistoryRow[] {
  const [first, second] = moments.map(({ at, state }) => new Decisions(state, organizationId, at)) as [
    Decisions,
    Decisions,
  ]
  const row = (userId: string | undefined, place: Place): HistoryRow => ({
    ...(userId !== undefined && { userId }),
    place,
    before: first.decide(userId, place),
    after: second.decide(userId, place),
  })
  if ('userId' in subject) return places.map((place) => row(subject.userId, place))
  const users = new Set<string>()
  for (const { state } of moments) {
    const chain = new Set(chainOf(state, organizationId, subject.place).map(keyOf))
    for (const grant of state.grants.values())
      if (grant.userId !== undefined && chain.has(keyOf(grant))) users.add(grant.userId)
    for (const members of state.members.values()) for (const userId of members) users.add(userId)
  }
  const rows = [...users].sort().map((userId) => row(userId, subject.place))
  return [row(undefined, subject.place), ...rows].filter(({ before, after }) => before.accessRole ?? after.accessRole)
}
