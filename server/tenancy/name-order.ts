/**
 * SQL of lists in the order of names (ADR 0051). Each reads an index of migration 0017 from one end, after the last row
 * of the page before.
 */

/** The directions of a list by name, as calls name them in `orderBy`. */
const DIRECTIONS = { name: 'asc', 'name desc': 'desc' } as const

export type NameOrder = keyof typeof DIRECTIONS

/** A row of a list by name. */
export interface Positioned {
  /** Where the next page continues, if this is the last row of a page. */
  position: string
}

interface ByName {
  /** The folded name, or the id where there is none. */
  place: string
  /** A column that a page token holds. */
  position: string
  /** Whether a row comes after the position. */
  following: string
  /** The columns to order by. */
  order: string
  direction: 'asc' | 'desc'
}

/** Sorts after every name: longer than any, of the last character there is. */
const LAST = 'repeat(chr(1114111), 101)'

/** Returns a list of statements, one for each direction. `make` gets what differs. `after` is the parameter with the position, or null. */
export function byName<Statement>(
  columns: { name: string; id: string; after: string },
  make: (parts: ByName & { orderBy: NameOrder }) => Statement,
): Record<NameOrder, Statement> {
  const made = (orderBy: NameOrder) => make({ orderBy, ...partsOf(columns, DIRECTIONS[orderBy]) })
  return { name: made('name'), 'name desc': made('name desc') }
}

function partsOf({ name, id, after }: { name: string; id: string; after: string }, direction: 'asc' | 'desc'): ByName {
  const place = `name_order(${name}, ${id})`
  const [operator, end] = direction === 'asc' ? ['>', "''"] : ['<', LAST]
  const from = (nth: number) => `coalesce(${after}::jsonb ->> ${nth}, ${end}) collate "C"`
  return {
    place,
    position: `jsonb_build_array(${place}, ${id})::text as position`,
    following: `(${place}, ${id}) ${operator} (${from(0)}, ${from(1)})`,
    order: `${place} ${direction}, ${id} ${direction}`,
    direction,
  }
}

/** Sorts rows of several databases into the order in which one would list them. */
export function inNameOrder<Row extends Positioned>(rows: readonly Row[], orderBy: NameOrder): Row[] {
  const sign = DIRECTIONS[orderBy] === 'asc' ? 1 : -1
  const placed = rows.map((row) => ({
    row,
    parts: (JSON.parse(row.position) as string[]).map((part) => Buffer.from(part)),
  }))
  const compared = (one: Buffer[], other: Buffer[]): number =>
    one.map((part, nth) => part.compare(other[nth] as Buffer)).find((result) => result !== 0) ?? 0
  return placed.sort((one, other) => sign * compared(one.parts, other.parts)).map(({ row }) => row)
}

/** Returns the part of a page token that names the order: nothing for the order of ids, as in tokens of earlier versions. */
export const scopeOf = (orderBy: 'id' | NameOrder): string[] => (orderBy === 'id' ? [] : [`by ${orderBy}`])
