/** `organizations/folders/*`: folders nest, hold documents, and carry access types and grants down to what is inside. */
import Type from 'typebox'
import { BatchResult } from './envelope.ts'
import { FolderId, Items, Name, OrganizationId } from './ids.ts'
import { operation } from './operation.ts'
import { AccessType } from './permissions.ts'

export const FolderInput = Type.Object(
  {
    folderId: FolderId,
    folderName: Type.Optional(Name('The name of the folder.')),
    parentFolderId: Type.Optional(FolderId),
    accessType: Type.Optional(AccessType),
  },
  { additionalProperties: false },
)
export type FolderInput = Type.Static<typeof FolderInput>

export const addFolders = operation({
  name: 'folders.add',
  path: '/v2/organizations/folders/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add folders',
  description:
    'Adds folders. `parentFolderId` names a folder that is there or one of the same call; absent or `"root"` is the top. Without `accessType` a folder follows its parent. At most 100 levels.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      createOrganization: Type.Optional(Type.Boolean({ default: false })),
      folders: Items(FolderInput, 'The same id twice: the last wins.'),
    },
    { additionalProperties: false },
  ),
  result: BatchResult,
  success: 'Folders created successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', folders: [{ folderId: 'plans', folderName: 'Plans' }] },
})
