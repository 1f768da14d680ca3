/** Queries of the search. A page can be short: the next ones are read until there are enough results. */
import { queryOptions, skipToken } from '@tanstack/react-query'
import type {
  DocumentRecord,
  FolderRecord,
  OrganizationRecord,
  RunSearchData,
  SearchResult,
  UserGroupRecord,
  UserRecord,
} from '#sdk/generated/operations.ts'
import { isFound } from '#sdk/items.ts'
import type { CallOptions, Page } from '#sdk/options.ts'
import type { Key } from '../session/session.ts'
import { workspace } from '../session/session.ts'
import { queryKeyOf } from './keys/keys.ts'
import { pagesQuery } from './pages/pages.ts'

export type Found = SearchResult
export type FoundKind = Found['kind']

export type SearchFor = Pick<RunSearchData, 'query' | 'kinds' | 'organizationId'>

const FOUND_MAX = 20

/**
 * The maximum number of pages read for one search. Each page examines thousands of records, so only a search without matches
 * reaches the maximum.
 */
const PAGES_MAX = 5

/** Searches by words. Without a key, the query is not sent. */
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
  return [...found.filter((one) => !hasAddedTwin(one, found)), ...found.filter((one) => hasAddedTwin(one, found))]
}

/** Of two results with the same id, the one that was added is first: a grant with a misspelt organization declares the other. */
const hasAddedTwin = ({ kind, id, declared }: Found, found: readonly Found[]): boolean =>
  declared === true && found.some((other) => other.kind === kind && other.id === id && other.declared !== true)

/** All results of one kind, page by page, as rows of the list of that kind. */
const foundPages = <Row>(
  key: Key,
  kind: FoundKind,
  query: string,
  rowOf: (found: Found) => Row,
  organizationId?: string,
) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'search', 'pages', kind, organizationId, query),
    method: key.client.search.find,
    data: { query, kinds: [kind], pageSize: 100, ...(organizationId !== undefined && { organizationId }) },
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

export const foundGroupsQuery = (key: Key, organizationId: string, query: string) =>
  foundPages(
    key,
    'userGroup',
    query,
    ({ id, name }): UserGroupRecord => ({ groupId: id, ...(name !== undefined && { groupName: name }) }),
    organizationId,
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

export type FoundResource = { folder: FolderRecord } | { document: DocumentRecord }

/** All folders and documents of an organization that a text finds, page by page, best first. */
export const foundResourcesQuery = (key: Key, organizationId: string, query: string) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'search', 'resources', organizationId, query),
    method: { pages: (data: RunSearchData = { query }, options) => resourcePages(key, organizationId, data, options) },
    data: { query, organizationId, kinds: ['folder', 'document'] satisfies FoundKind[], pageSize: 100 },
    rowsOf: (found) => found,
  })

const documentsOf = async (key: Key, organizationId: string, documentIds: string[], options: CallOptions) =>
  (await key.client.documents.get({ organizationId, documentIds }, options)).filter(isFound)

/** The search returns names; the lists also show access types. Records that were deleted meanwhile are omitted. */
async function* resourcePages(
  key: Key,
  organizationId: string,
  data: RunSearchData,
  options: CallOptions = {},
): AsyncGenerator<Page<FoundResource[]>, void, undefined> {
  for await (const page of key.client.search.find.pages(data, options)) {
    const idsOf = (kind: FoundKind) => page.data.flatMap((one) => (one.kind === kind ? [one.id] : []))
    const folderIds = idsOf('folder')
    const documentIds = idsOf('document')
    const [folders, documents] = await Promise.all([
      folderIds.length === 0 ? [] : key.client.folders.get({ organizationId, folderIds }, options),
      documentIds.length === 0 ? [] : documentsOf(key, organizationId, documentIds, options),
    ])
    const folderOf = new Map(folders.map((folder) => [folder.folderId, folder]))
    const documentOf = new Map(documents.map((document) => [document.id, document]))
    const found = page.data.flatMap(({ kind, id }): FoundResource[] => {
      const folder = kind === 'folder' ? folderOf.get(id) : undefined
      const document = kind === 'document' ? documentOf.get(id) : undefined
      return folder !== undefined ? [{ folder }] : document !== undefined ? [{ document }] : []
    })
    yield { ...page, data: found }
  }
}

/** The API keys of the workspace that a text finds. */
export const keySearchQuery = (query: string) =>
  queryOptions({
    queryKey: ['workspace', 'keys', 'search', query],
    queryFn: ({ signal }) =>
      workspace.apiKeys.get({ query, pageSize: FOUND_MAX, leaveOutUnavailable: true }, { signal }),
  })
