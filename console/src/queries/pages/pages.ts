/** Queries of paginated lists: each page is loaded with the token of the page before it, and cached separately. */
import { hashKey, type Query, type QueryKey, type QueryObserverOptions, queryOptions } from '@tanstack/react-query'
import type { CallOptions, Page } from '#sdk/options.ts'

interface Pages<Data, Result> {
  pages(data?: Data, options?: CallOptions): AsyncGenerator<Page<Result>, void, undefined>
}

interface List<Data extends object, Result, Row> {
  queryKey: QueryKey
  /** A method of the client, such as `key.client.organizations.get`. */
  method: Pages<Data, Result>
  data: Data
  rowsOf: (result: Result) => readonly Row[]
  /** The size of the first page, which appears sooner if it is small. */
  firstPageSize?: number
  /** The name of the page token in the call, if it is not `pageToken`. */
  tokenField?: string
}

export interface PageOfRows<Row> {
  rows: readonly Row[]
  /** The token of the next page; undefined on the last page. */
  next: string | undefined
}

/** Cache options that a view may set. */
type PageOptions<Row> = Pick<
  QueryObserverOptions<PageOfRows<Row>>,
  'enabled' | 'staleTime' | 'gcTime' | 'refetchInterval'
>

/** A list for `useRows`, or its first page for `useQuery(pageQuery(…))`. */
export interface PagesQuery<Row> extends PageOptions<Row> {
  queryKey: QueryKey
  read: (token: string | undefined, signal: AbortSignal) => Promise<PageOfRows<Row>>
}

export function pagesQuery<Data extends object, Result, Row>(list: List<Data, Result, Row>): PagesQuery<Row> {
  const { queryKey, method, data, rowsOf, firstPageSize, tokenField = 'pageToken' } = list
  return {
    queryKey,
    async read(token, signal) {
      const size = token === undefined && firstPageSize !== undefined ? { pageSize: firstPageSize } : {}
      const page = await firstPage(method.pages({ ...size, ...data, [tokenField]: token } as Data, { signal }))
      const isLast = (page.data as { hasMore?: boolean }).hasMore === false
      return { rows: rowsOf(page.data), next: isLast ? undefined : page.nextPageToken }
    },
  }
}

const PAGE = 'page'

/** One page of a list; the first one without a token. */
export const pageQuery = <Row>({ queryKey, read, ...options }: PagesQuery<Row>, token?: string) =>
  queryOptions({
    ...options,
    queryKey: [...queryKey, PAGE, token],
    queryFn: ({ signal }) => read(token, signal),
  })

/**
 * Returns whether a page is not visible while other pages of its list are. Such a page is dropped after a change and
 * loaded again when it becomes visible, so that it never shows stale rows.
 */
export const isHiddenPage = (query: Query, all: readonly Query[]): boolean =>
  query.queryKey.at(-2) === PAGE &&
  !query.isActive() &&
  all.some((other) => other.isActive() && isSameList(other, query))

const isSameList = (one: Query, other: Query): boolean =>
  one.queryKey.length === other.queryKey.length && listOf(one) === listOf(other)

const listOf = ({ queryKey }: Query): string => hashKey(queryKey.slice(0, -1))

/** Loads the first page. */
export async function firstPage<Result>(pages: AsyncGenerator<Page<Result>, void, undefined>): Promise<Page<Result>> {
  const { value } = await pages.next()
  if (value === undefined) throw new Error('a list without a first page')
  return value
}

/** Loads all pages; only for lists that are always short. */
export async function all<Result>(pages: AsyncGenerator<Page<Result>, void, undefined>): Promise<Result[]> {
  const found: Result[] = []
  for await (const { data } of pages) found.push(data)
  return found
}
