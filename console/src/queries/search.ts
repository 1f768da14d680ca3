/** Queries of the search. A page can be short: the next ones are read until there are enough results. */
import { queryOptions, skipToken } from '@tanstack/react-query'
import type {
  DocumentRecord,
  FolderRecord,
  OrganizationRecord,
  RunSearchData,
  SearchResult,
  UserRecord,
} from '#sdk/generated/operations.ts'
import { isFound } from '#sdk/items.ts'
import type { Key } from '../session/session.ts'
import { workspace } from '../session/session.ts'
import { folderOrNull } from './folders.ts'
import { queryKeyOf } from './keys.ts'
import { pagesQuery } from './pages.ts'

export type Found = SearchResult
export type FoundKind = Found['kind']

export type SearchFor = Pick<RunSearchData, 'query' | 'kinds' | 'organizationId'>

const FOUND_MAX = 20

/** Each page examines thousands: so many are short only where nearly nothing matches. */
const PAGES_MAX = 5

/** Without a key, the query is not sent. */
export const searchQuery = (key: Key | undefined, wanted: SearchFor) =>
  queryOptions({
    queryKey: key === undefined ? ['no key'] : queryKeyOf(key, 'search', wanted),
    queryFn: key === undefined ? skipToken : ({ signal }) => firstFound(key, wanted, signal),
  })

async function firstFound(key: Key, wanted: SearchFor, signal: AbortSignal): Promise<Found[]> {
  const found: Found[] = []
  let pages = 0
  for await (const { data } of key.client.search.find.pages({ ...wanted, pageSize: FOUND_MAX }, { signal })) {
    found.push(...data)
    if (found.length >= FOUND_MAX || ++pages === PAGES_MAX) break
  }
  return found
}

/** All results of one kind, page by page, as rows of the list of that kind. */
const foundPages = <Row>(key: Key, kind: FoundKind, query: string, rowOf: (found: Found) => Row) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'search', 'pages', kind, query),
    method: key.client.search.find,
    data: { query, kinds: [kind], pageSize: 100 },
    rowsOf: (found) => found.map(rowOf),
  })

export const foundOrganizationsQuery = (key: Key, query: string) =>
  foundPages(
    key,
    'organization',
    query,
    ({ id, name, disabled = false }): OrganizationRecord => ({
      id,
      ...(name !== undefined && { organizationName: name }),
      disabled,
    }),
  )

/** Users with their name and address; the rest of their profiles is not searched. */
export const foundUsersQuery = (key: Key, query: string) =>
  foundPages(
    key,
    'user',
    query,
    ({ id, name, email, disabled }): UserRecord => ({
      userId: id,
      ...(name !== undefined && { name }),
      ...(email !== undefined && { email }),
      ...(disabled && { disabled }),
    }),
  )

/** The first folders and documents of an organization that a text finds. */
export const foundResourcesQuery = (key: Key, organizationId: string, query: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'search', 'resources', organizationId, query),
    queryFn: async ({ signal }): Promise<{ folders: FolderRecord[]; documents: DocumentRecord[] }> => {
      const wanted = { query, organizationId, kinds: ['folder', 'document'] satisfies FoundKind[] }
      const found = await firstFound(key, wanted, signal)
      const idsOf = (kind: FoundKind) => found.flatMap((one) => (one.kind === kind ? [one.id] : []))
      const documentIds = idsOf('document')
      const folders = await Promise.all(idsOf('folder').map((id) => folderOrNull(key, organizationId, id, { signal })))
      const documents =
        documentIds.length === 0 ? [] : await key.client.documents.get({ organizationId, documentIds }, { signal })
      return { folders: folders.filter((folder) => folder !== null), documents: documents.filter(isFound) }
    },
  })

/** The API keys of the workspace that a text finds. */
export const keySearchQuery = (query: string) =>
  queryOptions({
    queryKey: ['workspace', 'keys', 'search', query],
    queryFn: ({ signal }) => workspace.apiKeys.get({ query, pageSize: FOUND_MAX }, { signal }),
  })
