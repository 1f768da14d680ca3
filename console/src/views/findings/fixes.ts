/** Turns the calls of a finding into changes that the console can preview: each of one resource. */
import type { AccessRole, AccessType, Finding, ResourceName } from '#sdk/generated/operations.ts'
import type { Change } from '../access/change/change.ts'

export interface Fix {
  label: string
  resource: ResourceName
  change: Change
}

type GrantedResource = ResourceName & { accessRole?: AccessRole; expiresAt?: number; replaceExisting?: boolean }
interface Granting {
  user?: { userId: string }
  userId?: string
  permissions: { resources: GrantedResource[] }
}
interface Setting {
  organizationId: string
  folderIds?: string[]
  documentIds?: string[]
  accessType?: AccessType
}

/** Returns the changes of access among the calls of a finding. */
export function fixesOf({ kind, calls, resource: subject }: Finding): Fix[] {
  return calls.flatMap(({ operation, data }): Fix[] => {
    if (operation === 'permissions.add' || operation === 'permissions.remove') {
      const { user, userId = user?.userId ?? '', permissions } = data as unknown as Granting
      const [granted] = permissions.resources
      if (granted === undefined) return []
      const { accessRole, expiresAt, replaceExisting, ...resource } = granted
      if (operation === 'permissions.remove') return [{ label: 'Revoke…', resource, change: { revoke: [userId] } }]
      const grant = {
        principal: userId,
        accessRole: accessRole ?? 'viewer',
        ...(expiresAt !== undefined && { expiresAt }),
        ...(replaceExisting === true && { replaceExisting }),
      }
      const label = resource.id === subject?.id ? (GIVING[kind] ?? 'Change…') : `Give on ${resource.id}…`
      return [{ label, resource, change: { give: [grant] } }]
    }
    if (operation === 'folder-access.set' || operation === 'document-access.set') {
      const { organizationId, folderIds, documentIds, accessType = null } = data as unknown as Setting
      const type = folderIds === undefined ? 'document' : 'folder'
      const id = (folderIds ?? documentIds ?? [])[0] ?? ''
      const label = accessType === null ? 'Follow the folder…' : 'Restrict…'
      return [{ label, resource: { type, id, organizationId }, change: { accessType } }]
    }
    return []
  })
}

const GIVING: Partial<Record<Finding['kind'], string>> = {
  expired_lately: 'Give again…',
  guest_without_end: 'Set an end…',
  trainee_edits_everything: 'Make viewer…',
}
