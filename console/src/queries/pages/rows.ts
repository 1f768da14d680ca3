/** The rows of a list as a table uses them: by index, with only some of the known rows loaded. */

export interface Rows<Row> {
  /** The number of known rows. */
  count: number
  /** There are more rows than that. */
  hasMore: boolean
  /** Returns undefined when the row is not loaded. */
  at: (index: number) => Row | undefined
  /** The loaded rows in order: a few thousand at most. */
  loaded: readonly Row[]
  /** Loads these rows unless they are loaded, and stops loading others. */
  request: (first: number, last: number) => void
  error: Error | null
  /** Some requested rows are not loaded yet. */
  isLoading: boolean
  /** Absent for lists that always show what they have. */
  source?: RowsSource
}

/** In place of the number of one's own changes while one is refetched. */
export const CHANGING = -1

export interface RowsSource {
  /** Identifies the list: its query, order and filters. */
  list: string
  /** The number of one's own changes so far, or `CHANGING`. */
  ownChanges: number
  isFetching: boolean
}

interface StaticRowsOptions {
  error?: Error | null
  isFetching?: boolean
  source?: RowsSource | undefined
}

/** The rows of a list that is loaded as a whole; undefined until then. */
export const staticRows = <Row>(
  rows: readonly Row[] | undefined,
  { error = null, isFetching = false, source }: StaticRowsOptions = {},
): Rows<Row> => ({
  count: rows?.length ?? 0,
  hasMore: false,
  at: (index) => rows?.[index],
  loaded: rows ?? [],
  request: () => {},
  error,
  isLoading: isFetching,
  ...(source && { source }),
})

/** Returns the rows of a log that people watch: new rows appear at once. */
export function watched<Row>({ source: _, ...rows }: Rows<Row>): Rows<Row> {
  return rows
}

/** Concatenates two lists. */
export const concatRows = <Row>(one: Rows<Row>, other: Rows<Row>): Rows<Row> => ({
  count: one.count + (one.hasMore ? 0 : other.count),
  hasMore: one.hasMore || other.hasMore,
  at: (index) => (index < one.count ? one.at(index) : other.at(index - one.count)),
  loaded: one.hasMore ? one.loaded : [...one.loaded, ...other.loaded],
  request(first, last) {
    one.request(first, last)
    if (!one.hasMore) other.request(Math.max(0, first - one.count), Math.max(0, last - one.count))
  },
  error: one.error ?? other.error,
  isLoading: one.isLoading || other.isLoading,
})

/** Maps the rows; `map` must return the same object for the same row. */
export const mapRows = <From, To>(rows: Rows<From>, map: (row: From) => To): Rows<To> => ({
  ...rows,
  at(index) {
    const row = rows.at(index)
    return row === undefined ? undefined : map(row)
  },
  loaded: rows.loaded.map(map),
})
