/**
 * Goes through the events of an organization, forwards to learn what deletions removed, and backwards from the present state to
 * an earlier one. An event of a deletion has only counts, so the deleted records are known from earlier events.
 *
 * For example, Ada becomes an editor of the folder `plans` in March, and the folder is deleted in May. Forwards, `removedBy` finds
 * that the deletion removed Ada's grant. Backwards from June, where nobody has it, going before the deletion returns the grant,
 * so Ada had access in April; going before March removes it again.
 */
import type { AccessRole, AccessType, Event, ResourceType } from '../generated/operations.ts'
import { type AccessState, copyOf, grantKey, type HeldGrant, keyOf, type Place } from './state.ts'

type Values = Readonly<Record<string, unknown>>

const textOf = (given: unknown): string | undefined => (typeof given === 'string' ? given : undefined)

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

/** Returns the grant in the values of an event; undefined if they have none. */
function grantIn({ resource, organizationId, userId }: Event, values: Values | undefined): HeldGrant | undefined {
  const accessRole = textOf(values?.accessRole) as AccessRole | undefined
  const groupId = textOf(values?.groupId)
  const place: Place | undefined =
    resource ?? (organizationId === undefined ? undefined : { type: 'organization', id: organizationId })
  if (accessRole === undefined || place === undefined) return undefined
  const holder = groupId === undefined ? { userId: userId ?? '' } : { groupId }
  const expiresAt = typeof values?.expiresAt === 'number' ? { expiresAt: values.expiresAt } : {}
  return { type: place.type as ResourceType, id: place.id, ...holder, accessRole, ...expiresAt }
}

/** The records that a deletion removed, as far as earlier events name them. */
interface Removed {
  grants: HeldGrant[]
  members: [groupId: string, userId: string][]
}

/** Returns whether the deletion of an event removed a grant. */
function removes({ type, organizationId, resource, groupId, userId }: Event): (grant: HeldGrant) => boolean {
  if (type === 'user.removed') return (grant) => grant.userId === userId
  if (type === 'user_group.deleted') return (grant) => grant.groupId === groupId
  if (type === 'document.deleted' || type === 'folder.deleted')
    return (grant) => resource !== undefined && keyOf(grant) === keyOf(resource)
  return () => type === 'organization.deleted' && organizationId !== undefined
}

function removesMember({ type, groupId, userId }: Event): (group: string, user: string) => boolean {
  if (type === 'user.removed') return (_, user) => user === userId
  const isOfGroup = type === 'user_group.deleted' || type === 'user_group.emptied'
  return (group) => (isOfGroup && group === groupId) || type === 'organization.deleted'
}

/** Goes forwards through events, oldest first, and returns what each deletion among them removed. */
export function removedBy(events: readonly Event[]): Map<Event, Removed> {
  const grants = new Map<string, HeldGrant>()
  const members = new Map<string, [string, string]>()
  const removed = new Map<Event, Removed>()
  for (const event of events) {
    const { type, groupId = '', userId = '' } = event
    const [before, after] = [grantIn(event, event.before), grantIn(event, event.after)]
    if (type.startsWith('permission.')) {
      if (before !== undefined) grants.delete(grantKey(before))
      if (after !== undefined) grants.set(grantKey(after), after)
    } else if (type === 'user_group.user_added') members.set(JSON.stringify([groupId, userId]), [groupId, userId])
    else if (type === 'user_group.user_removed') members.delete(JSON.stringify([groupId, userId]))
    else {
      const isRemoved = removes(event)
      const isMemberRemoved = removesMember(event)
      const gone = [...grants].filter(([, grant]) => isRemoved(grant))
      const left = [...members].filter(([, [group, user]]) => isMemberRemoved(group, user))
      for (const [key] of gone) grants.delete(key)
      for (const [key] of left) members.delete(key)
      if (gone.length + left.length > 0)
        removed.set(event, { grants: gone.map(([, grant]) => grant), members: left.map(([, member]) => member) })
    }
  }
  return removed
}

/** Returns the state at `at` (milliseconds): the present state, with all later events undone. `events` are oldest first. */
export function stateAt(
  at: number,
  present: AccessState,
  events: readonly Event[],
  removed: ReadonlyMap<Event, Removed>,
): AccessState {
  const state = copyOf(present)
  for (const event of events.toReversed()) if (event.changedAt > at) undo(state, event, removed.get(event))
  return state
}

function undo(state: AccessState, event: Event, removed: Removed | undefined): void {
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
  const [family, ...rest] = type.split('.')
  const verb = rest.join('.')
  if (family === 'permission') {
    const [was, became] = [grantIn(event, event.before), grantIn(event, event.after)]
    if (became !== undefined) state.grants.delete(grantKey(became))
    if (was !== undefined) state.grants.set(grantKey(was), was)
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
  } else if (verb === 'added') state.absent.add(key)
  else if (verb === 'deleted') state.absent.delete(key)
}

function folderIn({ folderId, parentFolderId }: Values): string | undefined {
  const id = textOf(folderId) ?? textOf(parentFolderId)
  return id === 'root' ? undefined : id
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
