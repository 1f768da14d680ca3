/** Commands for documents. */
import type { DataOf } from '#contract/core/operation.ts'
import {
  addDocuments,
  countDocuments,
  deleteDocuments,
  disableDocuments,
  getDocuments,
  moveDocuments,
  setDocumentAccess,
  updateDocuments,
} from '#contract/resources/documents.ts'
import type { Parameter } from '../../command-parameters.ts'
import type { Connection } from '../../connection/connection.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { items, record, table } from '../../terminal/output.ts'
import { column } from '../../terminal/table.ts'
import { json } from '../../values.ts'
import { access, CREATE_ORG, metadata, ORG } from '../parameters.ts'
import {
  ALREADY_DISABLED,
  AS_BEFORE,
  alreadyWith,
  existingAmong,
  foundBy,
  NOT_DISABLED,
  ownAccess,
  unchangedAmong,
} from './existing.ts'

const DOCS: Parameter = { flags: '<document...>', at: 'documentIds' }
const DOC_COLUMNS = [
  column('DOCUMENT', 'id'),
  column('NAME', 'documentName'),
  column('FOLDER', 'folderId'),
  column('ACCESS', 'accessType'),
  column('DISABLED'),
]

const FILTER: Parameter = {
  flags: '--where <json...>',
  at: 'filters',
  help: 'Only documents that match: {"key": "plan", "operator": "==", "value": "pro"}.',
  read: json,
}

type Naming = Pick<DataOf<typeof disableDocuments>, 'organizationId' | 'documentIds'>

const named = (connection: Connection, { organizationId, documentIds }: Naming) =>
  foundBy(() => connection.forKey().documents.get({ organizationId, documentIds }))

/** Returns the documents as a call gives them, and as they are stored. */
async function compared(connection: Connection, data: DataOf<typeof addDocuments> | DataOf<typeof updateDocuments>) {
  const place = 'folderId' in data && data.folderId !== undefined ? { folderId: data.folderId } : {}
  const given = data.documents.map(({ documentId: id, ...fields }) => ({ id, ...place, ...fields }))
  const naming = { organizationId: data.organizationId, documentIds: given.map(({ id }) => id) }
  return [given, (await named(connection, naming)) ?? []] as const
}

export const DOCUMENT_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'doc list',
    operation: getDocuments,
    parameters: [ORG, { flags: '--folder <folder>', at: 'folderId', help: 'Only documents of this folder.' }, FILTER],
    show: table(DOC_COLUMNS),
    examples: ['commonhold doc list --org acme --folder plans'],
  },
  {
    name: 'doc get',
    operation: getDocuments,
    summary: 'Get documents by id',
    parameters: [DOCS, ORG],
    show: table(DOC_COLUMNS),
    examples: ['commonhold doc get roadmap --org acme --json'],
  },
  {
    name: 'doc count',
    operation: countDocuments,
    parameters: [ORG, { flags: '--folder <folder>', at: 'folderId', help: 'Only documents of this folder.' }, FILTER],
    show: record,
    examples: ['commonhold doc count --org acme'],
  },
  {
    name: 'doc add',
    operation: addDocuments,
    summary: 'Add a document',
    parameters: [
      { flags: '<document>', at: 'documents[0].documentId' },
      ORG,
      { flags: '--name <name>', at: 'documents[0].documentName' },
      { flags: '--folder <folder>', at: 'folderId', help: 'The folder of the document. Absent: the top level.' },
      { flags: '--access <type>', at: 'documents[0].accessType' },
      metadata('documents[0]'),
      CREATE_ORG,
      { flags: '--create-folder', at: 'createFolder', help: 'Add the folder if it does not exist.' },
    ],
    existing: async (connection, data: DataOf<typeof addDocuments>) =>
      existingAmong(...(await compared(connection, data))),
    show: items,
    examples: ['commonhold doc add roadmap --org acme --folder plans --name Roadmap'],
  },
  {
    name: 'doc update',
    operation: updateDocuments,
    summary: 'Change the name or the metadata of a document',
    parameters: [
      { flags: '<document>', at: 'documents[0].documentId' },
      ORG,
      { flags: '--name <name>', at: 'documents[0].documentName' },
      metadata('documents[0]'),
    ],
    existing: async (connection, data: DataOf<typeof updateDocuments>) =>
      unchangedAmong(...(await compared(connection, data))),
    unchangedSays: AS_BEFORE,
    show: items,
    examples: ['commonhold doc update roadmap --org acme --name "Roadmap 2027"'],
  },
  {
    name: 'doc move',
    operation: moveDocuments,
    parameters: [DOCS, ORG, { flags: '--to <folder>', at: 'folderId', help: 'The new folder; root is the top level.' }],
    existing: async (connection, data: DataOf<typeof moveDocuments>) =>
      alreadyWith(
        data.documentIds,
        { folderId: data.folderId === 'root' ? undefined : data.folderId },
        await named(connection, data),
      ),
    unchangedSays: AS_BEFORE,
    show: items,
    examples: ['commonhold doc move roadmap --org acme --to plans'],
  },
  {
    name: 'doc access',
    operation: setDocumentAccess,
    parameters: [DOCS, ORG, ...access('document')],
    existing: async (connection, data: DataOf<typeof setDocumentAccess>) =>
      alreadyWith(data.documentIds, ownAccess(data), await named(connection, data)),
    unchangedSays: AS_BEFORE,
    show: items,
    examples: [
      'commonhold doc access roadmap --org acme --type public',
      'commonhold doc access roadmap --org acme --inherit',
    ],
  },
  {
    name: 'doc disable',
    operation: disableDocuments,
    summary: 'Disable documents',
    parameters: [DOCS, ORG],
    fixed: { disabled: true },
    existing: async (connection, data: Naming) =>
      alreadyWith(data.documentIds, { disabled: true }, await named(connection, data)),
    unchangedSays: ALREADY_DISABLED,
    show: items,
    examples: ['commonhold doc disable roadmap --org acme'],
  },
  {
    name: 'doc enable',
    operation: disableDocuments,
    summary: 'Enable documents',
    parameters: [DOCS, ORG],
    fixed: { disabled: false },
    existing: async (connection, data: Naming) =>
      alreadyWith(data.documentIds, { disabled: false }, await named(connection, data)),
    unchangedSays: NOT_DISABLED,
    show: items,
    examples: ['commonhold doc enable roadmap --org acme'],
  },
  {
    name: 'doc delete',
    operation: deleteDocuments,
    parameters: [DOCS, ORG],
    confirm: ({ documentIds }: { documentIds: string[] }) => `Delete ${documentIds.join(', ')}?`,
    show: items,
    examples: ['commonhold doc delete roadmap --org acme'],
  },
]
