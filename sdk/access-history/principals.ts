/** Finds who may have had access to some resources in the past. */
import type { Event } from '../generated/operations.ts'
import type { Removed } from './removed.ts'
import { type AccessState, keyOf } from './state.ts'

/** Returns the user groups and users that have grants on these resources, or had some. */
export function principalsOf(
  { grants }: AccessState,
  events: readonly Event[],
  known: ReadonlySet<string>,
  removed: ReadonlyMap<Event, Removed>,
) {
  const groups = new Set<string>()
  const users = new Set<string>()
  const add = ({ groupId, userId }: { groupId?: unknown; userId?: unknown }) => {
    if (typeof groupId === 'string') groups.add(groupId)
    if (typeof userId === 'string') users.add(userId)
  }
  for (const grant of grants.values()) add(grant)
  for (const { type, before = {}, after = {}, resource, userId } of events) {
    if (type.startsWith('user_group.')) add({ userId })
    if (resource === undefined || !known.has(keyOf(resource))) continue
    for (const values of [before, after]) add(values)
    add({ userId })
  }
  for (const one of removed.values()) {
    for (const grant of one.grants) add(grant)
    for (const [, userId] of one.members) add({ userId })
  }
  return { groups, users }
}
