/** Batch calls return a result for each item. Refused items become an error, so that they are shown like other errors. */
import type { BatchResult } from '#sdk/generated/operations.ts'

/** Some items were refused; the others were changed. */
export class ItemsRefused extends Error {
  override readonly name = 'ItemsRefused'
  /** The reasons by id. */
  readonly refused: ReadonlyMap<string, string>

  constructor(refused: ReadonlyMap<string, string>, done: number) {
    const [first] = refused.values()
    const count = refused.size + done
    super(count === 1 ? first : `${refused.size} of ${count} were refused. ${first}`)
    this.refused = refused
  }
}

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

export function refusals(result: BatchResult): BatchResult {
  const entries = Object.entries(result)
  const refused = entries.filter(([, { success }]) => !success)
  if (refused.length === 0) return result
  throw new ItemsRefused(new Map(refused.map(([id, { message }]) => [id, message])), entries.length - refused.length)
}
