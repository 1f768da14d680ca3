/** The selected rows of a table. They stay selected when they are scrolled away and unloaded. */
import { Checkbox } from '@mantine/core'
import { memo } from 'react'
import type { Rows } from '../../queries/pages/rows.ts'

export interface Selection<Row> {
  /** The selected rows by id, as they were when they were selected. */
  rows: ReadonlyMap<string, Row>
  onChange: (rows: ReadonlyMap<string, Row>) => void
}

/** Returns the selected rows, with current values where these are loaded, and without rows that are known to be gone. */
export function selectedRows<Row>(
  selected: ReadonlyMap<string, Row>,
  { loaded, count, hasMore }: Pick<Rows<Row>, 'loaded' | 'count' | 'hasMore'>,
  idOf: (row: Row) => string,
): Row[] {
  if (selected.size === 0) return []
  const now = new Map(loaded.map((row) => [idOf(row), row]))
  const isAll = !hasMore && loaded.length === count
  return [...selected].flatMap(([id, before]) => now.get(id) ?? (isAll ? [] : [before]))
}

interface SelectAllProps<Row> {
  label: string
  rows: readonly Row[]
  idOf: (row: Row) => string
  selection: Selection<Row>
}

function SelectAllCheckbox<Row>({ label, rows, idOf, selection }: SelectAllProps<Row>) {
  const selectedCount = selection.rows.size === 0 ? 0 : rows.filter((row) => selection.rows.has(idOf(row))).length
  const all = rows.length > 0 && selectedCount === rows.length
  return (
    <Checkbox
      size="md"
      aria-label={`Select all ${rows.length} of ${label} that are loaded`}
      checked={all}
      indeterminate={selectedCount > 0 && !all}
      onChange={() => selection.onChange(new Map(all ? [] : rows.map((row) => [idOf(row), row])))}
    />
  )
}

/** Memoized: the rows are not counted again on every scroll. */
export const SelectAll = memo(
  SelectAllCheckbox,
  (before, after) =>
    before.rows === after.rows && before.selection.rows === after.selection.rows && before.label === after.label,
) as typeof SelectAllCheckbox

export function withRow<Row>(
  rows: ReadonlyMap<string, Row>,
  id: string,
  row: Row,
  isSelected: boolean,
): ReadonlyMap<string, Row> {
  const next = new Map(rows)
  if (isSelected) next.set(id, row)
  else next.delete(id)
  return next
}
