/** Batch calls return a result for each item. Refused items become an error, so that they are shown like other errors. */
import type { BatchResult } from '#sdk/generated/operations.ts'

/** The limit of the API for one call. */
export const ITEMS_MAX = 1_000

/** Splits the items into calls of at most 1,000. Refused items of one call do not stop the next. */
export async function inBatches<Item>(
  items: readonly Item[],
  call: (some: Item[]) => Promise<BatchResult>,
): Promise<BatchResult> {
  const results: BatchResult = {}
  for (let start = 0; start < items.length; start += ITEMS_MAX)
    Object.assign(results, await call(items.slice(start, start + ITEMS_MAX)))
  return results
}

/** Returns the result when no item was refused. Otherwise throws the first reason; the other items are changed. */
export function throwIfRefused(result: BatchResult): BatchResult {
  const items = Object.values(result)
  const refused = items.filter(({ success }) => !success)
  const [first] = refused
  if (first === undefined) return result
  throw new Error(
    items.length === 1 ? first.message : `${refused.length} of ${items.length} were refused. ${first.message}`,
  )
}
