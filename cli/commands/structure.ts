/** Commands for organizations, folders and documents. */
import {
  addDocuments,
  countDocuments,
  deleteDocuments,
  disableDocuments,
  getDocuments,
  moveDocuments,
  setDocumentAccess,
  updateDocuments,
} from '#contract/documents.ts'
import { addFolders, deleteFolder, getFolders, setFolderAccess, updateFolders } from '#contract/folders.ts'
import {
  addOrganizations,
  deleteOrganizations,
  disableOrganizations,
  getOrganizations,
  updateOrganizations,
} from '#contract/organizations.ts'
import type { OperationCommand, Parameter } from '../operation-command.ts'
import { items, record, table } from '../output.ts'
import { column, written } from '../table.ts'
import { json } from '../values.ts'

export const ORG: Parameter = { flags: '-o, --org <organization>', at: 'organizationId' }
const ORGS: Parameter = { flags: '<organization...>', at: 'organizationIds' }
const DOCS: Parameter = { flags: '<document...>', at: 'documentIds' }
const FOLDERS: Parameter = { flags: '<folder...>', at: 'folderIds' }
export const CREATE_ORG: Parameter = {
  flags: '--create-org',
  at: 'createOrganization',
  help: 'Add the organization if it does not exist.',
}
const metadata = (at: string): Parameter => ({
  flags: '--metadata <json>',
  at,
  help: 'Custom fields, as a JSON object.',
  read: json,
})

const ORG_COLUMNS = [column('ORGANIZATION', 'id'), column('NAME', 'organizationName'), column('DISABLED')]
const FOLDER_COLUMNS = [
  column('FOLDER', 'folderId'),
  column('NAME', 'folderName'),
  column('PARENT', 'parentFolderId'),
  column('ACCESS', 'accessType'),
  column('INHERITED', 'inheritAccessFromParent'),
  column('SUBFOLDERS', 'subFolders', (value) => (Array.isArray(value) ? written(value.length) : '')),
]
const DOC_COLUMNS = [
  column('DOCUMENT', 'id'),
  column('NAME', 'documentName'),
  column('FOLDER', 'folderId'),
  column('ACCESS', 'accessType'),
  column('DISABLED'),
]
const access = (what: string): Parameter[] => [
  { flags: '--type <type>', at: 'accessType' },
  {
    flags: '--inherit',
    at: 'inheritFromParent',
    help: `Remove the access type of the ${what} itself, so that it inherits from its parent.`,
  },
]

const ORGANIZATIONS: readonly OperationCommand[] = [
  {
    name: 'org list',
    operation: getOrganizations,
    show: table(ORG_COLUMNS),
    examples: ['commonhold org list', 'commonhold org list --json | jq -r .id'],
  },
  {
    name: 'org get',
    operation: getOrganizations,
    parameters: [ORGS],
    show: table(ORG_COLUMNS),
    summary: 'Get organizations by id',
    examples: ['commonhold org get acme globex'],
  },
  {
    name: 'org add',
    operation: addOrganizations,
    summary: 'Add an organization, or change it',
    parameters: [
      { flags: '<organization>', at: 'organizations[0].organizationId' },
      { flags: '--name <name>', at: 'organizations[0].organizationName' },
      metadata('organizations[0]'),
    ],
    show: items,
    examples: ['commonhold org add acme --name "Acme Inc."'],
  },
  {
    name: 'org update',
    operation: updateOrganizations,
    summary: 'Change the name or the metadata of an organization',
    parameters: [
      { flags: '<organization>', at: 'organizations[0].organizationId' },
      { flags: '--name <name>', at: 'organizations[0].organizationName' },
      metadata('organizations[0]'),
    ],
    show: items,
    examples: [
      'commonhold org update acme --name "Acme Corporation"',
      `commonhold org update acme --metadata '{"plan": "pro"}'`,
    ],
  },
  {
    name: 'org disable',
    operation: disableOrganizations,
    summary: 'Disable organizations',
    parameters: [ORGS],
    fixed: { disabled: true },
    show: items,
    examples: ['commonhold org disable acme'],
  },
  {
    name: 'org enable',
    operation: disableOrganizations,
    summary: 'Enable organizations',
    parameters: [ORGS],
    fixed: { disabled: false },
    show: items,
    examples: ['commonhold org enable acme'],
  },
  {
    name: 'org delete',
    operation: deleteOrganizations,
    parameters: [ORGS],
    confirm: ({ organizationIds }: { organizationIds: string[] }) =>
      `Delete ${organizationIds.join(', ')} with everything in it?`,
    show: items,
    examples: ['commonhold org delete acme --yes'],
  },
]

const FOLDER_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'folder list',
    operation: getFolders,
    parameters: [ORG, { flags: '--top', at: 'rootFoldersOnly', help: 'Only top-level folders.' }],
    show: table(FOLDER_COLUMNS),
    examples: ['commonhold folder list --org acme'],
  },
  {
    name: 'folder get',
    operation: getFolders,
    summary: 'Get a folder with its subfolders',
    parameters: [
      { flags: '<folder>', at: 'folderId' },
      ORG,
      { flags: '--depth <levels>', at: 'maxDepth', help: 'The number of levels of subfolders.' },
    ],
    show: table(FOLDER_COLUMNS),
    examples: ['commonhold folder get plans --org acme --depth 3 --json'],
  },
  {
    name: 'folder add',
    operation: addFolders,
    summary: 'Add a folder',
    parameters: [
      { flags: '<folder>', at: 'folders[0].folderId' },
      ORG,
      { flags: '--name <name>', at: 'folders[0].folderName' },
      {
        flags: '--in <folder>',
        at: 'folders[0].parentFolderId',
        help: 'The parent folder. Absent: the top level.',
      },
      { flags: '--access <type>', at: 'folders[0].accessType' },
      CREATE_ORG,
    ],
    show: items,
    examples: ['commonhold folder add plans --org acme --name Plans'],
  },
  {
    name: 'folder update',
    operation: updateFolders,
    summary: 'Rename or move a folder',
    parameters: [
      { flags: '<folder>', at: 'folders[0].folderId' },
      ORG,
      { flags: '--name <name>', at: 'folders[0].folderName' },
      {
        flags: '--to <folder>',
        at: 'folders[0].parentFolderId',
        help: 'The new parent folder; root is the top level.',
      },
    ],
    show: items,
    examples: ['commonhold folder update plans --org acme --to archive'],
  },
  {
    name: 'folder access',
    operation: setFolderAccess,
    parameters: [FOLDERS, ORG, ...access('folder')],
    show: items,
    examples: ['commonhold folder access plans --org acme --type restricted'],
  },
  {
    name: 'folder delete',
    operation: deleteFolder,
    parameters: [{ flags: '<folder>', at: 'folderId' }, ORG],
    confirm: ({ folderId }: { folderId: string }) => `Delete the folder ${folderId} with everything in it?`,
    show: record,
    examples: ['commonhold folder delete plans --org acme'],
  },
]

const FILTER: Parameter = {
  flags: '--where <json...>',
  at: 'filters',
  help: 'Only documents whose metadata match: {"key": "plan", "operator": "==", "value": "pro"}.',
  read: json,
}

const DOCUMENTS: readonly OperationCommand[] = [
  {
    name: 'doc list',
    operation: getDocuments,
    parameters: [ORG, { flags: '--folder <folder>', at: 'folderId', help: 'Only of this folder.' }, FILTER],
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
    parameters: [ORG, { flags: '--folder <folder>', at: 'folderId', help: 'Only of this folder.' }, FILTER],
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
    show: items,
    examples: ['commonhold doc update roadmap --org acme --name "Roadmap 2027"'],
  },
  {
    name: 'doc move',
    operation: moveDocuments,
    parameters: [DOCS, ORG, { flags: '--to <folder>', at: 'folderId', help: 'The new folder; root is the top level.' }],
    show: items,
    examples: ['commonhold doc move roadmap --org acme --to plans'],
  },
  {
    name: 'doc access',
    operation: setDocumentAccess,
    parameters: [DOCS, ORG, ...access('document')],
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
    show: items,
    examples: ['commonhold doc disable roadmap --org acme'],
  },
  {
    name: 'doc enable',
    operation: disableDocuments,
    summary: 'Enable documents',
    parameters: [DOCS, ORG],
    fixed: { disabled: false },
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

export const STRUCTURE_COMMANDS: readonly OperationCommand[] = [...ORGANIZATIONS, ...FOLDER_COMMANDS, ...DOCUMENTS]
