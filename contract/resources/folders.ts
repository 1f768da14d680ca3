/** `organizations/folders/*`: folders nest and hold documents; their access types and grants apply to everything inside. */
import Type from 'typebox'
import { ACCESS_ADVICE } from '../access/access-words.ts'
import { AccessType, BatchResultOfAccess } from '../access/permissions.ts'
import { BatchResult } from '../core/envelope.ts'
import { ClosedObject, nullable, optional } from '../core/fields.ts'
import { FolderId, Items, Name, OrderBy, OrganizationId, PAGING } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

/** The fields of folders that callers add, change and clear freely. */
export const FOLDER_FIELDS = {
  folderName: Name('The name of the folder.'),
}
export type FolderFields = Partial<Type.Static<Type.TObject<typeof FOLDER_FIELDS>>>
/** Null clears a field. */
export type FolderChanges = { [Name in keyof FolderFields]: FolderFields[Name] | null }

export const FolderInput = ClosedObject(
  {
    folderId: FolderId,
    ...optional(FOLDER_FIELDS),
    parentFolderId: Type.Optional(FolderId),
    accessType: Type.Optional(AccessType),
  },
  { accessAdvice: ACCESS_ADVICE.newFolder },
)
export type FolderInput = Type.Static<typeof FolderInput>

export const addFolders = operation({
  name: 'folders.add',
  path: '/v2/organizations/folders/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add folders',
  description:
    'Adds folders, at most 100 levels deep. `parentFolderId` names a folder that exists or is in the same call; absent or `"root"` is the top. Without `accessType` a folder follows its parent.',
  data: ClosedObject({
    organizationId: OrganizationId,
    createOrganization: Type.Optional(Type.Boolean({ default: false })),
    folders: Items(FolderInput, 'The same id twice: the last wins.'),
  }),
  result: BatchResult,
  success: 'Folders created successfully.',
  warns: true,
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', folders: [{ folderId: 'plans', folderName: 'Plans' }] },
})

const folderRecordFields = {
  folderId: Type.String(),
  ...optional(FOLDER_FIELDS),
  organizationId: Type.String(),
  parentFolderId: Type.String({ description: '`root` at the top.' }),
  apiKey: Type.String(),
  createdAt: Type.Integer({ description: 'Milliseconds.' }),
  lastUpdated: Type.Integer({ description: 'Milliseconds.' }),
  ancestors: Type.Array(Type.String(), { description: '`root`, then the folders above it; the parent is last.' }),
  accessType: AccessType,
  inheritAccessFromParent: Type.Boolean(),
}

export const FolderRecord = Type.Cyclic(
  {
    FolderRecord: Type.Object({
      ...folderRecordFields,
      subFolders: Type.Optional(
        Type.Array(Type.Ref('FolderRecord'), {
          description: 'Absent on folders without sub-folders, and below `maxDepth`.',
        }),
      ),
    }),
  },
  'FolderRecord',
)
const FlatFolderRecord = Type.Object(folderRecordFields)
export type FolderRecord = Type.Static<typeof FlatFolderRecord> & { subFolders?: FolderRecord[] }

export const getFolders = operation({
  name: 'folders.get',
  path: '/v2/organizations/folders/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get folders',
  description:
    'Returns the folders of an organization, flat and in id order, page by page; with `rootFoldersOnly` only those at the top, with `parentFolderId` only those directly in that folder (`root` is the top). With `folderId` it returns that folder alone, with its sub-folders nested in it to `maxDepth` levels (default 1). Such a tree has no pages, and at most 10,000 folders with 100,000 `ancestors` in total.',
  data: ClosedObject({
    organizationId: OrganizationId,
    folderId: Type.Optional(FolderId),
    maxDepth: Type.Optional(Type.Integer({ minimum: 0, maximum: LIMITS.folderDepthMax, default: 1 })),
    rootFoldersOnly: Type.Optional(Type.Boolean({ default: false })),
    parentFolderId: Type.Optional(FolderId),
    folderIds: Type.Optional(
      Items(FolderId, 'Only these folders, in this order, without those that do not exist; no paging.'),
    ),
    orderBy: Type.Optional({
      ...OrderBy,
      description: 'The order of the list. By name only with `rootFoldersOnly` or `parentFolderId`.',
    }),
    ...PAGING,
  }),
  result: Type.Array(FolderRecord),
  success: 'Folders retrieved successfully.',
  reasons: ['organization_does_not_exist', 'folder_does_not_exist', 'too_many_folders'],
  example: { organizationId: 'acme', folderId: 'plans', maxDepth: 2 },
})

export const updateFolders = operation({
  name: 'folders.update',
  path: '/v2/organizations/folders/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Change and move folders',
  description:
    'Changes the fields of folders, moves them with everything inside (`parentFolderId: "root"` is the top), or both; an absent field keeps its value, `null` clears it. A folder cannot be moved into itself or a folder below it, or to a place where anything would be more than 100 levels deep. Items are applied sequentially; an unknown folder gets `code: "not-found"`.',
  data: ClosedObject({
    organizationId: OrganizationId,
    folders: Items(
      ClosedObject(
        {
          folderId: FolderId,
          ...nullable(FOLDER_FIELDS),
          parentFolderId: Type.Optional(FolderId),
        },
        { accessAdvice: ACCESS_ADVICE.folder },
      ),
      'The same id twice: the last wins.',
    ),
  }),
  result: BatchResult,
  success: 'Folders updated successfully.',
  warns: true,
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', folders: [{ folderId: 'plans', parentFolderId: 'root' }] },
})

export const setFolderAccess = operation({
  name: 'folder-access.set',
  path: '/v2/organizations/folders/access/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Set the access type of folders',
  description:
    'Sets an access type of their own on folders; `inheritFromParent: true` removes it, so that they follow their parent. Exactly one of the two fields is required. Everything inside without an access type of its own follows at once.',
  data: ClosedObject({
    organizationId: OrganizationId,
    folderIds: Items(FolderId, 'The folders.'),
    accessType: Type.Optional(AccessType),
    inheritFromParent: Type.Optional(Type.Boolean({ default: false })),
  }),
  result: BatchResultOfAccess,
  success: 'Folder access updated successfully.',
  warns: true,
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', folderIds: ['plans'], accessType: 'restricted' },
})

export const deleteFolder = operation({
  name: 'folders.delete',
  path: '/v2/organizations/folders/delete',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Delete a folder',
  description:
    'Deletes a folder with its sub-folders, documents and all their grants, in one transaction. A folder that was never added, but that grants or invitations have named, is deleted with these too. The deletion is complete when the call returns.',
  data: ClosedObject({ organizationId: OrganizationId, folderId: FolderId }),
  result: Type.Object({
    deleted: Type.Object({ folders: Type.Integer(), documents: Type.Integer(), permissions: Type.Integer() }),
  }),
  success: 'Folder deleted successfully.',
  reasons: ['organization_does_not_exist', 'folder_does_not_exist'],
  example: { organizationId: 'acme', folderId: 'plans' },
})

export const FOLDER_OPERATIONS = [addFolders, getFolders, updateFolders, setFolderAccess, deleteFolder]
