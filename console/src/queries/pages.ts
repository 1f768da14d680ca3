/** Reading lists as the API gives them: page after page, each with the token of the one before, each kept for itself. */
import { hashKey, type Query, type QueryKey, type QueryObserverOptions, queryOptions } from '@tanstack/react-query'
import type { CallOptions, Page } from '#sdk/options.ts'

interface Pages<Data, Result> {
  pages(data?: Data, options?: CallOptions): AsyncGenerator<Page<Result>, void, undefined>
}

interface List<Data extends object, Result, Row> {
  queryKey: QueryKey
  /** The method of the client: `key.client.organizations.get`. */
  method: Pages<Data, Result>
  data: Data
  rowsOf: (result: Result) => readonly Row[]
  /** Of lists that may be long: the first rows are seen sooner. */
  firstPageSize?: number
  /** Of methods whose pages are not asked for with a `pageToken`. */
  tokenField?: string
}

export interface RowsOfPage<Row> {
  rows: readonly Row[]
  /** Leads to the next page; undefined: this is the last one. */
  next: string | undefined
}

/** What a view may say of how the pages are kept. */
type PageOptions<Row> = Pick<
  QueryObserverOptions<RowsOfPage<Row>>,
  'enabled' | 'staleTime' | 'gcTime' | 'refetchInterval'
>

/** A list: for `useRows`, or its first page alone for `useQuery(pageQuery(…))`. */
export interface PagesQuery<Row> extends PageOptions<Row> {
  queryKey: QueryKey
  read: (token: string | undefined, signal: AbortSignal) => Promise<RowsOfPage<Row>>
}

export function pagesQuery<Data extends object, Result, Row>(list: List<Data, Result, Row>): PagesQuery<Row> {
  const { queryKey, method, data, rowsOf, firstPageSize, tokenField = 'pageToken' } = list
  return {
    queryKey,
    async read(token, signal) {
      const size = token === undefined && firstPageSize !== undefined ? { pageSize: firstPageSize } : {}
      const page = await firstOf(method.pages({ ...size, ...data, [tokenField]: token } as Data, { signal }))
      const isLast = (page.data as { hasMore?: boolean }).hasMore === false
      return { rows: rowsOf(page.data), next: isLast ? undefined : page.nextPageToken }
    },
  }
}

const PAGE = 'page'

/** One page of a list; without a token the first one. */
export const pageQuery = <Row>({ queryKey, read, ...options }: PagesQuery<Row>, token?: string) =>
  queryOptions({
    ...options,
    queryKey: [...queryKey, PAGE, token],
    queryFn: ({ signal }) => read(token, signal),
  })

/**
 * A page that nobody sees, of a list that somebody sees: after a change it is forgotten, and read again when it is seen
 * again, so that it never shows what is gone.
 */
export const isUnseenPage = (query: Query, all: readonly Query[]): boolean =>
  query.queryKey.at(-2) === PAGE &&
  !query.isActive() &&
  all.some((other) => other.isActive() && isSameList(other, query))

const isSameList = (one: Query, other: Query): boolean =>
  one.queryKey.length === other.queryKey.length && listOf(one) === listOf(other)

const listOf = ({ queryKey }: Query): string => hashKey(queryKey.slice(0, -1))

/** One page. */
export async function firstOf<Result>(pages: AsyncGenerator<Page<Result>, void, undefined>): Promise<Page<Result>> {
  const { value } = await pages.next()
  if (value === undefined) throw new Error('a list without a first page')
  return value
}

/** Every page; for lists that are never long. */
export async function all<Result>(pages: AsyncGenerator<Page<Result>, void, undefined>): Promise<Result[]> {
  const found: Result[] = []
  for await (const { data } of pages) found.push(data)
  return found
}
