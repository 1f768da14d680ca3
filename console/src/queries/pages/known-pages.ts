/**
 * The known pages of a list: their tokens, and how many rows each had when it was loaded. They are kept when the rows
 * are dropped, so that every position reached before can be loaded again directly.
 */
interface KnownPage {
  /** Undefined for the first page. */
  token: string | undefined
  /** The index of its first row in the list. */
  first: number
  /** Undefined until the page is loaded; only the last page can be unloaded. */
  length: number | undefined
}

export type KnownPages = readonly KnownPage[]

export const NO_PAGES: KnownPages = [{ token: undefined, first: 0, length: undefined }]

const endOf = ({ first, length = 0 }: KnownPage): number => first + length

export function rowCount(pages: KnownPages): number {
  const last = pages.at(-1)
  return last === undefined ? 0 : endOf(last)
}

export const isComplete = (pages: KnownPages): boolean => pages.at(-1)?.length !== undefined

/** Returns the pages that contain the rows, including empty pages at either end, which are refetched as well. */
export function pagesOfRows(pages: KnownPages, firstRow: number, lastRow: number): { from: number; to: number } {
  const from = lowerBound(pages, (page) => endOf(page) >= firstRow)
  const after = lowerBound(pages, ({ first }) => first > lastRow)
  return { from: Math.min(from, pages.length - 1), to: Math.max(after - 1, 0) }
}

/** Returns the page that contains a row. */
export const pageOfRow = (pages: KnownPages, row: number): number => lowerBound(pages, (page) => endOf(page) > row)

/** Binary search for the first page for which `holds` is true; it must be true for all pages after that. */
function lowerBound(pages: KnownPages, holds: (page: KnownPage) => boolean): number {
  let low = 0
  let high = pages.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(pages[middle] as KnownPage)) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Updates the pages after page `nth` was loaded or refetched. When rows were added or removed, the next page starts
 * elsewhere and gets a new token; it is refetched when it becomes visible, and keeps its length until then.
 */
export function recordPage(pages: KnownPages, nth: number, length: number, next: string | undefined): KnownPages {
  const page = pages[nth]
  if (page === undefined) return pages
  const following = pages[nth + 1]
  if (page.length === length && following?.token === next) return pages
  const updated = [...pages.slice(0, nth), { ...page, length }]
  if (next === undefined) return updated
  let first = page.first + length
  for (const { token, length } of [{ token: next, length: following?.length }, ...pages.slice(nth + 2)]) {
    updated.push({ token, first, length })
    first += length ?? 0
  }
  return updated
}
