/** The row of a user: colour and letter on the screen, words for screen readers. */
// biome-ignore-all lint/a11y/useSemanticElements: most rows and columns are not in the DOM, so it cannot be a table
import { IconClock } from '@tabler/icons-react'
import type { VirtualItem } from '@tanstack/react-virtual'
import { memo } from 'react'
import { useNow } from '../../clock.ts'
import { LongName } from '../../components/values/long-name.tsx'
import { formatWhen } from '../../components/values/times.ts'
import { shownName } from '../../shown-name.ts'
import type { Cell } from './cells.ts'
import type { Matrix } from './load-matrix.ts'
import classes from './matrix.module.css'

export const ROW_PX = 36
export const CELL_PX = 44
export const HEAD_PX = 180
export const COUNT_PX = 74

const LETTERS = { editor: 'E', commenter: 'C', viewer: 'V', none: '–' } as const

function describeCell({ role, expiresAt }: Cell, isExpired: boolean, now: number): string {
  if (expiresAt === undefined) return role ?? 'none'
  return `${role ?? 'none'}, ${isExpired ? 'expired' : 'expires'} ${formatWhen(expiresAt * 1000, now)}`
}

interface UserRowProps {
  matrix: Matrix
  user: number
  row: number
  top: number
  columns: readonly VirtualItem[]
  leftPx: number
  /** The column of the focused cell, if it is in this row. */
  activeColumn: number | undefined
  hrefOf: (row: number, column: number) => string
}

export const UserRow = memo(function UserRow({
  matrix,
  user,
  row,
  top,
  columns,
  leftPx,
  activeColumn,
  hrefOf,
}: UserRowProps) {
  const { users, documents, cells } = matrix
  const { userId = '', name } = users[user] ?? {}
  const now = useNow()
  const before = (columns[0]?.start ?? leftPx) - leftPx
  return (
    <div role="row" aria-rowindex={row + 2} tabIndex={-1} className={classes.row} style={{ top, height: ROW_PX }}>
      <div
        role="rowheader"
        tabIndex={-1}
        aria-colindex={1}
        className={classes.user}
        style={{ width: leftPx - COUNT_PX }}
        title={name === undefined ? userId : `${name} (${userId})`}
      >
        <LongName className={classes.text} isTitled>
          {shownName(name, userId)}
        </LongName>
      </div>
      <div
        role="gridcell"
        tabIndex={-1}
        aria-colindex={2}
        className={classes.accessCount}
        style={{ width: COUNT_PX, left: leftPx - COUNT_PX }}
      >
        {cells.accessCount(user).toLocaleString('en')}
      </div>
      {columns.map(({ index, size }) => {
        const cell = cells.at(user, index)
        const { id = '', documentName } = documents[index] ?? {}
        const isExpired = cell.expiresAt !== undefined && cell.expiresAt * 1000 <= now
        const isExpiring = cell.expiresAt !== undefined && !isExpired
        const words = describeCell(cell, isExpired, now)
        return (
          <div
            key={index}
            role="gridcell"
            tabIndex={-1}
            aria-colindex={index + 3}
            style={{ width: size, marginInlineStart: index === columns[0]?.index ? before : undefined }}
          >
            <a
              className={classes.cell}
              href={hrefOf(row, index)}
              data-row={row}
              data-column={index}
              data-role={(isExpired ? undefined : cell.role) ?? 'none'}
              data-expiring={isExpiring || undefined}
              data-expired={isExpired || undefined}
              tabIndex={activeColumn === index ? 0 : -1}
              aria-label={`${shownName(name, userId)}, ${shownName(documentName, id)}: ${words}`}
              title={words}
            >
              {LETTERS[cell.role ?? 'none']}
              {isExpiring && <IconClock size={10} aria-hidden />}
            </a>
          </div>
        )
      })}
    </div>
  )
})
