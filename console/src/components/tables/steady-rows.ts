/**
 * Keeps the rows of a list in place while somebody reads it: rows that others change are updated in place, deleted rows
 * stay and are marked, and new rows wait until they are requested, unless they come last.
 */
import { CHANGING, type Rows, type RowsSource } from '../../queries/pages/rows.ts'

/** In longer lists the pages keep their place by themselves: each begins after the last row of the page before it. */
export const ROWS_MAX = 1_000

export interface State<Row> {
  source: RowsSource | undefined
  /** The rows that were loaded last. */
  loaded: readonly Row[]
  shown: readonly Row[]
  gone: ReadonlySet<string>
  /** New rows, and rows that have another place. */
  waiting: number
  /** The list was complete since it was opened: what comes now is a change. */
  isRead: boolean
}

const NONE: ReadonlySet<string> = new Set()
export const NOTHING: State<never> = { source: undefined, loaded: [], shown: [], gone: NONE, waiting: 0, isRead: false }

const isComplete = ({ isLoading, loaded, count }: Rows<unknown>): boolean => !isLoading && loaded.length === count

export function accepted<Row>(rows: Rows<Row>): State<Row> {
  const { source, loaded, count } = rows
  const isRead = source?.isFetching === false && isComplete(rows) && count > 0
  return { source, loaded, shown: loaded, gone: NONE, waiting: 0, isRead }
}

export function stateAfter<Row>(state: State<Row>, rows: Rows<Row>, idOf: (row: Row) => string): State<Row> {
  const { source, loaded } = rows
  const isSame = isSameList(state.loaded, loaded)
  const isSameSource = source?.list === state.source?.list && source?.ownChanges === state.source?.ownChanges
  if (state.isRead && isSameSource && source?.ownChanges !== CHANGING) return isSame ? state : merged(state, rows, idOf)
  const fresh = accepted(rows)
  const isUnchanged = isSame && isSameSource && state.isRead === fresh.isRead && state.gone.size + state.waiting === 0
  return isUnchanged ? state : fresh
}

function merged<Row>(state: State<Row>, rows: Rows<Row>, idOf: (row: Row) => string): State<Row> {
  const { source, loaded } = rows
  const found = new Map(loaded.map((row) => [idOf(row), row]))
  const kept = state.shown.map((row) => found.get(idOf(row)) ?? row)
  // Pages that are being loaded again: what is missing may be on them.
  if (!isComplete(rows)) return { ...state, source, loaded, shown: kept }
  const shownIds = new Set(kept.map(idOf))
  const gone = new Set([...shownIds].filter((id) => !found.has(id)))
  const order = loaded.map(idOf)
  const lastShown = order.findLastIndex((id) => shownIds.has(id))
  const added = order.filter((id, index) => !shownIds.has(id) && index < lastShown).length
  const appended = loaded.slice(lastShown + 1)
  const remaining = order.filter((id) => shownIds.has(id))
  const moved = kept.map(idOf).filter((id) => !gone.has(id))
  const isMoved = moved.some((id, index) => id !== remaining[index])
  return { ...state, source, loaded, shown: [...kept, ...appended], gone, waiting: added + Number(isMoved) }
}

const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one === other || (one.length === other.length && one.every((row, index) => row === other[index]))

export function steady<Row>(
  rows: Rows<Row>,
  { shown, gone, waiting }: State<Row>,
  idOf: (row: Row) => string,
): Rows<Row> {
  return {
    ...rows,
    count: shown.length,
    at: (index) => shown[index],
    loaded: gone.size === 0 ? shown : shown.filter((row) => !gone.has(idOf(row))),
    request: (first, last) => rows.request(first, last + waiting),
  }
}
