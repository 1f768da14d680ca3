/**
 * A table as long as one likes: the server gives it page by page, as one scrolls, and only the rows that are seen are in
 * the page.
 */
import { Checkbox, Table, type TableTrProps, Text } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import classes from './data-table.module.css'
import { Failure } from './failure.tsx'

export interface Column<Row> {
  key: string
  header: ReactNode
  cell: (row: Row) => ReactNode
  /** Of the rest of the room when absent. */
  width?: number | string
  align?: 'start' | 'end'
  /** Left out on narrow screens. */
  wideOnly?: boolean
}

/** What `useInfiniteQuery(pagesQuery(…))` answers. */
export interface RowsQuery<Row> {
  data: readonly Row[] | undefined
  error: Error | null
  hasNextPage: boolean
  isFetching: boolean
  isFetchNextPageError: boolean
  fetchNextPage: () => unknown
}

export interface Selection {
  ids: ReadonlySet<string>
  onChange: (ids: ReadonlySet<string>) => void
}

interface DataTableProps<Row> {
  /** What the rows are, for those who do not see the heading above. */
  label: string
  query: RowsQuery<Row>
  columns: readonly Column<Row>[]
  idOf: (row: Row) => string
  /** Instead of the table when there are no rows. */
  empty: ReactNode
  selection?: Selection
  /** Of the element of a row, such as what happens when it is dragged. */
  rowProps?: (row: Row) => TableTrProps
  height?: string
}

const ROW_PX = 44
const ROWS_AHEAD = 15

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, query, columns, idOf, empty, selection, rowProps, height } = props
  const { data: rows = [], error, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query
  const room = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => room.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  })
  const seen = virtual.getVirtualItems()
  const last = seen.at(-1)?.index ?? -1
  const wantsMore = hasNextPage && !isFetching && !isFetchNextPageError && last >= rows.length - ROWS_AHEAD
  useEffect(() => {
    if (wantsMore) void fetchNextPage()
  }, [wantsMore, fetchNextPage])

  if (rows.length === 0 && error !== null) return <Failure error={error} />
  if (rows.length === 0 && !isFetching && !hasNextPage) return empty
  const above = seen[0]?.start ?? 0
  const below = virtual.getTotalSize() - (seen.at(-1)?.end ?? 0)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled with the keyboard as well */}
      <section ref={room} className={classes.room} aria-label={label} tabIndex={0} style={{ maxHeight: height }}>
        <Table
          stickyHeader
          highlightOnHover
          layout="fixed"
          aria-label={label}
          aria-rowcount={hasNextPage ? -1 : rows.length + 1}
        >
          <Table.Thead>
            <Table.Tr aria-rowindex={1}>
              {selection !== undefined && (
                <Table.Th w={44}>
                  <SelectAll label={label} ids={rows.map(idOf)} selection={selection} />
                </Table.Th>
              )}
              {columns.map(({ key, header, width, align = 'start', wideOnly }) => (
                <Table.Th key={key} w={width} ta={align} visibleFrom={wideOnly ? 'sm' : undefined}>
                  {header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Spacer height={above} />
            {seen.map(({ index }) => {
              const row = rows[index]
              if (row === undefined) return null
              const id = idOf(row)
              return (
                <Table.Tr key={id} aria-rowindex={index + 2} h={ROW_PX} {...rowProps?.(row)}>
                  {selection !== undefined && (
                    <Table.Td>
                      <Checkbox
                        size="md"
                        aria-label={`Select ${id}`}
                        checked={selection.ids.has(id)}
                        onChange={({ currentTarget }) =>
                          selection.onChange(withId(selection.ids, id, currentTarget.checked))
                        }
                      />
                    </Table.Td>
                  )}
                  {columns.map(({ key, cell, align = 'start', wideOnly }) => (
                    <Table.Td key={key} ta={align} className={classes.cell} visibleFrom={wideOnly ? 'sm' : undefined}>
                      {cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              )
            })}
            <Spacer height={below} />
          </Table.Tbody>
        </Table>
      </section>
      {error !== null && <Failure error={error} />}
      <Text size="xs" c="dimmed" role="status" mt={4}>
        {isFetching
          ? 'Loading…'
          : `${rows.length.toLocaleString()} ${hasNextPage ? 'so far, more as you scroll' : 'in all'}`}
      </Text>
    </>
  )
}

/** Holds the place of rows that are not drawn. */
function Spacer({ height }: { height: number }) {
  return height <= 0 ? null : (
    <tr aria-hidden className={classes.spacer}>
      <td style={{ height }} />
    </tr>
  )
}

function SelectAll({ label, ids, selection }: { label: string; ids: string[]; selection: Selection }) {
  const chosen = ids.filter((id) => selection.ids.has(id)).length
  const all = ids.length > 0 && chosen === ids.length
  return (
    <Checkbox
      size="md"
      aria-label={`Select all ${ids.length} of ${label} that are loaded`}
      checked={all}
      indeterminate={chosen > 0 && !all}
      onChange={() => selection.onChange(new Set(all ? [] : ids))}
    />
  )
}

function withId(ids: ReadonlySet<string>, id: string, chosen: boolean): ReadonlySet<string> {
  const next = new Set(ids)
  if (chosen) next.add(id)
  else next.delete(id)
  return next
}
