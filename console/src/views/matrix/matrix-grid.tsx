/** The grid of the matrix. Only visible cells are in the DOM; the arrow keys move from cell to cell. */
// biome-ignore-all lint/a11y/useSemanticElements: most rows and columns are not in the DOM, so it cannot be a table
import { useElementSize, useMediaQuery } from '@mantine/hooks'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type MouseEvent, useCallback, useEffect, useRef, useState } from 'react'
import { useScrollCue } from '../../components/page/use-scroll-cue.ts'
import { stringifySearch } from '../../links/search-params.ts'
import { useKey } from '../../session/use-session.ts'
import { HeadRow } from './head-row.tsx'
import type { Matrix } from './load-matrix.ts'
import classes from './matrix.module.css'
import type { Sort } from './order.ts'
import { CELL_PX, HEAD_PX, ROW_PX, UserRow } from './user-row.tsx'

interface MatrixGridProps {
  matrix: Matrix
  organizationId: string
  /** The indexes of the users, from the top. */
  order: readonly number[]
  sort: Sort
  onSort: (sort: Sort) => void
}

interface CellPosition {
  row: number
  column: number
}

const PAGE_ROWS = 10

/** Returns the cell that a key leads to; undefined for other keys. */
function nextCell(
  { row, column }: CellPosition,
  { key, ctrlKey }: KeyboardEvent,
  last: CellPosition,
): CellPosition | undefined {
  switch (key) {
    case 'ArrowUp':
      return { row: row - 1, column }
    case 'ArrowDown':
      return { row: row + 1, column }
    case 'ArrowLeft':
      return { row, column: column - 1 }
    case 'ArrowRight':
      return { row, column: column + 1 }
    case 'PageUp':
      return { row: row - PAGE_ROWS, column }
    case 'PageDown':
      return { row: row + PAGE_ROWS, column }
    case 'Home':
      return { row: ctrlKey ? 0 : row, column: 0 }
    case 'End':
      return { row: ctrlKey ? last.row : row, column: last.column }
    default:
      return undefined
  }
}

const clamp = (value: number, max: number) => Math.max(0, Math.min(max, value))

export function MatrixGrid({ matrix, organizationId, order, sort, onSort }: MatrixGridProps) {
  const apiKey = useKey().id
  const router = useRouter()
  const navigate = useNavigate()
  const { ref: sizeRef, width } = useElementSize()
  const isNarrow = useMediaQuery('(max-width: 48em)')
  const leftPx = isNarrow === true ? 190 : 270
  const container = useRef<HTMLDivElement>(null)
  useScrollCue(container)
  const [active, setActive] = useState<CellPosition>({ row: 0, column: 0 })
  const wantsFocus = useRef(false)
  const { documents } = matrix
  const getScrollElement = () => container.current
  const rows = useVirtualizer({
    count: order.length,
    getScrollElement,
    estimateSize: () => ROW_PX,
    overscan: 3,
    paddingStart: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
  })
  const columns = useVirtualizer({
    horizontal: true,
    count: documents.length,
    getScrollElement,
    estimateSize: () => CELL_PX,
    overscan: 3,
    paddingStart: leftPx,
    scrollPaddingStart: leftPx,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: measurements are invalid after the width has changed
  useEffect(() => columns.measure(), [leftPx, width])
  useEffect(() => {
    if (!wantsFocus.current) return
    const cell = container.current?.querySelector<HTMLElement>(
      `[data-row="${active.row}"][data-column="${active.column}"]`,
    )
    if (!cell) return
    wantsFocus.current = false
    cell.focus({ preventScroll: true })
  })

  const whySearch = useCallback(
    (row: number, column: number) => ({
      organizationId,
      type: 'document' as const,
      id: documents[column]?.id ?? '',
      userId: matrix.users[order[row] ?? 0]?.userId ?? '',
    }),
    [organizationId, documents, matrix, order],
  )
  const { pathname } = router.buildLocation({ to: '/keys/$apiKey/why', params: { apiKey }, search: {} })
  const hrefOf = useCallback(
    (row: number, column: number) =>
      router.history.createHref(
        `/console${pathname.replace(/^\/console/, '')}${stringifySearch(whySearch(row, column))}`,
      ),
    [router, pathname, whySearch],
  )

  function onKeyDown(event: KeyboardEvent): void {
    const last = { row: order.length - 1, column: documents.length - 1 }
    const isCell = event.target instanceof HTMLElement && event.target.dataset.column !== undefined
    const next = isCell ? nextCell(active, event, last) : undefined
    if (next === undefined) return
    event.preventDefault()
    const target = { row: clamp(next.row, last.row), column: clamp(next.column, last.column) }
    wantsFocus.current = true
    setActive(target)
    rows.scrollToIndex(target.row)
    columns.scrollToIndex(target.column)
  }
  function onClick(event: MouseEvent): void {
    const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-column]') : null
    if (cell === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    const search = whySearch(Number(cell.dataset.row), Number(cell.dataset.column))
    void navigate({ to: '/keys/$apiKey/why', params: { apiKey }, search })
  }

  const visibleColumns = columns.getVirtualItems()
  return (
    <div ref={sizeRef}>
      <div
        ref={container}
        role="grid"
        aria-label="Users and documents"
        aria-rowcount={order.length + 1}
        aria-colcount={documents.length + 2}
        className={classes.container}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <div
          role="presentation"
          className={classes.all}
          style={{ width: columns.getTotalSize(), height: rows.getTotalSize() }}
        >
          <HeadRow documents={documents} columns={visibleColumns} leftPx={leftPx} sort={sort} onSort={onSort} />
          {rows.getVirtualItems().map(({ index, start }) => (
            <UserRow
              key={order[index]}
              matrix={matrix}
              user={order[index] ?? 0}
              row={index}
              top={start}
              columns={visibleColumns}
              leftPx={leftPx}
              activeColumn={active.row === index ? active.column : undefined}
              hrefOf={hrefOf}
            />
          ))}
        </div>
      </div>
    </div>
  )
}
