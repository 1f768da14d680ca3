/** `organizations/documents/*`: the documents of an organization, in folders or at its top. */
import Type from 'typebox'
import { BatchResult, batchResultWith, ItemResult } from './envelope.ts'
import { DocumentId, FolderId, Items, Name, OrganizationId, PageSize, PageToken } from './ids.ts'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'
import { AccessType, BatchResultOfAccess } from './permissions.ts'

/** Open: other fields are metadata, stored and returned (rules/contract.md#metadata). */
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
    inheritAccessFromParent: Type.Boolean({ description: 'True without an access type of its own.' }),
    folderId: Type.Optional(Type.String({ description: 'Absent at the top.' })),
  },
  { additionalProperties: true },
)

/** A condition on one metadata field. */
export const DocumentFilter = Type.Object(
  {
    key: Type.String({ description: 'The metadata field.', minLength: 1, maxLength: 256 }),
    operator: Type.Enum(['==', 'in']),
    value: Type.Unknown({
      description:
        'What the field is equal to; for `in` a list of up to 100 such values. The whole filter is bounded like metadata.',
    }),
  },
  { additionalProperties: false },
)
export type DocumentFilter = Type.Static<typeof DocumentFilter>

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
      filters: Type.Optional(
        Type.Array(DocumentFilter, { description: 'All must hold.', minItems: 1, maxItems: LIMITS.documentFiltersMax }),
      ),
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

/** The same for updates, where `null` clears. */
export const DocumentChange = Type.Object(
  {
    documentId: DocumentId,
    documentName: Type.Optional(Type.Union([Name('The name of the document.'), Type.Null()])),
  },
  { additionalProperties: true, metadata: true },
)

export const updateDocuments = operation({
  name: 'documents.update',
  path: '/v2/organizations/documents/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Update documents',
  description:
    'Merges name and metadata: an absent field stays, `null` clears it. An unknown document gets `code: "not-found"`, with `migratedTo` when a migration gave it another id.',
  data: Type.Object(
    { organizationId: OrganizationId, documents: Items(DocumentChange, 'The same id twice: the last wins.') },
    { additionalProperties: false },
  ),
  result: BatchResult,
  success: 'Documents updated successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', documents: [{ documentId: 'roadmap', documentName: 'Roadmap 2027' }] },
})

export const deleteDocuments = operation({
  name: 'documents.delete',
  path: '/v2/organizations/documents/delete',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Delete documents',
  description: 'Deletes documents with their grants. An unknown document gets `code: "not-found"`.',
  data: Type.Object(
    { organizationId: OrganizationId, documentIds: Items(DocumentId, 'The documents to delete.') },
    { additionalProperties: false },
  ),
  result: BatchResult,
  success: 'Documents deleted successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', documentIds: ['roadmap'] },
})

export const moveDocuments = operation({
  name: 'documents.move',
  path: '/v2/organizations/documents/move',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Move documents to a folder',
  description:
    'Moves documents to a folder, or with `folderId: "root"` to the top. Documents without an own access type follow the new folder. An unknown document gets `code: "not-found"`; an unknown folder fails the call.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      documentIds: Items(DocumentId, 'The documents to move.'),
      folderId: FolderId,
    },
    { additionalProperties: false },
  ),
  result: BatchResult,
  success: 'Documents moved successfully.',
  reasons: ['organization_does_not_exist', 'folder_does_not_exist'],
  example: { organizationId: 'acme', documentIds: ['roadmap'], folderId: 'plans' },
})

export const setDocumentAccess = operation({
  name: 'document-access.set',
  path: '/v2/organizations/documents/access/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Set the access type of documents',
  description:
    'Gives documents an own access type, which beats that of their folder, or with `inheritFromParent: true` takes it away so that they follow the folder; one of the two.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      documentIds: Items(DocumentId, 'The documents.'),
      accessType: Type.Optional(AccessType),
      inheritFromParent: Type.Optional(Type.Boolean({ default: false })),
    },
    { additionalProperties: false },
  ),
  result: BatchResultOfAccess,
  success: 'Document access updated successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', documentIds: ['roadmap'], accessType: 'restricted' },
})

export const disableDocuments = operation({
  name: 'documents.disable',
  path: '/v2/organizations/documents/access/disablestate/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Disable or enable documents',
  description: 'A disabled document denies every user; management calls go on.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      documentIds: Items(DocumentId, 'The documents.'),
      disabled: Type.Boolean(),
    },
    { additionalProperties: false },
  ),
  result: batchResultWith({ disabled: Type.Optional(Type.Boolean()) }),
  success: 'Documents updated successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', documentIds: ['roadmap'], disabled: true },
})

export const countDocuments = operation({
  name: 'documents.count',
  path: '/v2/organizations/documents/count',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Count documents',
  description:
    'How many documents the organization has, or one folder of it without its sub-folders; only those that meet all `filters`.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      folderId: Type.Optional(FolderId),
      filters: Type.Optional(Type.Array(DocumentFilter, { minItems: 1, maxItems: LIMITS.documentFiltersMax })),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({ count: Type.Integer() }),
  success: 'Documents counted successfully.',
  reasons: ['organization_does_not_exist', 'folder_does_not_exist'],
  example: { organizationId: 'acme' },
})
