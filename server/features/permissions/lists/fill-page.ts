/** Fills a page of a list whose candidates each need an access decision. Any number of them may be denied. */

export interface Batch<Row, Cursor> {
  rows: Row[]
  /** Where the list continues; null at the end. */
  next: Cursor | null
  /** The number of candidates decided, if there are more. */
  decided: number
}

/** After this many statements, a page is returned even if it is not full. */
const STATEMENTS_MAX = 12
/** After this time too. */
const PAGE_MS_MAX = 5_000
const DECISIONS_PER_STATEMENT_MAX = 2_000

/**
 * Calls `find` until the page is full or the list ends, and returns the rows and where the next page begins. The argument
 * of `find` is the maximum number of candidates to decide: first one more than the page size, then doubling while
 * candidates are denied.
 */
export async function fillPage<Row, Cursor>(
  pageSize: number,
  find: (decisions: number) => Promise<Batch<Row, Cursor>>,
  cursorOf: (row: Row) => Cursor,
): Promise<{ rows: Row[]; next: Cursor | null }> {
  const rows: Row[] = []
  let decisions = pageSize + 1
  let next: Cursor | null = null
  const deadline = performance.now() + PAGE_MS_MAX
  for (let statements = 0; statements < STATEMENTS_MAX; statements++) {
    const batch = await find(decisions)
    rows.push(...batch.rows)
    const last = rows[pageSize - 1]
    if (rows.length > pageSize && last !== undefined) return { rows: rows.slice(0, pageSize), next: cursorOf(last) }
    next = batch.next
    if (next === null) break
    if (batch.decided === 0) continue // otherwise the next page would begin where this one did
    if (performance.now() > deadline) break
    decisions = Math.min(Math.max(decisions, 50) * 2, DECISIONS_PER_STATEMENT_MAX)
  }
  return { rows, next }
}
