/** `organizations/documents/migrate*`: durable jobs that give a document a new id (rules/resources.md#migrations). */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { callerId, DocumentId, OrganizationId, PAGING } from '../core/ids.ts'
import { operation } from '../core/operation.ts'

export const MIGRATION_FAILURES = [
  'document_does_not_exist',
  'new_document_already_exists',
  'migration_in_progress',
] as const

export const MigrationFailure = Type.Object({ reason: Type.Enum([...MIGRATION_FAILURES]), message: Type.String() })

const STATUSES = ['pending', 'in_progress', 'completed', 'failed'] as const

export const Migration = Type.Object({
  migrationId: Type.String(),
  status: Type.Enum([...STATUSES]),
  documentId: Type.String(),
  newDocumentId: Type.String(),
  createdAt: Type.Integer({ description: 'Milliseconds.' }),
  startedAt: Type.Union([Type.Integer({ description: 'Milliseconds.' }), Type.Null()]),
  finishedAt: Type.Union([Type.Integer({ description: 'Milliseconds.' }), Type.Null()]),
  percent: Type.Integer({ minimum: 0, maximum: 100 }),
  error: Type.Optional(MigrationFailure),
})
export type Migration = Type.Static<typeof Migration>

export const migrateDocument = operation({
  name: 'migrations.migrate',
  path: '/v2/organizations/documents/migrate',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Migrate a document to a new id',
  description:
    'Starts a durable job that gives a document a new id, with everything attached to it, and returns at once; `migrate/status` reports the outcome. The change itself is one transaction: at every moment the document is known by exactly one id. With `dryRun` nothing is started, and the response says whether the migration would succeed.',
  data: ClosedObject(
    {
      organizationId: OrganizationId,
      documentId: DocumentId,
      newDocumentId: callerId('The new id of the document, under which the organization has no document yet.'),
      dryRun: Type.Optional(Type.Boolean({ default: false })),
    },
    { narrowing: ['dryRun'] },
  ),
  result: Type.Object({
    migrationId: Type.Optional(Type.String({ description: 'Absent on a dry run.' })),
    wouldSucceed: Type.Optional(Type.Boolean({ description: 'Present on a dry run.' })),
    error: Type.Optional(MigrationFailure),
  }),
  success: 'Document migration started.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', documentId: 'roadmap', newDocumentId: 'roadmap-2027' },
})

export const getMigrationStatus = operation({
  name: 'migrations.get',
  path: '/v2/organizations/documents/migrate/status',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the status of a migration',
  description:
    'Returns the status of a migration: `pending`, `in_progress`, then `completed`, or `failed` with the reason.',
  data: ClosedObject({
    organizationId: OrganizationId,
    migrationId: Type.String({ minLength: 1, maxLength: 64 }),
  }),
  result: Migration,
  success: 'Migration status retrieved successfully.',
  reasons: ['migration_does_not_exist'],
  example: { organizationId: 'acme', migrationId: 'b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11' },
})

export const listMigrations = operation({
  name: 'migrations.list',
  path: '/v2/organizations/documents/migrations/list',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'List migrations',
  description:
    'Lists the migrations of an organization, newest first, page by page, each as `migrate/status` returns it. `documentId` selects those from or to that id, `status` those with that status; both can be combined. A migration that is started while pages are read is not on the following pages.',
  data: ClosedObject({
    organizationId: OrganizationId,
    documentId: Type.Optional(DocumentId),
    status: Type.Optional(Type.Enum([...STATUSES])),
    ...PAGING,
  }),
  result: Type.Object({ migrations: Type.Array(Migration) }),
  success: 'Migrations retrieved successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', status: 'failed' },
})

export const MIGRATION_OPERATIONS = [migrateDocument, getMigrationStatus, listMigrations]
