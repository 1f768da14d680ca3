/** Commands for folders. */
import type { DataOf } from '#contract/core/operation.ts'
import {
  addFolders,
  deleteFolder,
  FOLDER_FIELDS,
  getFolders,
  setFolderAccess,
  updateFolders,
} from '#contract/resources/folders.ts'
import type { Parameter } from '../../command-parameters.ts'
import type { Connection } from '../../connection/connection.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { items, record, table } from '../../terminal/output.ts'
import { column, written } from '../../terminal/table.ts'
import { access, CREATE_ORG, columnsOf, ORG, optionsOf } from '../parameters.ts'
import { AS_BEFORE, alreadyWith, existingAmong, foundBy, ownAccess, unchangedAmong } from './existing.ts'

const FOLDERS: Parameter = { flags: '<folder...>', at: 'folderIds' }
const FOLDER_COLUMNS = [
  column('FOLDER', 'folderId'),
  ...columnsOf(FOLDER_FIELDS),
  column('PARENT', 'parentFolderId'),
  column('ACCESS', 'accessType'),
  column('INHERITED', 'inheritAccessFromParent'),
  column('SUBFOLDERS', 'subFolders', (value) => (Array.isArray(value) ? written(value.length) : '')),
]

type Naming = Pick<DataOf<typeof setFolderAccess>, 'organizationId' | 'folderIds'>

async function named(connection: Connection, { organizationId, folderIds }: Naming) {
  const found = await foundBy(() => connection.forKey().folders.get({ organizationId, folderIds }))
  return (found ?? []).map((folder) => ({ id: folder.folderId, ...folder }))
}

/** Returns the folders as a call gives them, and as they are stored. */
async function compared(connection: Connection, data: DataOf<typeof addFolders> | DataOf<typeof updateFolders>) {
  const given = data.folders.map(({ folderId: id, ...fields }) => ({ id, ...fields }))
  const naming = { organizationId: data.organizationId, folderIds: given.map(({ id }) => id) }
  return [given, await named(connection, naming)] as const
}

export const FOLDER_COMMANDS: readonly OperationCommand[] = [
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
      ...optionsOf(FOLDER_FIELDS, 'folders[0]'),
      {
        flags: '--in <folder>',
        at: 'folders[0].parentFolderId',
        help: 'The parent folder. Absent: the top level.',
      },
      { flags: '--access <type>', at: 'folders[0].accessType' },
      CREATE_ORG,
    ],
    existing: async (connection, data: DataOf<typeof addFolders>) =>
      existingAmong(...(await compared(connection, data))),
    show: items,
    examples: ['commonhold folder add plans --org acme --name Plans'],
  },
  {
    name: 'folder update',
    operation: updateFolders,
    summary: 'Change or move a folder',
    parameters: [
      { flags: '<folder>', at: 'folders[0].folderId' },
      ORG,
      ...optionsOf(FOLDER_FIELDS, 'folders[0]'),
      {
        flags: '--to <folder>',
        at: 'folders[0].parentFolderId',
        help: 'The new parent folder; root is the top level.',
      },
    ],
    existing: async (connection, data: DataOf<typeof updateFolders>) =>
      unchangedAmong(...(await compared(connection, data))),
    unchangedSays: AS_BEFORE,
    show: items,
    examples: ['commonhold folder update plans --org acme --to archive'],
  },
  {
    name: 'folder access',
    operation: setFolderAccess,
    parameters: [FOLDERS, ORG, ...access('folder')],
    existing: async (connection, data: DataOf<typeof setFolderAccess>) =>
      alreadyWith(data.folderIds, ownAccess(data), await named(connection, data)),
    unchangedSays: AS_BEFORE,
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
