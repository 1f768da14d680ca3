/** Reads lists of the API, one page ahead: the next page is fetched while the previous one is written. */
import { CommonholdError } from '#sdk/errors.ts'
import type { Page } from '#sdk/options.ts'

export type Portions<Item> = AsyncGenerator<Item[], void, undefined>

/** Yields the items of a list. The list ends early if its organization or user group is deleted meanwhile. */
export async function* portions<Result, Item>(
  pages: AsyncIterable<Page<Result>>,
  itemsOf: (result: Result) => readonly Item[],
): Portions<Item> {
  try {
    for await (const { data } of pages) yield [...itemsOf(data)]
  } catch (error) {
    if (!(error instanceof CommonholdError && GONE.includes(error.reason))) throw error
  }
}

const GONE: readonly string[] = ['organization_does_not_exist', 'user_group_does_not_exist']

/** Starts reading at once and stays one portion ahead of the consumer. */
export function prefetch<Item>(source: Portions<Item>): Portions<Item> {
  const read = () => {
    const next = source.next()
    next.catch(() => {}) // rethrown when the consumer asks for this portion
    return next
  }
  let next = read()
  async function* prefetched(): Portions<Item> {
    for (let result = await next; result.done !== true; result = await next) {
      next = read()
      yield result.value
    }
  }
  return prefetched()
}
