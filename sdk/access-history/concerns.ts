/** Selects the events that concern a question, and lists the facts that they do not contain. */
import type { Event } from '../generated/operations.ts'
import type { HistoryRow, Limit, Moment, Question } from './question.ts'
import type { removedBy } from './removed.ts'
import { type AccessState, chainOf, keyOf, type Place } from './state.ts'

/**
 * Returns whether an event is about the subject: the user and the user's groups, or the resource, the folders and organization
 * that contain it, and memberships in groups there.
 */
export function concerns(
  { subject, organizationId }: Question,
  rows: readonly HistoryRow[],
  moments: readonly Moment[],
) {
  const chain = new Set<string>()
  const groups = new Set<string>()
  for (const { state } of moments) {
    if ('place' in subject) for (const one of chainOf(state, organizationId, subject.place)) chain.add(keyOf(one))
    for (const [group, users] of state.members) if ('place' in subject || users.has(subject.userId)) groups.add(group)
  }
  for (const { place } of rows) chain.add(keyOf(place))
  const users = new Set(rows.map(({ userId }) => userId))
  return ({ type, resource, groupId, userId, before = {}, after = {} }: Event): boolean => {
    const holder = (after as { groupId?: string }).groupId ?? (before as { groupId?: string }).groupId ?? groupId
    if (type.startsWith('permission.') && 'userId' in subject)
      return userId === subject.userId || (holder !== undefined && groups.has(holder))
    if (type === 'api_key.updated') return 'defaultDocumentAccessType' in before || 'defaultAccessRole' in before
    if (type.startsWith('user_group.'))
      return groups.has(groupId ?? '') && ('place' in subject || userId === undefined || userId === subject.userId)
    if (type.startsWith('user.')) return users.has(userId) || ('userId' in subject && userId === subject.userId)
    return resource === undefined ? type.startsWith('organization.') : chain.has(keyOf(resource))
  }
}

/** The known facts about a past. */
interface Known {
  present: AccessState
  removed: ReturnType<typeof removedBy>
  chains: readonly Place[]
}

export function limitsOf(question: Question, events: readonly Event[], known: Known): Limit[] {
  const { present, removed, chains } = known
  const later = events.filter(({ changedAt }) => changedAt > question.from)
  const located = new Set([...removed.values()].flatMap((one) => one.places.map(({ place }) => keyOf(place))))
  const deleted = new Set(
    later.flatMap(({ type, resource }) => (resource && type.endsWith('.deleted') ? [keyOf(resource)] : [])),
  )
  const gone = chains.filter(
    (place) => !located.has(keyOf(place)) && (!present.parents.has(keyOf(place)) || deleted.has(keyOf(place))),
  )
  return [
    ...gone.map((place) => ({ kind: 'place_unknown' as const, place })),
    ...later.flatMap((event) => [...membersUnknown(question, event, known), ...grantsUnknown(question, event, known)]),
  ]
}

function membersUnknown({ subject }: Question, event: Event, { removed }: Known): Limit[] {
  const { type, before = {} } = event
  if (!('place' in subject) || (type !== 'user_group.deleted' && type !== 'user_group.emptied')) return []
  const { users = 0 } = before as { users?: number }
  return users > (removed.get(event)?.members.length ?? 0) ? [{ kind: 'members_unknown', event }] : []
}

/** Grants that the event revoked may have been on a place in question, or of the user, although no event names them. */
function grantsUnknown({ subject }: Question, event: Event, { removed, chains }: Known): Limit[] {
  const { type, userId, resource, before = {} } = event
  const isConcerned =
    type === 'user.removed'
      ? 'place' in subject || userId === subject.userId
      : type === 'user_group.deleted'
        ? 'place' in subject || removed.get(event)?.members.some(([, user]) => user === subject.userId) === true
        : (type === 'folder.deleted' || type === 'document.deleted') &&
          ('userId' in subject || chains.some((place) => resource !== undefined && keyOf(place) === keyOf(resource)))
  const { permissions = 0 } = before as { permissions?: number }
  const count = permissions - (removed.get(event)?.grantCount ?? 0)
  return isConcerned && count > 0 ? [{ kind: 'grants_unknown', event, count }] : []
}
