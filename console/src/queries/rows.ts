/** Rows of a list as a table takes them: by their place, as many as are known of, and only some of them at hand. */

export interface Rows<Row> {
  /** How many are known of. */
  count: number
  /** There are more than that. */
  hasMore: boolean
  /** Undefined: it is not at hand. */
  at: (index: number) => Row | undefined
  /** Those that are at hand, in order: some thousands at most. */
  kept: readonly Row[]
  /** Reads those rows, as far as they are not at hand, and others no more. */
  want: (first: number, last: number) => void
  error: Error | null
  /** Something that is wanted is not at hand yet. */
  isReading: boolean
}

/** A list that is there as a whole, or is not there yet. */
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

/** One list and then the other, as one. */
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

/** The same rows as something else; `map` answers the same for the same row. */
export const mappedRows = <From, To>(rows: Rows<From>, map: (row: From) => To): Rows<To> => ({
  ...rows,
  at(index) {
    const row = rows.at(index)
    return row === undefined ? undefined : map(row)
  },
  kept: rows.kept.map(map),
})
