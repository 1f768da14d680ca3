/** The target of a call on users: the organization, or one of its documents or folders (rules/resources.md#members). */
import type { ResourceName } from '#contract/access/permissions.ts'
import { invalidArgument } from '#platform/status-error.ts'

export interface Target {
  resource: ResourceName
  /** The request field that names the resource. */
  field: string
}

/** Returns the named document or folder, otherwise the organization. */
export function targetOf({
  organizationId,
  documentId,
  folderId,
}: {
  organizationId: string
  documentId?: string
  folderId?: string
}): Target {
  if (documentId !== undefined && folderId !== undefined)
    throw invalidArgument([{ field: 'folderId', message: 'folderId must not be given together with documentId' }])
  if (folderId === 'root')
    throw invalidArgument([{ field: 'folderId', message: 'folderId must not be "root"; omit it for the organization' }])
  if (documentId !== undefined)
    return { resource: { type: 'document', id: documentId, organizationId }, field: 'documentId' }
  if (folderId !== undefined) return { resource: { type: 'folder', id: folderId, organizationId }, field: 'folderId' }
  return { resource: { type: 'organization', id: organizationId }, field: 'organizationId' }
}
