/** Reads a list page by page. */
import { call } from './call.ts'
import type { Caller } from './caller.ts'
import type { Method } from './generated/methods.ts'
import type { CallOptions, Page } from './options.ts'

/** The fields in which some operations report whether there is another page. */
interface Position {
  /** Of events: false on the last page for now, which has a token too, for following what happens later. */
  hasMore?: boolean
  /** The page token in lists of webhook endpoints, where it is part of the data. */
  iterator?: string | null
}

/** Returns the field of `data` that takes the position of the next page; undefined if there are no pages. */
export const pageFieldOf = (method: Method): string | undefined => / (pageToken|iterator)/.exec(method)?.[1]

/** Yields pages until the last one. */
export async function* pagesOf(
  caller: Caller,
  name: string,
  method: Method,
  data: object,
  options?: CallOptions,
): AsyncGenerator<Page<unknown>, void, undefined> {
  const field = pageFieldOf(method) ?? ''
  let next: object = data
  for (;;) {
    const page = await call(caller, name, method, next, options)
    const { hasMore, iterator } = page.data as Position
    const token = field === 'iterator' ? (iterator ?? undefined) : page.nextPageToken
    yield { ...page, ...(token === undefined ? {} : { nextPageToken: token }) }
    if (token === undefined || hasMore === false) return
    next = { ...data, [field]: token }
  }
}
