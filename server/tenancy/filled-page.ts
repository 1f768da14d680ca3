/** Fills a page of records that must be examined to find out whether they belong on it: batch by batch, up to the bound of a call. */
import { LIMITS } from '#contract/core/limits.ts'

/** How many records are examined at a time. */
export const EXAMINED = 1_000

export interface Batch<Item> {
  items: Item[]
  /** All records up to this one were examined; null: there are no more. */
  examinedTo: string | null
}

/** Returns the items of the page, and after which record the list continues; null: it ends. A page may be short. */
export async function filledPage<Item>(
  { after, pageSize, idOf }: { after: string; pageSize: number; idOf: (item: Item) => string },
  next: (after: string) => Promise<Batch<Item>>,
): Promise<{ items: Item[]; next: string | null }> {
  const items: Item[] = []
  let examinedTo: string | null = after
  for (let examined = 0; examinedTo !== null && items.length <= pageSize; examined += EXAMINED) {
    if (examined >= LIMITS.recordsExaminedPerPageMax) break
    const batch = await next(examinedTo)
    items.push(...batch.items)
    examinedTo = batch.examinedTo
  }
  const last = items.length > pageSize ? items[pageSize - 1] : undefined
  return { items: items.slice(0, pageSize), next: last === undefined ? examinedTo : idOf(last) }
}
