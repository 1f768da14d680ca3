/** The folders and then the documents that are directly in a folder, read page by page as one list. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { RowsQuery } from '../../components/data-table.tsx'
import { documentsQuery } from '../../queries/documents.ts'
import { foldersQuery, ROOT } from '../../queries/folders.ts'
import { useKey } from '../../session/use-session.ts'
import { documentResource, folderResource, type Resource } from './resource.ts'

export function useRows(organizationId: string, folderId: string | undefined): RowsQuery<Resource> {
  const key = useKey()
  const folders = useInfiniteQuery(foldersQuery(key, organizationId, folderId))
  const documents = useInfiniteQuery(documentsQuery(key, { organizationId, folderId: folderId ?? ROOT }))
  const allFolders = folders.data !== undefined && !folders.hasNextPage
  const data = useMemo(
    () => [
      ...(folders.data ?? []).map(folderResource),
      ...(allFolders ? (documents.data ?? []).map(documentResource) : []),
    ],
    [folders.data, allFolders, documents.data],
  )
  const reading = allFolders ? documents : folders
  return {
    data,
    error: folders.error ?? documents.error,
    hasNextPage: reading.hasNextPage,
    isFetching: folders.isFetching || documents.isFetching,
    isFetchNextPageError: reading.isFetchNextPageError,
    fetchNextPage: reading.fetchNextPage,
  }
}
