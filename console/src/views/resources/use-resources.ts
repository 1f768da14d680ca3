/** The direct contents of a folder as one list: first the folders, then the documents. */

import type { OrderBy } from '#sdk/generated/operations.ts'
import { useSearchText } from '../../components/tables/use-search-text.ts'
import { concatRows, mapRows, type Rows } from '../../queries/pages/rows.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { documentsQuery } from '../../queries/resources/documents.ts'
import { foldersQuery, ROOT } from '../../queries/resources/folders.ts'
import { type FoundResource, foundResourcesQuery } from '../../queries/search.ts'
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

/** The contents of the open folder, or the results of a search in the whole organization. */
interface Search {
  rows: Rows<Resource>
  typed: string
  /** The text of the search; empty while the open folder is shown. */
  searched: string
  type: (text: string) => void
}

export function useSearch(organizationId: string, rows: Rows<Resource>): Search {
  const { typed, type, sought: searched } = useSearchText()
  const found = useRows({ ...foundResourcesQuery(useKey(), organizationId, searched), enabled: searched !== '' })
  return { rows: searched === '' ? rows : mapRows(found, resourceOf), typed, searched, type }
}

const resourceOf = memoized((found: FoundResource) =>
  'folder' in found ? folderResource(found.folder) : documentResource(found.document),
)
