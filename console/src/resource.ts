/** An organization, folder or document as URLs name it: `?organizationId=acme&type=document&id=roadmap`. */
import type { CheckPermissionsResult, ResourceName, ResourceType } from '#sdk/generated/operations.ts'

export interface ResourceSearch {
  organizationId: string
  type: ResourceType
  id: string
}

export const nameOfResource = ({ type, id, organizationId }: ResourceSearch): ResourceName =>
  type === 'organization' ? { type, id } : { type, id, organizationId }

/** Returns the URL parameters of a resource. */
export const searchOf = (organizationId: string, { type, id }: { type: ResourceType; id: string }): ResourceSearch => ({
  organizationId,
  type,
  id,
})

export const isSame = (one: { type: string; id: string }, other: { type: string; id: string }): boolean =>
  one.type === other.type && one.id === other.id

/** Returns the resource that gives access; undefined if the default of the API key does. */
export const givingResource = (
  via: CheckPermissionsResult['checks'][number]['via'],
): { type: ResourceType; id: string } | undefined =>
  via?.id === undefined || via.type === 'keyDefault' ? undefined : { type: via.type, id: via.id }

/** Returns the parameters that name a resource in calls about users: none for the organization itself. */
export const targetOf = ({ type, id }: { type: ResourceType; id: string }) =>
  type === 'folder' ? { folderId: id } : type === 'document' ? { documentId: id } : {}
