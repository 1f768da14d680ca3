/**
 * What is known of the pages of a list: their tokens, and how many rows each had when it was read. It stays when the rows
 * are forgotten, so that every place that was reached can be gone back to at once.
 */
export interface ChainPage {
  /** Undefined: of the first page. */
  token: string | undefined
  /** The index of its first row in the list. */
  first: number
  /** Undefined: it was not read yet; only the last one. */
  length: number | undefined
}

export type Chain = readonly ChainPage[]

export const START: Chain = [{ token: undefined, first: 0, length: undefined }]

const endOf = ({ first, length = 0 }: ChainPage): number => first + length

/** How many rows are known of. */
export function countOf(chain: Chain): number {
  const last = chain.at(-1)
  return last === undefined ? 0 : endOf(last)
}

export const isWhole = (chain: Chain): boolean => chain.at(-1)?.length !== undefined

/** The numbers of the pages that rows are on, with those that begin or end there: empty ones are read again as well. */
export function pagesAt(chain: Chain, firstRow: number, lastRow: number): { from: number; to: number } {
  const from = lowest(chain, (page) => endOf(page) >= firstRow)
  const after = lowest(chain, ({ first }) => first > lastRow)
  return { from: Math.min(from, chain.length - 1), to: Math.max(after - 1, 0) }
}

/** The number of the page that a row is on. */
export const pageWith = (chain: Chain, row: number): number => lowest(chain, (page) => endOf(page) > row)

/** The number of the first page for which it holds; it holds for all after that. */
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
 * The chain after page `nth` was read, again or for the first time. When rows came or went, the next page begins somewhere
 * else: it has another token then, and is read again when it is seen; until then it is taken to be as long as it was.
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
