/**
 * A table of any length. Pages are loaded as the user scrolls, and only the visible rows are in the DOM.
 */
import { Box, Button, Group, Table, type TableTrProps, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { plural } from '../../plural.ts'
import type { Rows } from '../../queries/pages/rows.ts'
import { Failure } from '../feedback/failure.tsx'
import { useScrollCue } from '../page/use-scroll-cue.ts'
import classes from './data-table.module.css'
import { SelectAll, type Selection } from './selection.tsx'
import { directionOf, SortHeader, type Sorting } from './sort-header.tsx'
import { accepted, NOTHING, ROWS_MAX, type State, stateAfter, steady } from './steady-rows.ts'
import { type Column, HIGH_ROW_PX, PlaceholderRow, ROW_PX, TableRow, visibleFrom } from './table-row.tsx'
import { useScaledScroll } from './use-scaled-scroll.ts'

export type { Column } from './table-row.tsx'

interface DataTableProps<Row> {
  /** Names the table for screen readers. */
  label: string
  rows: Rows<Row>
  columns: readonly Column<Row>[]
  idOf: (row: Row) => string
  /** The name of a row; by default its id. Rows that can be selected are selected by this name. */
  nameOf?: (row: Row) => string
  /** Shown instead of the table when there are no rows. */
  empty: ReactNode
  selection?: Selection<Row>
  /** The order of the list, where the server can change it. */
  sorting?: Sorting | undefined
  /** Props of a row's element, such as its drag handlers. */
  rowProps?: (row: Row) => TableTrProps
  height?: string
}

const HEAD_PX = 38
/** How many rows below the visible ones are loaded in advance. */
const ROWS_AHEAD = 50

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, isGone, changes, show } = useSteadyRows(props.rows, props.idOf)
  const { count, hasMore, isLoading, error } = rows
  if (count === 0 && error !== null) return <Failure error={error} />
  if (count === 0 && !isLoading && !hasMore) return props.empty
  return (
    <>
      <ScrollArea {...props} rows={rows} isGone={isGone} />
      {error !== null && <Failure error={error} />}
      <Group gap="xs" mt={4} {...(changes > 0 && { className: classes.changed })}>
        <Text size="xs" c="dimmed" role="status">
          {/* Without any row, also while the server cannot be reached. */}
          {isLoading || count === 0
            ? 'Loading…'
            : `${count.toLocaleString('en')} ${hasMore ? 'loaded, more as you scroll' : 'in total'}`}
          {changes > 0 && `, ${plural(changes, 'change')} since`}
        </Text>
        {changes > 0 && (
          <Button size="compact-xs" variant="default" onClick={show}>
            Show
          </Button>
        )}
      </Group>
    </>
  )
}

interface ScrollAreaProps<Row> extends DataTableProps<Row> {
  isGone: (id: string) => boolean
}

function ScrollArea<Row>(props: ScrollAreaProps<Row>) {
  const { label, rows, columns, idOf, nameOf = idOf, selection, sorting, rowProps, height, isGone } = props
  const container = useRef<HTMLDivElement>(null)
  const hasFocus = useRef(false)
  useScrollCue(container)
  const isWide = useMediaQuery('(min-width: 62em)', undefined, { getInitialValueInEffect: false })
  const heightPx = isWide === false ? HIGH_ROW_PX : ROW_PX
  const { first, count, above, below, onScroll } = useScaledScroll(container, rows.count, heightPx, HEAD_PX)
  const { request } = rows
  const last = first + count - 1
  useEffect(() => request(first, last + ROWS_AHEAD), [request, first, last])
  // biome-ignore lint/correctness/useExhaustiveDependencies: keeps the keyboard working when the focused row is scrolled away
  useEffect(() => {
    if (hasFocus.current && document.activeElement === document.body) container.current?.focus({ preventScroll: true })
  }, [first])
  return (
    <Box
      ref={container}
      className={classes.container}
      // Not a landmark: the section around it often has the same name.
      role="group"
      aria-label={label}
      // A part that scrolls must do so with the keyboard.
      tabIndex={0}
      style={{ maxHeight: height }}
      data-loading={rows.count === 0 || undefined}
      onScroll={onScroll}
      onFocus={() => {
        hasFocus.current = true
      }}
      onBlur={() => {
        hasFocus.current = false
      }}
    >
      <Table
        stickyHeader
        highlightOnHover
        layout="fixed"
        aria-label={label}
        aria-rowcount={rows.hasMore ? -1 : rows.count + 1}
      >
        <Table.Thead>
          <Table.Tr aria-rowindex={1} h={HEAD_PX}>
            {selection !== undefined && (
              <Table.Th w={44}>
                <SelectAll label={label} rows={rows.loaded} idOf={idOf} selection={selection} />
              </Table.Th>
            )}
            {columns.map(({ key, header, sortedBy, width, align = 'start', wideOnly }) => (
              <Table.Th
                key={key}
                w={width}
                ta={align}
                visibleFrom={visibleFrom({ wideOnly })}
                aria-sort={directionOf(sortedBy, sorting)}
              >
                {sortedBy === undefined || sorting === undefined ? (
                  header
                ) : (
                  <SortHeader by={sortedBy} sorting={sorting}>
                    {header}
                  </SortHeader>
                )}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className={classes.body}>
          <Spacer height={above} />
          {Array.from({ length: count }, (_, offset) => {
            const index = first + offset
            const row = rows.at(index)
            if (row === undefined)
              return (
                <PlaceholderRow
                  key={`row ${index}`}
                  {...{ index, heightPx }}
                  columns={columns}
                  hasSelection={selection !== undefined}
                />
              )
            const id = idOf(row)
            return (
              <TableRow
                key={`id ${id}`}
                {...{ row, id, name: nameOf(row), index, heightPx, columns, selection, rowProps }}
                isGone={isGone(id)}
              />
            )
          })}
          <Spacer height={below} />
        </Table.Tbody>
      </Table>
    </Box>
  )
}

/** Takes the space of the rows that are not rendered. */
function Spacer({ height }: { height: number }) {
  return height <= 0 ? null : (
    <tr aria-hidden className={classes.spacer}>
      <td style={{ height }} />
    </tr>
  )
}

/** The rows of a table, steady while somebody reads them. */
interface SteadyRows<Row> {
  rows: Rows<Row>
  isGone: (id: string) => boolean
  /** Changes that are not shown yet. */
  changes: number
  /** Shows them. */
  show: () => void
}

function useSteadyRows<Row>(rows: Rows<Row>, idOf: (row: Row) => string): SteadyRows<Row> {
  const [state, setState] = useState<State<Row>>(NOTHING)
  const next = rows.source === undefined || rows.count > ROWS_MAX ? NOTHING : stateAfter(state, rows, idOf)
  if (next !== state) setState(next)
  const { gone, waiting } = next
  const changes = gone.size + waiting
  return {
    rows: changes === 0 ? rows : steady(rows, next, idOf),
    isGone: (id) => gone.has(id),
    changes,
    show: () => setState(accepted(rows)),
  }
}
