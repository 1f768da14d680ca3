/** The access of users at two moments, with all names. */
import { queryOptions } from '@tanstack/react-query'
import { type AccessHistory, accessHistory } from '#sdk/access-history/history.ts'
import type { HistoryRow, Question } from '#sdk/access-history/question.ts'
import type { Access, Place } from '#sdk/access-history/state.ts'
import { EventNames } from '#sdk/event-sentences/names.ts'
import type { EventName } from '#sdk/generated/operations.ts'
import type { CallOptions } from '#sdk/options.ts'
import type { Key } from '../../session/session.ts'
import { lastChange } from '../keys/events.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { placeKey, resourceNames } from '../resources/resource-names.ts'
import { groupNames } from '../users/groups.ts'
import { profilesOf } from './people.ts'

export interface NamedHistory extends AccessHistory {
  names: EventNames
  /** The second moment. */
  to: number
}

/** Which two moments to compare. Without `to`, the second one is now. */
export type HistoryQuestion = Omit<Question, 'to'> & { to: number | undefined }

export const historyQuery = (key: Key, question: HistoryQuestion) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'history', question),
    queryFn: async ({ signal }): Promise<NamedHistory> => {
      // The clock of the server decides what has happened.
      const to = question.to ?? Math.max(Date.now(), await lastChange(key, { signal }))
      const history = await accessHistory(key.client, { ...question, to }, { signal })
      return { ...history, names: await namesOf(key, question, history, { signal }), to }
    },
    staleTime: 0,
    gcTime: 0,
  })

/** Returns the names in the events, and the current names in the rows and their grants. */
async function namesOf(
  key: Key,
  question: HistoryQuestion,
  { rows, events }: AccessHistory,
  options: CallOptions,
): Promise<EventNames> {
  const { organizationId, subject } = question
  const names = new EventNames()
  for (const ofPage of new Set(events.map(({ names }) => names))) names.addAll(ofPage)
  const places = placesOf(question, rows)
  const groupIds = grantsIn(rows).flatMap(({ groupId }) => (groupId === undefined ? [] : [groupId]))
  const userIds = 'userId' in subject ? [subject.userId] : rows.flatMap(({ userId }) => userId ?? [])
  const [ofPlaces, ofGroups, profiles] = await Promise.all([
    resourceNames(key, organizationId, places, options),
    groupNames(key, organizationId, groupIds, options),
    profilesOf(key, userIds, options),
  ])
  const inside = { organizationId }
  const found: EventName[] = [
    ...places.flatMap(({ type: kind, id }) => {
      const name = ofPlaces.get(placeKey({ type: kind, id }))
      return name === undefined ? [] : [{ kind, id, ...(kind !== 'organization' && inside), name }]
    }),
    ...[...ofGroups].map(([id, name]) => ({ kind: 'userGroup' as const, id, ...inside, name })),
    ...[...profiles].map(([id, { name, email }]) => ({
      ...{ kind: 'user' as const, id },
      ...(name !== undefined && { name }),
      ...(email !== undefined && { email }),
    })),
  ]
  return names.add({ events: [], names: found })
}

const organizationOf = ({ organizationId }: HistoryQuestion): Place => ({ type: 'organization', id: organizationId })

const accesses = (rows: readonly HistoryRow[]): Access[] => rows.flatMap(({ before, after }) => [before, after])
const grantsIn = (rows: readonly HistoryRow[]) => accesses(rows).flatMap(({ grant }) => grant ?? [])

function placesOf(question: HistoryQuestion, rows: readonly HistoryRow[]): Place[] {
  const all = [
    organizationOf(question),
    ...('place' in question.subject ? [question.subject.place] : []),
    ...rows.map(({ place }) => place),
    ...grantsIn(rows).map(({ type, id }) => ({ type, id })),
  ]
  return [...new Map(all.map((place) => [placeKey(place), place])).values()]
}
