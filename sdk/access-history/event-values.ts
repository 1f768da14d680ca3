/** Reads what events say about access from their values. */
import type { AccessRole, Event, ResourceType } from '../generated/operations.ts'
import type { HeldGrant, Place } from './state.ts'

export type Values = Readonly<Record<string, unknown>>

export const textOf = (given: unknown): string | undefined => (typeof given === 'string' ? given : undefined)

/** Returns the folder or document of an event, or else its organization; undefined if it has none. */
export const placeOf = ({ resource, organizationId }: Event): Place | undefined =>
  (resource as Place | undefined) ??
  (organizationId === undefined ? undefined : { type: 'organization', id: organizationId })

/** Returns the grant in the values of an event; undefined if they have none. */
export function grantIn(event: Event, values: Values | undefined): HeldGrant | undefined {
  const accessRole = textOf(values?.accessRole) as AccessRole | undefined
  const groupId = textOf(values?.groupId)
  const place = placeOf(event)
  if (accessRole === undefined || place === undefined) return undefined
  const holder = groupId === undefined ? { userId: event.userId ?? '' } : { groupId }
  const expiresAt = typeof values?.expiresAt === 'number' ? { expiresAt: values.expiresAt } : {}
  return { type: place.type as ResourceType, id: place.id, ...holder, accessRole, ...expiresAt }
}

/** Returns the id of the folder in the values of an event; undefined at the top. */
export function folderIn({ folderId, parentFolderId }: Values): string | undefined {
  const id = textOf(folderId) ?? textOf(parentFolderId)
  return id === 'root' ? undefined : id
}
