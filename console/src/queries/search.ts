/** Queries of the search. A page can be short: the next ones are read until there are enough results. */
import { queryOptions, skipToken } from '@tanstack/react-query'
import type { RunSearchData, SearchResult } from '#sdk/generated/operations.ts'
import type { Key } from '../session/session.ts'
import { workspace } from '../session/session.ts'
import { queryKeyOf } from './keys.ts'

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
    queryFn:
      key === undefined
        ? skipToken
        : async ({ signal }): Promise<Found[]> => {
            const found: Found[] = []
            let pages = 0
            const data = { ...wanted, pageSize: FOUND_MAX }
            for await (const page of key.client.search.find.pages(data, { signal })) {
              found.push(...page.data)
              if (found.length >= FOUND_MAX || ++pages === PAGES_MAX) break
            }
            return found
          },
  })

/** The API keys of the workspace that a text finds. */
export const keySearchQuery = (query: string) =>
  queryOptions({
    queryKey: ['workspace', 'keys', 'search', query],
    queryFn: ({ signal }) => workspace.apiKeys.get({ query, pageSize: FOUND_MAX }, { signal }),
  })
