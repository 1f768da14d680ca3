/** Batch calls return a result for each item. Refused items become an error, so that they are shown like other errors. */
import type { BatchResult, ItemResult } from '#sdk/generated/operations.ts'
import { chunks } from '#sdk/shared/chunks.ts'

/** A change that was refused in words for people, which name no call. */
export class Refused extends Error {
  override readonly name = 'Refused'
  /** Why; undefined if the items of a batch were refused for different reasons. */
  readonly code: ItemResult['code']

  constructor(message: string, code: ItemResult['code']) {
    super(message)
    this.code = code
  }
}

/** Splits the items into calls of at most 1,000. Refused items of one call do not stop the next. */
export async function inBatches<Item>(
  items: readonly Item[],
  call: (some: Item[]) => Promise<BatchResult>,
): Promise<BatchResult> {
  const results: BatchResult = {}
  for (const some of chunks(items)) Object.assign(results, await call(some))
  return results
}

/** Returns the result when no item was refused. Otherwise throws the first reason; the other items are changed. */
export function throwIfRefused(result: BatchResult): BatchResult {
  const items = Object.values(result)
  const refused = items.filter(({ success }) => !success)
  const [first] = refused
  if (first === undefined) return result
  throw new Refused(
    items.length === 1 ? first.message : `${refused.length} of ${items.length} were refused. ${first.message}`,
    refused.every(({ code }) => code === first.code) ? first.code : undefined,
  )
}
