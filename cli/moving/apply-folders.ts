/** Folders: added, and those that are there made as the file has them. */
import type { Client } from '#sdk/client.ts'
import { callsOf, type Failed, failedOf, without } from './calls.ts'
import { accessOf, type ItemOf, isThere, type Options } from './sending.ts'

/** Of one organization, in the order of the file: parents before children. */
export function folderCalls(client: Client, items: readonly ItemOf<'folder'>[], options: Options) {
  const idOf = ({ record }: ItemOf<'folder'>) => record.folderId
  return callsOf(items, async (portion) => {
    const organizationId = portion[0]?.record.organizationId ?? ''
    const folders = portion.map(({ record: { record: _, organizationId: __, ...folder } }) => folder)
    const failed = failedOf(portion, await client.folders.add({ organizationId, folders }, options), idOf)
    const there = failed.filter(isThere).map(({ item }) => item)
    return [...failed.filter((one) => !isThere(one)), ...(await changeFolders(client, organizationId, there, options))]
  })
}

/** Makes folders that are there as the file has them. */
async function changeFolders(
  client: Client,
  organizationId: string,
  items: readonly ItemOf<'folder'>[],
  options: Options,
): Promise<Failed[]> {
  if (items.length === 0) return []
  const idOf = ({ record }: ItemOf<'folder'>) => record.folderId
  const folders = items.map(({ record: { folderId, folderName = null, parentFolderId = 'root' } }) => ({
    folderId,
    folderName,
    parentFolderId,
  }))
  const failed = failedOf(items, await client.folders.update({ organizationId, folders }, options), idOf)
  for (const [, group] of Map.groupBy(without(items, failed), ({ record }) => record.accessType)) {
    const access = accessOf(group[0]?.record.accessType)
    const outcomes = await client.folderAccess.set({ organizationId, folderIds: group.map(idOf), ...access }, options)
    failed.push(...failedOf(group, outcomes, idOf))
  }
  return failed
}
