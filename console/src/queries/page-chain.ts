/**
 * The known pages of a list: their tokens, and how many rows each had when it was loaded. They are kept when the rows
 * are dropped, so that every position reached before can be loaded again directly.
 */
export interface ChainPage {
  /** Undefined for the first page. */
  token: string | undefined
  /** The index of its first row in the list. */
  first: number
  /** Undefined until the page is loaded; only the last page can be unloaded. */
  length: number | undefined
}

export type Chain = readonly ChainPage[]

export const START: Chain = [{ token: undefined, first: 0, length: undefined }]

const endOf = ({ first, length = 0 }: ChainPage): number => first + length

/** Returns the number of known rows. */
export function countOf(chain: Chain): number {
  const last = chain.at(-1)
  return last === undefined ? 0 : endOf(last)
}

export const isWhole = (chain: Chain): boolean => chain.at(-1)?.length !== undefined

/** Returns the pages that contain the rows, including empty pages at either end, which are refetched as well. */
export function pagesAt(chain: Chain, firstRow: number, lastRow: number): { from: number; to: number } {
  const from = lowest(chain, (page) => endOf(page) >= firstRow)
  const after = lowest(chain, ({ first }) => first > lastRow)
  return { from: Math.min(from, chain.length - 1), to: Math.max(after - 1, 0) }
}

/** Returns the page that contains a row. */
export const pageWith = (chain: Chain, row: number): number => lowest(chain, (page) => endOf(page) > row)

/** Binary search for the first page for which `holds` is true; it must be true for all pages after that. */
function lowest(chain: Chain, holds: (page: ChainPage) => boolean): number {
  let low = 0
  let high = chain.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(chain[middle] as ChainPage)) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Updates the pages after page `nth` was loaded or refetched. When rows were added or removed, the next page starts
 * elsewhere and gets a new token; it is refetched when it becomes visible, and keeps its length until then.
 */
export function settle(chain: Chain, nth: number, length: number, next: string | undefined): Chain {
  const page = chain[nth]
  if (page === undefined) return chain
  const following = chain[nth + 1]
  if (page.length === length && following?.token === next) return chain
  const settled = [...chain.slice(0, nth), { ...page, length }]
  if (next === undefined) return settled
  let first = page.first + length
  for (const { token, length } of [{ token: next, length: following?.length }, ...chain.slice(nth + 2)]) {
    settled.push({ token, first, length })
    first += length ?? 0
  }
  return settled
}
