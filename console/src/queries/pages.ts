/** Reading lists as the API gives them: page after page, each with the token of the one before. */
import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query'
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
  /** Of methods whose pages are not asked for with a `pageToken`. */
  tokenField?: string
}

const LONG_PAGES = 5

/** Whether so much of a list has been read that nobody would want to wait for all of it again. */
export const isLong = ({ state }: { state: { data: unknown } }): boolean =>
  ((state.data as { pages?: readonly unknown[] } | undefined)?.pages?.length ?? 0) > LONG_PAGES

const unlessLong = (query: { state: { data: unknown } }): boolean => !isLong(query)
const READ_AGAIN = { refetchOnMount: unlessLong, refetchOnWindowFocus: unlessLong, refetchOnReconnect: unlessLong }

/** For `useInfiniteQuery`: `data` is all rows read so far. */
export function pagesQuery<Data extends object, Result, Row>(list: List<Data, Result, Row>) {
  const { queryKey, method, data, rowsOf, tokenField = 'pageToken' } = list
  return infiniteQueryOptions({
    queryKey,
    queryFn: async ({ pageParam, signal }): Promise<Page<Result>> =>
      firstOf(method.pages({ ...data, [tokenField]: pageParam } as Data, { signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ data, nextPageToken }) =>
      (data as { hasMore?: boolean }).hasMore === false ? undefined : nextPageToken,
    ...READ_AGAIN,
    select: ({ pages }): Row[] => pages.flatMap((page) => rowsOf(page.data)),
  })
}

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
