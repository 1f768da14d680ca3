/** Turns the alternatives of an explanation, which are calls, into changes that can be simulated. */
import type { DataOf } from '../core/operation.ts'
import { setDocumentAccess } from '../resources/documents.ts'
import { setFolderAccess } from '../resources/folders.ts'
import { deleteUserGroupUsers } from '../users/user-groups.ts'
import type { Alternative } from './explanations.ts'
import { addPermissions, type ResourceName, removePermissions } from './permissions.ts'
import type { simulatePermissions } from './simulations.ts'

type AccessChange = Omit<DataOf<typeof simulatePermissions>, 'pageSize' | 'pageToken'>

type SetAccess<Ids> = Omit<DataOf<typeof setFolderAccess>, 'folderIds'> & Ids

const organizationOf = ([resource]: readonly ResourceName[]): string => resource?.organizationId ?? resource?.id ?? ''

/** The data of operations as changes, by the name of the operation. Explanations only name users, in one organization. */
const CHANGES: Readonly<Record<string, (data: never) => AccessChange>> = {
  [addPermissions.name]: ({ user, permissions: { resources } }: DataOf<typeof addPermissions>) => ({
    organizationId: organizationOf(resources),
    add: resources.map(({ type, id, accessRole }) => ({ userId: user?.userId, resource: { type, id }, accessRole })),
  }),
  [removePermissions.name]: ({ userId, permissions: { resources } }: DataOf<typeof removePermissions>) => ({
    organizationId: organizationOf(resources),
    remove: resources.map(({ type, id }) => ({ userId, resource: { type, id } })),
  }),
  [setFolderAccess.name]: ({ organizationId, folderIds, ...access }: SetAccess<{ folderIds: string[] }>) => ({
    organizationId,
    accessTypes: folderIds.map((id) => ({ resource: { type: 'folder', id }, ...access })),
  }),
  [setDocumentAccess.name]: ({ organizationId, documentIds, ...access }: SetAccess<{ documentIds: string[] }>) => ({
    organizationId,
    accessTypes: documentIds.map((id) => ({ resource: { type: 'document', id }, ...access })),
  }),
  [deleteUserGroupUsers.name]: (data: DataOf<typeof deleteUserGroupUsers>) => ({
    organizationId: data.organizationId,
    leave: (data.userIds ?? []).map((userId) => ({ userId, groupId: data.organizationUserGroupId })),
  }),
}

/** Returns the calls as one change; undefined if a simulation does not cover one of them, such as enabling a user. */
export function changeOf(calls: Alternative['calls']): AccessChange | undefined {
  const parts = calls.map(({ operation, data }) => CHANGES[operation]?.(data as never))
  const [first] = parts
  if (first === undefined || parts.some((part) => part?.organizationId !== first.organizationId)) return undefined
  const lists = (['remove', 'accessTypes', 'add', 'leave'] as const).flatMap((name) => {
    const entries = parts.flatMap<unknown>((part) => part?.[name] ?? [])
    return entries.length === 0 ? [] : [[name, entries]]
  })
  return { organizationId: first.organizationId, ...Object.fromEntries(lists) }
}
