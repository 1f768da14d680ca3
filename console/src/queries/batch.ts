/** Changes of many items answer for each of them. What was refused becomes an error, so that it is shown like others. */
import type { BatchResult } from '#sdk/generated/operations.ts'

/** Some items were refused; the others are changed. */
export class ItemsRefused extends Error {
  override readonly name = 'ItemsRefused'
  /** Why, by id. */
  readonly refused: ReadonlyMap<string, string>

  constructor(refused: ReadonlyMap<string, string>, done: number) {
    const [first] = refused.values()
    const count = refused.size + done
    super(count === 1 ? first : `${refused.size} of ${count} were refused. ${first}`)
    this.refused = refused
  }
}

/** Of one call. */
export const ITEMS_MAX = 1_000

/** Calls as often as it takes: one takes up to 1,000 items. What one of them refuses does not keep the others. */
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
