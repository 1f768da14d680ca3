/** The direct contents of a folder as one list: first the folders, then the documents. */
import { documentsQuery } from '../../queries/documents.ts'
import { foldersQuery, ROOT } from '../../queries/folders.ts'
import { concatRows, mapRows, type Rows } from '../../queries/rows.ts'
import { useRows } from '../../queries/use-rows.ts'
import { useKey } from '../../session/use-session.ts'
import { documentResource, folderResource, type Resource } from './resource.ts'

export function useResources(organizationId: string, folderId: string | undefined): Rows<Resource> {
  const key = useKey()
  const folders = useRows(foldersQuery(key, organizationId, folderId))
  const documents = useRows(documentsQuery(key, { organizationId, folderId: folderId ?? ROOT }))
  return concatRows(mapRows(folders, toFolder), mapRows(documents, toDocument))
}

/** Returns the same resource for the same record, so that unchanged rows are not rendered again. */
function memoized<Record extends object>(resourceOf: (record: Record) => Resource): (record: Record) => Resource {
  const known = new WeakMap<Record, Resource>()
  return (record) => {
    const before = known.get(record)
    if (before !== undefined) return before
    const resource = resourceOf(record)
    known.set(record, resource)
    return resource
  }
}

const toFolder = memoized(folderResource)
const toDocument = memoized(documentResource)
