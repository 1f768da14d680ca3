/** Lists of the API as portions, read one page ahead: while one is written the next one is on its way. */
import { CommonholdError } from '#sdk/errors.ts'
import type { Page } from '#sdk/options.ts'

export type Portions<Item> = AsyncGenerator<Item[], void, undefined>

/** The items of a list. One of an organization that was deleted meanwhile has ended. */
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

/** Starts at once, and always has one portion in hand. */
export function ahead<Item>(source: Portions<Item>): Portions<Item> {
  const read = () => {
    const next = source.next()
    next.catch(() => {}) // who asks for it is told
    return next
  }
  let next = read()
  async function* inHand(): Portions<Item> {
    for (let result = await next; result.done !== true; result = await next) {
      next = read()
      yield result.value
    }
  }
  return inHand()
}
