/** An organization, folder or document as addresses name it: `?organizationId=acme&type=document&id=roadmap`. */
import type { SearchSchemaInput } from '@tanstack/react-router'
import type { AccessType, ResourceName, ResourceType } from '#sdk/generated/operations.ts'

export interface ResourceSearch {
  organizationId: string
  type: ResourceType
  id: string
}

/** Ids are texts; the router reads `?id=7` as a number. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value === '' ? undefined : value
  return value === undefined || value === null ? undefined : JSON.stringify(value)
}

/** An id alone is that of an organization. */
function resourceSearch(search: { [Name in keyof ResourceSearch]?: unknown }): ResourceSearch {
  const id = textOf(search.id)
  const organizationId = textOf(search.organizationId) ?? id ?? ''
  const type = search.type === 'folder' || search.type === 'document' ? search.type : 'organization'
  return { organizationId, type, id: type === 'organization' ? organizationId : (id ?? '') }
}

export interface AccessSearch extends ResourceSearch {
  /** The user whom a link is about to give access. */
  give?: string
}

export interface WhySearch extends ResourceSearch {
  userId: string
}

export interface MatrixSearch {
  organizationId: string
  /** Absent: all documents of the organization. */
  folderId?: string
}

export function accessSearch(search: Partial<AccessSearch> & SearchSchemaInput): AccessSearch {
  const give = textOf(search.give)
  return { ...resourceSearch(search), ...(give !== undefined && { give }) }
}

export const whySearch = (search: Partial<WhySearch> & SearchSchemaInput): WhySearch => ({
  ...resourceSearch(search),
  userId: textOf(search.userId) ?? '',
})

export function matrixSearch(search: Partial<MatrixSearch> & SearchSchemaInput): MatrixSearch {
  const folderId = textOf(search.folderId)
  return { organizationId: textOf(search.organizationId) ?? '', ...(folderId !== undefined && { folderId }) }
}

export const nameOfResource = ({ type, id, organizationId }: ResourceSearch): ResourceName =>
  type === 'organization' ? { type, id } : { type, id, organizationId }

/** The same one for addresses. */
export const searchOf = (organizationId: string, { type, id }: { type: ResourceType; id: string }): ResourceSearch => ({
  organizationId,
  type,
  id,
})

export const isSame = (one: { type: string; id: string }, other: { type: string; id: string }): boolean =>
  one.type === other.type && one.id === other.id

/** As calls of users name it: nothing for the organization itself. */
export const targetOf = ({ type, id }: { type: ResourceType; id: string }) =>
  type === 'folder' ? { folderId: id } : type === 'document' ? { documentId: id } : {}

export const ACCESS_TYPES: Record<AccessType, { label: string; meaning: string }> = {
  public: { label: 'Public', meaning: 'Every user of the API key gets in, also without a grant.' },
  organizationPrivate: {
    label: 'Organization private',
    meaning: 'Everybody with a grant on the organization gets in.',
  },
  restricted: { label: 'Restricted', meaning: 'Only people with a grant get in.' },
}
