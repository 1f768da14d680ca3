/** Loads the folders from the top level of the organization to one folder. */
import { useQueries, useQuery } from '@tanstack/react-query'
import type { FolderRecord } from '#sdk/generated/operations.ts'
import { folderQuery, ROOT } from '../../../queries/resources/folders.ts'
import { useKey } from '../../../session/use-session.ts'
import { shownName } from '../resource.ts'

export interface FolderPath {
  /** Undefined while loading; null when it does not exist. */
  folder: FolderRecord | null | undefined
  /** The folders loaded so far, from the top; the folder itself is last. */
  folders: readonly FolderRecord[]
  error: Error | null
}

/** `root` and `''` are the top level, which has no ancestors. */
export function useFolderPath(organizationId: string, folderId: string): FolderPath {
  const key = useKey()
  const isTop = folderId === '' || folderId === ROOT
  const { data: folder, error } = useQuery({ ...folderQuery(key, organizationId, folderId), enabled: !isTop })
  const above = useQueries({
    queries: (folder?.ancestors ?? []).slice(1).map((id) => folderQuery(key, organizationId, id)),
  })
  if (isTop) return { folder: undefined, folders: [], error: null }
  const folders = above.flatMap(({ data }) => data ?? [])
  return { folder, folders: folder ? [...folders, folder] : folders, error }
}

/** Returns the folder whose access type the last folder's contents inherit; undefined for the default of the API key. */
const originOf = ({ folders }: FolderPath): FolderRecord | undefined =>
  folders.findLast(({ inheritAccessFromParent }) => !inheritAccessFromParent)

/** Returns the name of the resource from which the contents of the last folder inherit their access type. */
export function originName(path: FolderPath): string {
  const folder = originOf(path)
  return folder === undefined ? 'the API key' : shownName({ id: folder.folderId, name: folder.folderName })
}
