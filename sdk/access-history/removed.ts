/**
 * Goes forwards through the events of an organization to learn what each deletion removed. The event of a deletion has only
 * counts, so the deleted records are known from earlier events.
 */
import type { AccessType, Event } from '../generated/operations.ts'
import { folderIn, grantIn, placeOf, textOf, type Values } from './event-values.ts'
import { grantKey, type HeldGrant, keyOf, type Place } from './state.ts'

/** A folder or document as it was, or whether the organization was disabled. */
interface Located {
  place: Place
  /** Undefined: at the top. */
  parent: string | undefined
  accessType: AccessType | undefined
  isDisabled: boolean
}

/** The records that a deletion removed, as far as earlier events name them. */
export interface Removed {
  grants: HeldGrant[]
  members: [groupId: string, userId: string][]
  places: Located[]
  /** How many grants these were as events count them: those of one holder on one resource once, also expired ones. */
  grantCount: number
}

type Places = Map<string, Located>

/** Changes what is known of the place of an event, unless the event deletes it. Documents have the ids of today (`withCurrentIds`). */
function locate(places: Places, event: Event): void {
  const { type, after = {} } = event
  const place = placeOf(event)
  if (place === undefined) return
  const key = keyOf(place)
  const accessType = textOf((after as Values).accessType) as AccessType | undefined
  if (type === 'folder.added' || type === 'document.added') {
    const isDisabled = (after as Values).disabled === true
    places.set(key, { place, parent: folderIn(after), accessType, isDisabled })
    return
  }
  const isOfOrganization = type === 'organization.disabled' || type === 'organization.enabled'
  const top = { place, parent: undefined, accessType: undefined, isDisabled: false }
  const known = places.get(key) ?? (isOfOrganization ? top : undefined)
  if (known === undefined) return
  if (type.endsWith('.moved')) places.set(key, { ...known, parent: folderIn(after) })
  else if (type.endsWith('.access_changed')) places.set(key, { ...known, accessType })
  else if (type.endsWith('.disabled') || type.endsWith('.enabled'))
    places.set(key, { ...known, isDisabled: type.endsWith('.disabled') })
}

/** Returns what is known of the places that the event deletes: a document, a folder with everything inside, or everything. */
function deletedPlaces(places: Places, { type, resource }: Event): Located[] {
  if (type === 'organization.deleted') return [...places.values()]
  if (resource === undefined || !type.endsWith('.deleted')) return []
  const isInside = (one: Located | undefined): boolean => {
    for (let nth = 0; one !== undefined && nth <= places.size; nth++) {
      if (keyOf(one.place) === keyOf(resource as Place)) return true
      one = one.parent === undefined ? undefined : places.get(keyOf({ type: 'folder', id: one.parent }))
    }
    return false
  }
  return type === 'folder.deleted' || type === 'document.deleted' ? [...places.values()].filter(isInside) : []
}

/** Returns whether the deletion of an event removed a grant. */
function removes(event: Event, gone: ReadonlySet<string>): (grant: HeldGrant) => boolean {
  const { type, organizationId, resource, groupId, userId } = event
  if (type === 'user.removed') return (grant) => grant.userId === userId
  if (type === 'user_group.deleted') return (grant) => grant.groupId === groupId
  if (type === 'document.deleted' || type === 'folder.deleted')
    return (grant) => gone.has(keyOf(grant)) || (resource !== undefined && keyOf(grant) === keyOf(resource as Place))
  return () => type === 'organization.deleted' && organizationId !== undefined
}

function removesMember({ type, groupId, userId }: Event): (group: string, user: string) => boolean {
  if (type === 'user.removed') return (_, user) => user === userId
  const isOfGroup = type === 'user_group.deleted' || type === 'user_group.emptied'
  return (group) => (isOfGroup && group === groupId) || type === 'organization.deleted'
}

const holdingKey = ({ accessRole: _, expiresAt: __, ...held }: HeldGrant): string => grantKey(held)

/** Goes forwards through events, oldest first, and returns what each deletion among them removed. */
export function removedBy(events: readonly Event[]): Map<Event, Removed> {
  const grants = new Map<string, HeldGrant>()
  const expired = new Map<string, HeldGrant>()
  const members = new Map<string, [string, string]>()
  const places: Places = new Map()
  const removed = new Map<Event, Removed>()
  for (const event of events) {
    const { type, groupId = '', userId = '' } = event
    const [before, after] = [grantIn(event, event.before), grantIn(event, event.after)]
    if (type.startsWith('permission.')) {
      if (before !== undefined) for (const all of [grants, expired]) all.delete(grantKey(before))
      if (before !== undefined && type === 'permission.expired') expired.set(grantKey(before), before)
      if (after !== undefined) expired.delete(grantKey(after))
      if (after !== undefined) grants.set(grantKey(after), after)
    } else if (type === 'user_group.user_added') members.set(JSON.stringify([groupId, userId]), [groupId, userId])
    else if (type === 'user_group.user_removed') members.delete(JSON.stringify([groupId, userId]))
    else {
      locate(places, event)
      const deleted = deletedPlaces(places, event)
      const isRemoved = removes(event, new Set(deleted.map(({ place }) => keyOf(place))))
      const isMemberRemoved = removesMember(event)
      const gone = [...grants].filter(([, grant]) => isRemoved(grant))
      const left = [...members].filter(([, [group, user]]) => isMemberRemoved(group, user))
      const goneExpired = [...expired].filter(([, grant]) => isRemoved(grant))
      for (const [key] of gone) grants.delete(key)
      for (const [key] of goneExpired) expired.delete(key)
      for (const [key] of left) members.delete(key)
      for (const { place } of deleted) places.delete(keyOf(place))
      if (gone.length + goneExpired.length + left.length + deleted.length > 0)
        removed.set(event, {
          grants: gone.map(([, grant]) => grant),
          members: left.map(([, member]) => member),
          places: deleted,
          grantCount: new Set([...gone, ...goneExpired].map(([, grant]) => holdingKey(grant))).size,
        })
    }
  }
  return removed
}
