/**
 * Goes backwards through the events of an organization, from the present state to an earlier one. `removed.ts` goes forwards, to
 * learn what deletions removed.
 *
 * For example, Ada becomes an editor of the folder `plans` in March, and the folder is deleted in May. Forwards, `removedBy` finds
 * that the deletion removed Ada's grant. Backwards from June, where nobody has it, going before the deletion returns the grant,
 * so Ada had access in April; going before March removes it again.
 */
import type { AccessRole, AccessType, Event } from '../generated/operations.ts'
import { beginningsIn } from './declared.ts'
import { folderIn, grantIn, textOf, type Values } from './event-values.ts'
import type { Removed } from './removed.ts'
import { type AccessState, copyOf, grantKey, keyOf, type Place } from './state.ts'

/** The types that change who has access to what. */
export const ACCESS_EVENTS = [
  ...(['permission.added', 'permission.removed', 'permission.expired'] as const),
  ...(['user_group.deleted', 'user_group.user_added', 'user_group.user_removed', 'user_group.emptied'] as const),
  ...(['folder.added', 'folder.moved', 'folder.access_changed', 'folder.deleted'] as const),
  ...(['document.added', 'document.moved', 'document.access_changed', 'document.deleted'] as const),
  ...(['document.disabled', 'document.enabled', 'document.migration.completed'] as const),
  ...(['organization.disabled', 'organization.enabled', 'organization.deleted'] as const),
  ...(['user.removed', 'user.disabled', 'user.enabled', 'api_key.updated'] as const),
] satisfies Event['type'][]

/** Returns the state at `at` (milliseconds): the present state, with all later events undone. `events` are oldest first. */
export function stateAt(
  at: number,
  present: AccessState,
  events: readonly Event[],
  removed: ReadonlyMap<Event, Removed>,
): AccessState {
  const state = copyOf(present)
  const beginnings = beginningsIn(events, removed)
  for (const event of events.toReversed())
    if (event.changedAt > at) undo(state, event, removed.get(event), beginnings.has(event))
  return state
}

function undo(state: AccessState, event: Event, removed: Removed | undefined, isBeginning: boolean): void {
  const { type, organizationId = '', resource, groupId = '', userId = '', before = {} } = event
  const place: Place = resource ?? { type: 'organization', id: organizationId }
  const key = keyOf(place)
  const add = (group: string, user: string) => {
    const users = state.members.get(group) ?? new Set()
    state.members.set(group, users.add(user))
  }
  const set = (all: Set<string>, member: string, isIn: boolean) => (isIn ? all.add(member) : all.delete(member))
  for (const grant of removed?.grants ?? []) state.grants.set(grantKey(grant), grant)
  for (const [group, user] of removed?.members ?? []) add(group, user)
  for (const { place: one, parent, accessType, isDisabled } of removed?.places ?? []) {
    state.absent.delete(keyOf(one))
    state.parents.set(keyOf(one), parent)
    if (accessType === undefined) state.accessTypes.delete(keyOf(one))
    else state.accessTypes.set(keyOf(one), accessType)
    set(state.disabled, keyOf(one), isDisabled)
  }
  const [family, ...rest] = type.split('.')
  const verb = rest.join('.')
  if (family === 'permission') {
    const [was, became] = [grantIn(event, event.before), grantIn(event, event.after)]
    if (became !== undefined) state.grants.delete(grantKey(became))
    if (was !== undefined) state.grants.set(grantKey(was), was)
    if (isBeginning) state.declared.delete(key)
  } else if (type === 'user_group.user_added') state.members.get(groupId)?.delete(userId)
  else if (type === 'user_group.user_removed') add(groupId, userId)
  else if (type === 'user.disabled' || type === 'user.enabled')
    set(state.disabledUsers, userId, type === 'user.enabled')
  else if (type === 'api_key.updated') Object.assign(state.defaults, defaultsIn(before))
  else if (verb === 'disabled' || verb === 'enabled') set(state.disabled, key, verb === 'enabled')
  else if (verb === 'moved') state.parents.set(key, folderIn(before))
  else if (verb === 'access_changed') {
    const accessType = textOf(before.accessType) as AccessType | undefined
    if (accessType === undefined) state.accessTypes.delete(key)
    else state.accessTypes.set(key, accessType)
  } else if (verb === 'added') {
    // Before, the id belonged to another folder or document, or was only named by grants.
    state.absent.add(key)
    for (const all of [state.parents, state.accessTypes, state.disabled]) all.delete(key)
    set(state.declared, key, !isBeginning)
  } else if (verb === 'deleted' && resource !== undefined) {
    // One that was never added existed because grants had named it.
    if (!removed?.places.some(({ place: one }) => keyOf(one) === key))
      for (const all of [state.absent, state.declared]) all.add(key)
  } else if (verb === 'deleted') state.absent.delete(key)
}

function defaultsIn({ defaultDocumentAccessType, defaultAccessRole }: Values): Partial<AccessState['defaults']> {
  const accessType = textOf(defaultDocumentAccessType) as AccessType | undefined
  const accessRole = textOf(defaultAccessRole) as AccessRole | undefined
  return { ...(accessType && { accessType }), ...(accessRole && { accessRole }) }
}

/** Gives the events from before migrations the document ids of today. `events` are oldest first. */
export function withCurrentIds(events: readonly Event[]): Event[] {
  const current = new Map<string, string>()
  const renamed = events.toReversed().map((event): Event => {
    const { type, resource, before } = event
    if (resource?.type !== 'document') return event
    const id = current.get(resource.id) ?? resource.id
    const former = type === 'document.migration.completed' ? textOf(before?.documentId) : undefined
    if (former !== undefined) current.set(former, id)
    return id === resource.id ? event : { ...event, resource: { ...resource, id } }
  })
  return renamed.toReversed()
}
