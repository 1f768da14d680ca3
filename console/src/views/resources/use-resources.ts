/** The direct contents of a folder as one list: first the folders, then the documents. */
import type { OrderBy } from '#sdk/generated/operations.ts'
import { concatRows, mapRows, type Rows } from '../../queries/pages/rows.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { documentsQuery } from '../../queries/resources/documents.ts'
import { foldersQuery, ROOT } from '../../queries/resources/folders.ts'
import { useKey } from '../../session/use-session.ts'
import { documentResource, folderResource, memoized, type Resource } from './resource.ts'

export function useResources(organizationId: string, folderId: string | undefined, orderBy: OrderBy): Rows<Resource> {
  const key = useKey()
  const folders = useRows(foldersQuery(key, organizationId, folderId, orderBy))
  const documents = useRows(documentsQuery(key, { organizationId, folderId: folderId ?? ROOT, orderBy }))
  return concatRows(mapRows(folders, toFolder), mapRows(documents, toDocument))
}

const toFolder = memoized(folderResource)
const toDocument = memoized(documentResource)
