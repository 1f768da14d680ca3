/** The target of an invitation: the organization, or one of its documents or folders. */

import type { ResourceName, ResourceType } from '#contract/access/permissions.ts'
import { targetFaults } from '#contract/resources/invitation-target.ts'
import type { InvitationType } from '#contract/resources/invitations.ts'
import { invalidArgument } from '#platform/status-error.ts'

export const KIND_OF: Readonly<Record<InvitationType, ResourceType>> = {
  org_user: 'organization',
  doc_user: 'document',
  folder_user: 'folder',
}

export const TYPE_OF: Readonly<Record<ResourceType, InvitationType>> = {
  organization: 'org_user',
  document: 'doc_user',
  folder: 'folder_user',
}

export interface NamedTarget {
  organizationId: string
  type: InvitationType
  documentId?: string
  folderId?: string
}

export interface InvitedResource {
  resource: ResourceName
  /** The request field that names the resource. */
  field: 'organizationId' | 'documentId' | 'folderId'
}

/** Returns the resource that the type and ids name. Refuses a missing id, and one that the type has no use for. */
export function invitedResource({ organizationId, type, documentId, folderId }: NamedTarget): InvitedResource {
  const faults = targetFaults({ type, documentId, folderId })
  if (faults.length > 0) throw invalidArgument(faults)
  if (documentId !== undefined)
    return { resource: { type: 'document', id: documentId, organizationId }, field: 'documentId' }
  if (folderId !== undefined) return { resource: { type: 'folder', id: folderId, organizationId }, field: 'folderId' }
  return { resource: { type: 'organization', id: organizationId }, field: 'organizationId' }
}
