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

export function limitsOf(
  { subject, from }: Question,
  events: readonly Event[],
  removed: ReturnType<typeof removedBy>,
  places: readonly Place[],
  present: AccessState,
): Limit[] {
  const later = events.filter(({ changedAt }) => changedAt > from)
  const located = new Set([...removed.values()].flatMap((one) => one.places.map(({ place }) => keyOf(place))))
  const deleted = new Set(
    later.flatMap(({ type, resource }) => (resource && type.endsWith('.deleted') ? [keyOf(resource)] : [])),
  )
  const gone = places.filter(
    (place) => !located.has(keyOf(place)) && (!present.parents.has(keyOf(place)) || deleted.has(keyOf(place))),
  )
  return [
    ...gone.map((place) => ({ kind: 'place_unknown' as const, place })),
    ...later.flatMap((event): Limit[] => {
      const { type, userId, before = {} } = event
      const known = removed.get(event)
      if (type === 'user_group.deleted' || type === 'user_group.emptied') {
        const { users = 0 } = before as { users?: number }
        return 'place' in subject && users > (known?.members.length ?? 0) ? [{ kind: 'members_unknown', event }] : []
      }
      if (type !== 'user.removed' || !('userId' in subject) || userId !== subject.userId) return []
      const count =
        Number((before as { permissions?: number }).permissions ?? 0) - new Set(known?.grants.map(keyOf)).size
      return count > 0 ? [{ kind: 'grants_unknown', event, count }] : []
    }),
  ]
}
