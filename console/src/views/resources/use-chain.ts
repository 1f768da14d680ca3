/** The folders from the top of the organization down to one. */
import { useQueries, useQuery } from '@tanstack/react-query'
import type { FolderRecord } from '#sdk/generated/operations.ts'
import { folderQuery, ROOT } from '../../queries/folders.ts'
import { useKey } from '../../session/use-session.ts'

export interface Chain {
  /** Undefined: not known yet; null: there is no such folder. */
  folder: FolderRecord | null | undefined
  /** The folder itself last; those that are read already. */
  folders: readonly FolderRecord[]
  error: Error | null
}

/** `root` and `''` are the top, which has no folders above it. */
export function useChain(organizationId: string, folderId: string): Chain {
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

/** Whose access type everything in the last folder follows that has none of its own; undefined: the default of the API key. */
export const originOf = ({ folders }: Chain): FolderRecord | undefined =>
  folders.findLast(({ inheritAccessFromParent }) => !inheritAccessFromParent)
