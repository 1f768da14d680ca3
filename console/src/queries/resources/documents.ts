/** Queries of the documents of an organization. */
import { queryOptions } from '@tanstack/react-query'
import type { CountDocumentsData, DocumentRecord, GetDocumentsData } from '#sdk/generated/operations.ts'
import { isFound } from '#sdk/items.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { pagesQuery } from '../pages/pages.ts'

export const documentsQuery = (key: Key, data: Omit<GetDocumentsData, 'pageToken' | 'documentIds'>) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'documents', data.organizationId, 'list', data),
    method: key.client.documents.get,
    data,
    firstPageSize: 100,
    // A call without ids returns only documents.
    rowsOf: (found) => found as DocumentRecord[],
  })

/** Null when no document has this id. */
export const documentQuery = (key: Key, organizationId: string, documentId: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'documents', organizationId, 'one', documentId),
    queryFn: async ({ signal }): Promise<DocumentRecord | null> => {
      const [found] = await key.client.documents.get({ organizationId, documentIds: [documentId] }, { signal })
      return found !== undefined && isFound(found) ? found : null
    },
  })

export const documentCountQuery = (key: Key, data: CountDocumentsData) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'documents', data.organizationId, 'count', data),
    queryFn: async ({ signal }) => (await key.client.documents.count(data, { signal })).count,
  })
