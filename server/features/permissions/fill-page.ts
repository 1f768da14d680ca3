/** Filling a page of a list in which each candidate is decided, and any number of them denied. */

export interface Part<Row, Place> {
  rows: Row[]
  /** Where the list goes on; null: nowhere. */
  next: Place | null
  /** How many candidates were decided, when there are more. */
  decided: number
}

/** A page that is not full after so many statements ends short. */
const STATEMENTS_MAX = 12
/** So does one that has taken so long: what comes first. */
const PAGE_MS_MAX = 5_000
const DECISIONS_PER_STATEMENT_MAX = 2_000

/**
 * What `find` answers, call after call, until a page is full or nothing is left, and where the next page begins. `find` is
 * told how many candidates to decide at most: one more than the page has, and more and more when those were denied.
 */
export async function fillPage<Row, Place>(
  pageSize: number,
  find: (decisions: number) => Promise<Part<Row, Place>>,
  placeOf: (row: Row) => Place,
): Promise<{ rows: Row[]; next: Place | null }> {
  const rows: Row[] = []
  let decisions = pageSize + 1
  let next: Place | null = null
  const end = performance.now() + PAGE_MS_MAX
  for (let statements = 0; statements < STATEMENTS_MAX; statements++) {
    const part = await find(decisions)
    rows.push(...part.rows)
    const last = rows[pageSize - 1]
    if (rows.length > pageSize && last !== undefined) return { rows: rows.slice(0, pageSize), next: placeOf(last) }
    next = part.next
    if (next === null) break
    if (part.decided === 0) continue // the next page would begin where this one did
    if (performance.now() > end) break
    decisions = Math.min(Math.max(decisions, 50) * 2, DECISIONS_PER_STATEMENT_MAX)
  }
  return { rows, next }
}
