/** Adds folders, and updates existing ones to match the file. */
import { FOLDER_FIELDS } from '#contract/resources/folders.ts'
import type { Client } from '#sdk/client.ts'
import {
  accessOf,
  alreadyExists,
  batchesOf,
  type Failed,
  failedOf,
  type ItemOf,
  moveWithAccess,
  type Options,
} from './batches.ts'

/**
 * The items must be of one organization, parents before children. `closeInside` closes what existing folders contain,
 * before any of them is changed.
 */
export function folderBatches(
  client: Client,
  items: readonly ItemOf<'folder'>[],
  options: Options,
  closeInside: () => Promise<void>,
) {
  const idOf = ({ record }: ItemOf<'folder'>) => record.folderId
  return batchesOf(items, async (portion) => {
    const organizationId = portion[0]?.record.organizationId ?? ''
    const folders = portion.map(({ record: { record: _, organizationId: __, ...folder } }) => folder)
    const failed = failedOf(portion, await client.folders.add({ organizationId, folders }, options), idOf)
    const existing = failed.filter(alreadyExists).map(({ item }) => item)
    const others = failed.filter((one) => !alreadyExists(one))
    if (existing.length > 0) await closeInside()
    return [...others, ...(await updateFolders(client, organizationId, existing, options))]
  })
}

/** The values that clear the fields that the file does not have. */
const CLEARED = {
  ...Object.fromEntries(Object.keys(FOLDER_FIELDS).map((name) => [name, null])),
  parentFolderId: 'root',
}

/** Updates existing folders to match the file. */
async function updateFolders(
  client: Client,
  organizationId: string,
  items: readonly ItemOf<'folder'>[],
  options: Options,
): Promise<Failed[]> {
  if (items.length === 0) return []
  const idOf = ({ record }: ItemOf<'folder'>) => record.folderId
  return moveWithAccess(items, update, setAccess)

  async function update(changed: readonly ItemOf<'folder'>[]) {
    if (changed.length === 0) return []
    const folders = changed.map(({ record: { record: _, organizationId: __, accessType: ___, ...folder } }) => ({
      ...CLEARED,
      ...folder,
    }))
    return failedOf(changed, await client.folders.update({ organizationId, folders }, options), idOf)
  }

  async function setAccess(changed: readonly ItemOf<'folder'>[]) {
    const access = accessOf(changed[0]?.record.accessType)
    const call = { organizationId, folderIds: changed.map(idOf), ...access }
    return failedOf(changed, await client.folderAccess.set(call, options), idOf)
  }
}
