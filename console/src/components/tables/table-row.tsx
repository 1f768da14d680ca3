/** The rows of a `DataTable`: loaded rows, and placeholders for rows that are being loaded. */
import { Checkbox, Table, type TableTrProps } from '@mantine/core'
import { memo, type ReactNode } from 'react'
import classes from './data-table.module.css'
import { type Selection, withRow } from './selection.tsx'
import type { SortedBy } from './sort-header.tsx'

export interface Column<Row> {
  key: string
  header: ReactNode
  /** The order of the column, if the list can be sorted. */
  sortedBy?: SortedBy
  cell: (row: Row) => ReactNode
  /** When absent, the column shares the remaining width. Fixed tables take `clamp` and `min` with a percentage as absent. */
  width?: number | string
  align?: 'start' | 'end'
  /** Hidden on phones and tablets; `desktop`: also in small windows. */
  wideOnly?: boolean | 'desktop'
}

/** Returns the breakpoint from which a column is visible; undefined for one that always is. */
export const visibleFrom = ({ wideOnly = false }: Pick<Column<never>, 'wideOnly'>) =>
  wideOnly === 'desktop' ? 'lg' : wideOnly ? 'md' : undefined

export const ROW_PX = 44
/** In small windows, where the values of hidden columns are below the name. */
export const HIGH_ROW_PX = 60

interface RowProps<Row> {
  row: Row
  id: string
  /** The name of the row, for screen readers. */
  name: string
  index: number
  heightPx: number
  columns: readonly Column<Row>[]
  selection: Selection<Row> | undefined
  rowProps: ((row: Row) => TableTrProps) | undefined
  /** It is not in the list any more. It stays where it is until the list is shown again. */
  isGone: boolean
}

function LoadedRow<Row>({ row, id, name, index, heightPx, columns, selection, rowProps, isGone }: RowProps<Row>) {
  return (
    <Table.Tr
      aria-rowindex={index + 2}
      h={heightPx}
      {...(isGone ? { inert: true, className: classes.gone } : rowProps?.(row))}
    >
      {selection !== undefined && (
        <Table.Td>
          <Checkbox
            size="md"
            aria-label={`Select ${name}`}
            checked={selection.rows.has(id)}
            onChange={({ currentTarget }) =>
              selection.onChange(withRow(selection.rows, id, row, currentTarget.checked))
            }
          />
        </Table.Td>
      )}
      {columns.map(({ key, cell, align = 'start', wideOnly }) => (
        <Table.Td key={key} ta={align} className={classes.cell} visibleFrom={visibleFrom({ wideOnly })}>
          {cell(row)}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

/** Memoized: scrolling renders only the rows that come into view. */
export const TableRow = memo(LoadedRow) as typeof LoadedRow

interface WaitingRowProps {
  index: number
  heightPx: number
  columns: readonly Pick<Column<never>, 'key' | 'wideOnly'>[]
  hasSelection: boolean
}

export function PlaceholderRow({ index, heightPx, columns, hasSelection }: WaitingRowProps) {
  return (
    <Table.Tr aria-rowindex={index + 2} aria-busy h={heightPx} c="dimmed">
      {hasSelection && <Table.Td />}
      {columns.map(({ key, wideOnly }, position) => (
        <Table.Td key={key} visibleFrom={visibleFrom({ wideOnly })}>
          {position === 0 ? '…' : ''}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}
