/** Turns a call that the server suggests into a change of access to one resource, which the console can preview. */
import type { AccessRole, AccessType, Finding, ResourceName } from '#sdk/generated/operations.ts'
import { isSame } from '../../../resource.ts'
import type { Key } from '../../../session/session.ts'
import type { Change, Place } from './change.ts'

export interface Fix {
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

/** Returns undefined for a call that changes something else than the access to one resource. */
export function fixOf({ operation, data }: Finding['calls'][number]): Fix | undefined {
  if (operation === 'permissions.add' || operation === 'permissions.remove') {
    const { user, userId = user?.userId ?? '', permissions } = data as unknown as Granting
    const [granted, ...others] = permissions.resources
    if (granted === undefined || others.length > 0) return undefined
    const { accessRole, expiresAt, replaceExisting, ...resource } = granted
    if (operation === 'permissions.remove') return { resource, change: { revoke: [userId] } }
    const grant = {
      principal: userId,
      accessRole: accessRole ?? 'viewer',
      ...(expiresAt !== undefined && { expiresAt }),
      ...(replaceExisting === true && { replaceExisting }),
    }
    return { resource, change: { give: [grant] } }
  }
  if (operation === 'folder-access.set' || operation === 'document-access.set') {
    const { organizationId, folderIds, documentIds, accessType = null } = data as unknown as Setting
    const type = folderIds === undefined ? 'document' : 'folder'
    const id = (folderIds ?? documentIds ?? [])[0] ?? ''
    return { resource: { type, id, organizationId }, change: { accessType } }
  }
  return undefined
}

/** Returns the place of a fix. `chain` has the names of the resource and of those above it, where they are known. */
export function placeOf(key: Key, { resource }: Fix, chain: Place['chain'] = []): Place {
  const organizationId = resource.type === 'organization' ? resource.id : (resource.organizationId ?? '')
  const at = chain.findIndex((entry) => isSame(entry, resource))
  return { key, organizationId, resource, chain: at < 0 ? [resource] : chain.slice(at) }
}
