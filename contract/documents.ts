/** `organizations/documents/*`: the documents of an organization, in folders or at its top. */
import Type from 'typebox'
import { BatchResult, ItemResult } from './envelope.ts'
import { DocumentId, FolderId, Items, Name, OrganizationId, PageSize, PageToken } from './ids.ts'
import { operation } from './operation.ts'
import { AccessType } from './permissions.ts'

/** Open: other fields are metadata, stored and returned (decisions A3). */
export const DocumentInput = Type.Object(
  {
    documentId: DocumentId,
    documentName: Type.Optional(Name('The name of the document.')),
    accessType: Type.Optional(AccessType),
  },
  { additionalProperties: true, metadata: true },
)
export type DocumentInput = Type.Static<typeof DocumentInput>

export const DocumentRecord = Type.Object(
  {
    id: Type.String({ description: "The caller's id." }),
    documentName: Type.Optional(Type.String()),
    disabled: Type.Boolean(),
    accessType: AccessType,
    folderId: Type.Optional(Type.String({ description: 'Absent at the top.' })),
  },
  { additionalProperties: true },
)

export const addDocuments = operation({
  name: 'documents.add',
  path: '/v2/organizations/documents/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add documents',
  description:
    'Adds documents to a folder, or to the top of the organization. An id that is there already gets `code: "already-exists"`; one that only a grant has mentioned is adopted. Adding an id that a migration left behind releases it.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      createOrganization: Type.Optional(Type.Boolean({ default: false })),
      folderId: Type.Optional(FolderId),
      createFolder: Type.Optional(Type.Boolean({ default: false })),
      documents: Items(DocumentInput, 'The same id twice: the last wins.'),
    },
    { additionalProperties: false },
  ),
  result: BatchResult,
  success: 'Documents added successfully.',
  reasons: ['organization_does_not_exist', 'folder_does_not_exist'],
  example: { organizationId: 'acme', documents: [{ documentId: 'roadmap', documentName: 'Roadmap' }] },
})

export const getDocuments = operation({
  name: 'documents.get',
  path: '/v2/organizations/documents/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get documents',
  description:
    'The documents of an organization, or of one folder of it without its sub-folders, in id order, page by page; or the named ones, one entry for each in the order asked, where an unknown id gets `{ id, success: false, code: "not-found" }`, with `migratedTo` when a migration gave it another id. `accessType` is the effective one.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      documentIds: Type.Optional(Items(DocumentId, 'Only these, in this order; no paging.')),
      folderId: Type.Optional(FolderId),
      pageSize: Type.Optional(PageSize),
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false },
  ),
  result: Type.Array(Type.Union([DocumentRecord, ItemResult])),
  success: 'Documents retrieved successfully.',
  reasons: ['organization_does_not_exist', 'folder_does_not_exist'],
  example: { organizationId: 'acme', documentIds: ['roadmap'] },
})
