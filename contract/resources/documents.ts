/** `organizations/documents/*`: the documents of an organization, in folders or at its top. */
import Type from 'typebox'
import { ACCESS_ADVICE } from '../access/access-words.ts'
import { AccessType, BatchResultOfAccess } from '../access/permissions.ts'
import { BatchResult, batchResultWith, ItemResult } from '../core/envelope.ts'
import { ClosedObject } from '../core/fields.ts'
import { DocumentId, FolderId, Items, Name, OrderBy, OrganizationId, PAGING } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

export const DocumentRecord = Type.Object(
  {
    id: Type.String({ description: "The caller's id." }),
    documentName: Type.Optional(Type.String()),
    disabled: Type.Boolean(),
    accessType: AccessType,
    inheritAccessFromParent: Type.Boolean({ description: 'True when it has no access type of its own.' }),
    folderId: Type.Optional(Type.String({ description: 'Absent at the top.' })),
  },
  { additionalProperties: true },
)

const OPEN = {
  additionalProperties: true,
  metadata: true,
  recordFields: Object.keys(DocumentRecord.properties),
} as const

/** Open: other fields are metadata, stored and returned (rules/contract.md#metadata). */
export const DocumentInput = Type.Object(
  {
    documentId: DocumentId,
    documentName: Type.Optional(Name('The name of the document.')),
    accessType: Type.Optional(AccessType),
    disabled: Type.Optional(Type.Boolean({ description: 'True denies access to every user.', default: false })),
  },
  { ...OPEN, accessAdvice: ACCESS_ADVICE.newDocument },
)
export type DocumentInput = Type.Static<typeof DocumentInput>

/** A condition on one field of a document (rules/resources.md#document-filters). */
export const DocumentFilter = ClosedObject({
  key: Type.String({
    description:
      'A metadata field, with or without `metadata.` before its name, or `documentName`, `createdAt` or `lastUpdated` (milliseconds). A document without the field does not match, with any operator.',
    minLength: 1,
    maxLength: 256,
  }),
  operator: Type.Enum(['==', '!=', '<', '<=', '>', '>=', 'in', 'not-in', 'array-contains', 'array-contains-any']),
  value: Type.Unknown({
    description:
      'The value to compare with: for `<`, `<=`, `>` and `>=` a number, a text or a boolean, and only fields of the same type match; for `in`, `not-in` and `array-contains-any` a list of up to 100 values. The whole filter has the bounds of metadata.',
  }),
})
export type DocumentFilter = Type.Static<typeof DocumentFilter>

export const addDocuments = operation({
  name: 'documents.add',
  path: '/v2/organizations/documents/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add documents',
  description:
    'Adds documents to a folder, or to the top of the organization. An id that exists already gets `code: "already-exists"`; a document that was only declared by a grant is added and keeps its grants. An id that a migration left free can be added again as another document.',
  data: ClosedObject({
    organizationId: OrganizationId,
    createOrganization: Type.Optional(Type.Boolean({ default: false })),
    folderId: Type.Optional(FolderId),
    createFolder: Type.Optional(Type.Boolean({ default: false })),
    merge: Type.Optional(
      Type.Boolean({ description: 'Accepted without effect: a document that exists is not added.' }),
    ),
    documents: Items(DocumentInput, 'The same id twice: the last wins.'),
  }),
  result: BatchResult,
  success: 'Documents added successfully.',
  warns: true,
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
    'Returns the documents of an organization, or of one folder without its sub-folders, in id order, page by page. With `documentIds` it returns these in the order of the request; an unknown id gets `{ id, success: false, code: "not-found" }`, with `migratedTo` if it was migrated. `accessType` is the effective access type.',
  data: ClosedObject(
    {
      organizationId: OrganizationId,
      documentIds: Type.Optional(Items(DocumentId, 'Only these, in this order; no paging.')),
      folderId: Type.Optional(FolderId),
      filters: Type.Optional(
        Type.Array(DocumentFilter, {
          description: `Only documents that match all filters. A page scans at most ${thousands(LIMITS.documentsExaminedPerPageMax)} documents, so it may be short or empty; only a page without \`nextPageToken\` is the last one.`,
          minItems: 1,
          maxItems: LIMITS.documentFiltersMax,
        }),
      ),
      orderBy: Type.Optional({
        ...OrderBy,
        description: 'The order of the list. By name only with `folderId`; `root` is the top.',
      }),
      ...PAGING,
    },
    { unimplemented: ['orderByCommentViews'] },
  ),
  result: Type.Array(Type.Union([DocumentRecord, ItemResult])),
  resultBy: 'documentIds',
  success: 'Documents retrieved successfully.',
  reasons: ['organization_does_not_exist', 'folder_does_not_exist', 'too_many_bytes', 'field_not_implemented'],
  example: { organizationId: 'acme', documentIds: ['roadmap'] },
})

/** The fields of a document in an update, where `null` clears a field. */
export const DocumentChange = Type.Object(
  {
    documentId: DocumentId,
    documentName: Type.Optional(Type.Union([Name('The name of the document.'), Type.Null()])),
  },
  { ...OPEN, accessAdvice: ACCESS_ADVICE.document },
)

export const updateDocuments = operation({
  name: 'documents.update',
  path: '/v2/organizations/documents/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Update documents',
  description:
    'Merges name and metadata: an absent field keeps its value, `null` clears it. An unknown document gets `code: "not-found"`, with `migratedTo` if it was migrated.',
  data: ClosedObject({
    organizationId: OrganizationId,
    merge: Type.Optional(
      Type.Boolean({
        description: 'False: the metadata of a document becomes what the call gives, and what it omits is removed.',
        default: true,
      }),
    ),
    documents: Items(DocumentChange, 'The same id twice: the last wins.'),
  }),
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
  description:
    'Deletes documents with their grants. A document that was never added, but that grants or invitations have named, is deleted with these too, and the result says how many grants there were. An unknown document gets `code: "not-found"`.',
  data: ClosedObject({ organizationId: OrganizationId, documentIds: Items(DocumentId, 'The documents to delete.') }),
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
    'Moves documents to a folder, or with `folderId: "root"` to the top. Documents without an access type of their own then follow the new folder. An unknown document gets `code: "not-found"`; with an unknown folder the call fails.',
  data: ClosedObject({
    organizationId: OrganizationId,
    documentIds: Items(DocumentId, 'The documents to move.'),
    folderId: FolderId,
  }),
  result: BatchResult,
  success: 'Documents moved successfully.',
  warns: true,
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
    'Sets an access type of their own on documents, which overrides that of their folder. `inheritFromParent: true` removes it, so that they follow the folder. Exactly one of the two fields is required.',
  data: ClosedObject({
    organizationId: OrganizationId,
    documentIds: Items(DocumentId, 'The documents.'),
    accessType: Type.Optional(AccessType),
    inheritFromParent: Type.Optional(Type.Boolean({ default: false })),
  }),
  result: BatchResultOfAccess,
  success: 'Document access updated successfully.',
  warns: true,
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', documentIds: ['roadmap'], accessType: 'restricted' },
})

export const disableDocuments = operation({
  name: 'documents.disable',
  path: '/v2/organizations/documents/access/disablestate/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Disable or enable documents',
  description:
    'Disables or enables documents. A disabled document denies access to every user; management calls still work.',
  data: ClosedObject({
    organizationId: OrganizationId,
    documentIds: Items(DocumentId, 'The documents.'),
    disabled: Type.Boolean(),
  }),
  result: batchResultWith({ disabled: Type.Optional(Type.Boolean()) }),
  success: 'Documents updated successfully.',
  warns: true,
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', documentIds: ['roadmap'], disabled: true },
})

export const countDocuments = operation({
  name: 'documents.count',
  path: '/v2/organizations/documents/count',
  aliases: ['/v2/organizations/documents/count/get'],
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Count documents',
  description:
    'Counts the documents of an organization, or of one folder without its sub-folders, that match all `filters`.',
  data: ClosedObject({
    organizationId: OrganizationId,
    folderId: Type.Optional(FolderId),
    excludeFolderDocs: Type.Optional(
      Type.Boolean({
        description:
          'Count only documents that are in no folder, like `folderId: "root"`; not together with another folder or with `filters`.',
        default: false,
      }),
    ),
    filters: Type.Optional(Type.Array(DocumentFilter, { minItems: 1, maxItems: LIMITS.documentFiltersMax })),
  }),
  result: Type.Object({
    count: Type.Integer(),
    filtersApplied: Type.Optional(Type.Literal(true, { description: 'Present when the call had `filters`.' })),
  }),
  success: 'Documents counted successfully.',
  reasons: ['organization_does_not_exist', 'folder_does_not_exist'],
  example: { organizationId: 'acme' },
})

export const DOCUMENT_OPERATIONS = [
  addDocuments,
  getDocuments,
  countDocuments,
  updateDocuments,
  moveDocuments,
  setDocumentAccess,
  disableDocuments,
  deleteDocuments,
]
