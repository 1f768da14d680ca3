/** The rules across the fields that name what an invitation is to. */
import type { InvitationType } from './invitations.ts'

interface Named {
  type: InvitationType
  documentId?: string | undefined
  folderId?: string | undefined
}

/** Returns the faults of a missing id, and of one that the type has no use for. */
export const targetFaults = ({ type, documentId, folderId }: Named): { field: string; message: string }[] => [
  ...faultsOf('documentId', documentId, type, 'doc_user'),
  ...faultsOf('folderId', folderId, type, 'folder_user'),
]

function faultsOf(field: string, id: string | undefined, type: InvitationType, wanted: InvitationType) {
  if (type === wanted && id === undefined) return [{ field, message: `${field} is required with type ${type}` }]
  if (type !== wanted && id !== undefined) return [{ field, message: `${field} must not be given with type ${type}` }]
  if (field === 'folderId' && id === 'root')
    return [{ field, message: 'folderId must not be "root"; invite to the organization with type org_user' }]
  return []
}
