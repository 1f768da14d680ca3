/** Queries of the folders of an organization: a tree whose branches are loaded when they are opened. */
import { queryOptions } from '@tanstack/react-query'
import { CommonholdError } from '#sdk/errors.ts'
import type { FolderRecord, OrderBy } from '#sdk/generated/operations.ts'
import type { CallOptions } from '#sdk/options.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { pagesQuery } from '../pages/pages.ts'

/** The folder id that names the top level of an organization. */
export const ROOT = 'root'

/** The folders directly in `folderId`, or at the top level of the organization. */
export const foldersQuery = (key: Key, organizationId: string, folderId = ROOT, orderBy: OrderBy = 'name') =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'folders', organizationId, 'in', folderId, orderBy),
    method: key.client.folders.get,
    data: { organizationId, parentFolderId: folderId, orderBy },
    rowsOf: (found) => found,
  })

/** Null when no folder has this id. */
export const folderQuery = (key: Key, organizationId: string, folderId: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'folders', organizationId, 'one', folderId),
    queryFn: ({ signal }) => folderOrNull(key, organizationId, folderId, { signal }),
  })

async function folderOrNull(
  key: Key,
  organizationId: string,
  folderId: string,
  options: CallOptions,
): Promise<FolderRecord | null> {
  try {
    const [found] = await key.client.folders.get({ organizationId, folderId, maxDepth: 0 }, options)
    return found ?? null
  } catch (error) {
    if (error instanceof CommonholdError && error.reason === 'folder_does_not_exist') return null
    throw error
  }
}

/** Limits of the count: the API returns one tree, and counts the documents of one folder, per call. */
const TREES_MAX = 100
const COUNTED_FOLDERS_MAX = 300
const AT_ONCE = 6
/** The maximum depth of folders. */
const DEPTH_MAX = 100

interface FolderContents {
  /** Includes the given folders themselves. */
  folders: number
  documents: number
  /** The counts hit a limit: there may be more. */
  atLeast: boolean
}

/** Counts everything that is deleted with the given folders. */
export const folderContentsQuery = (key: Key, organizationId: string, folderIds: readonly string[]) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'folders', organizationId, 'inside', folderIds),
    staleTime: 0,
    queryFn: async ({ signal }): Promise<FolderContents> => {
      const included = folderIds.slice(0, TREES_MAX)
      const trees = await mapInBatches(included, (folderId) => folderTree(key, organizationId, folderId, { signal }))
      const ids = trees.flat()
      const counted = ids.slice(0, COUNTED_FOLDERS_MAX)
      const counts = await mapInBatches(counted, (folderId) =>
        key.client.documents.count({ organizationId, folderId }, { signal }),
      )
      return {
        folders: ids.length + folderIds.length - included.length,
        documents: counts.reduce((sum, { count }) => sum + count, 0),
        atLeast: included.length < folderIds.length || counted.length < ids.length,
      }
    },
  })

async function mapInBatches<Item, Found>(
  items: readonly Item[],
  call: (item: Item) => Promise<Found>,
): Promise<Found[]> {
  const found: Found[] = []
  for (let start = 0; start < items.length; start += AT_ONCE)
    found.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(call))))
  return found
}

/** Returns the ids of a folder and of all folders below it, which the API returns up to ten thousand of. */
export async function folderTree(
  key: Key,
  organizationId: string,
  folderId: string,
  options?: CallOptions,
): Promise<string[]> {
  const tree = await key.client.folders.get({ organizationId, folderId, maxDepth: DEPTH_MAX }, options)
  return tree.flatMap(idsOf)
}

function idsOf({ folderId, subFolders = [] }: FolderRecord): string[] {
  return [folderId, ...subFolders.flatMap(idsOf)]
}
