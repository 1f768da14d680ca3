/** Lists, page after page. */
import { type Caller, call } from './call.ts'
import type { Method } from './generated/methods.ts'
import type { CallOptions, Page } from './options.ts'

/** What of an answer says that there is no more, besides an absent token. */
interface Ending {
  /** Of events: a reader may keep the token and come back, but for now this is all. */
  hasMore?: boolean
  /** Of webhook endpoints, whose answers have their token among the data. */
  iterator?: string | null
}

export async function* pagesOf(
  caller: Caller,
  name: string,
  method: Method,
  data: object,
  options?: CallOptions,
): AsyncGenerator<Page<unknown>, void, undefined> {
  const [, , field = 'pageToken'] = method
  let next: object = data
  for (;;) {
    const page = await call(caller, name, method, next, options)
    const { hasMore, iterator } = page.data as Ending
    const token = field === 'iterator' ? (iterator ?? undefined) : page.nextPageToken
    yield { ...page, ...(token === undefined ? {} : { nextPageToken: token }) }
    if (token === undefined || hasMore === false) return
    next = { ...data, [field]: token }
  }
}
