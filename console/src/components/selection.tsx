/** The selected rows of a table. They stay selected when they are scrolled away and unloaded. */
import { Checkbox } from '@mantine/core'
import { memo } from 'react'
import type { Rows } from '../queries/rows.ts'

export interface Selection<Row> {
  /** By id, as they were when they were selected. */
  rows: ReadonlyMap<string, Row>
  onChange: (rows: ReadonlyMap<string, Row>) => void
}

/** Returns the selected rows with their current values where these are loaded, without rows that are known to be gone. */
export function chosenOf<Row>(
  chosen: ReadonlyMap<string, Row>,
  { kept, count, hasMore }: Pick<Rows<Row>, 'kept' | 'count' | 'hasMore'>,
  idOf: (row: Row) => string,
): Row[] {
  if (chosen.size === 0) return []
  const now = new Map(kept.map((row) => [idOf(row), row]))
  const isAll = !hasMore && kept.length === count
  return [...chosen].flatMap(([id, before]) => now.get(id) ?? (isAll ? [] : [before]))
}

interface SelectAllProps<Row> {
  label: string
  rows: readonly Row[]
  idOf: (row: Row) => string
  selection: Selection<Row>
}

function AllBox<Row>({ label, rows, idOf, selection }: SelectAllProps<Row>) {
  const chosen = selection.rows.size === 0 ? 0 : rows.filter((row) => selection.rows.has(idOf(row))).length
  const all = rows.length > 0 && chosen === rows.length
  return (
    <Checkbox
      size="md"
      aria-label={`Select all ${rows.length} of ${label} that are loaded`}
      checked={all}
      indeterminate={chosen > 0 && !all}
      onChange={() => selection.onChange(new Map(all ? [] : rows.map((row) => [idOf(row), row])))}
    />
  )
}

/** Memoized: the rows are not counted again on every scroll. */
export const SelectAll = memo(
  AllBox,
  (one, other) => one.rows === other.rows && one.selection.rows === other.selection.rows && one.label === other.label,
) as typeof AllBox

export function withRow<Row>(
  rows: ReadonlyMap<string, Row>,
  id: string,
  row: Row,
  chosen: boolean,
): ReadonlyMap<string, Row> {
  const next = new Map(rows)
  if (chosen) next.set(id, row)
  else next.delete(id)
  return next
}
