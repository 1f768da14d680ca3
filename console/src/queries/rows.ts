/** The rows of a list as a table uses them: by index, with only some of the known rows loaded. */

export interface Rows<Row> {
  /** The number of known rows. */
  count: number
  /** There are more rows than that. */
  hasMore: boolean
  /** Returns undefined when the row is not loaded. */
  at: (index: number) => Row | undefined
  /** The loaded rows in order: a few thousand at most. */
  kept: readonly Row[]
  /** Loads these rows unless they are loaded, and stops loading others. */
  want: (first: number, last: number) => void
  error: Error | null
  /** Some requested rows are not loaded yet. */
  isReading: boolean
}

/** The rows of a list that is loaded as a whole; undefined until then. */
export const fixedRows = <Row>(
  rows: readonly Row[] | undefined,
  { error = null, isFetching = false }: { error?: Error | null; isFetching?: boolean } = {},
): Rows<Row> => ({
  count: rows?.length ?? 0,
  hasMore: false,
  at: (index) => rows?.[index],
  kept: rows ?? [],
  want: () => {},
  error,
  isReading: isFetching,
})

/** Concatenates two lists. */
export const oneAfterTheOther = <Row>(one: Rows<Row>, other: Rows<Row>): Rows<Row> => ({
  count: one.count + (one.hasMore ? 0 : other.count),
  hasMore: one.hasMore || other.hasMore,
  at: (index) => (index < one.count ? one.at(index) : other.at(index - one.count)),
  kept: one.hasMore ? one.kept : [...one.kept, ...other.kept],
  want(first, last) {
    one.want(first, last)
    if (!one.hasMore) other.want(Math.max(0, first - one.count), Math.max(0, last - one.count))
  },
  error: one.error ?? other.error,
  isReading: one.isReading || other.isReading,
})

/** Maps the rows; `map` must return the same object for the same row. */
export const mappedRows = <From, To>(rows: Rows<From>, map: (row: From) => To): Rows<To> => ({
  ...rows,
  at(index) {
    const row = rows.at(index)
    return row === undefined ? undefined : map(row)
  },
  kept: rows.kept.map(map),
})
