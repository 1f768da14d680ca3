/** The header row of the matrix: document names and sort buttons. */
// biome-ignore-all lint/a11y/useSemanticElements: most rows and columns are not in the DOM, so it cannot be a table
import { UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconWorld } from '@tabler/icons-react'
import type { VirtualItem } from '@tanstack/react-virtual'
import type { DocumentRecord } from '#sdk/generated/operations.ts'
import { LongName } from '../../components/values/long-name.tsx'
import { shownName } from '../../shown-name.ts'
import classes from './matrix.module.css'
import type { Sort } from './order.ts'
import { COUNT_PX, HEAD_PX } from './user-row.tsx'

interface HeadRowProps {
  documents: readonly DocumentRecord[]
  columns: readonly VirtualItem[]
  leftPx: number
  sort: Sort
  onSort: (sort: Sort) => void
}

export function HeadRow({ documents, columns, leftPx, sort, onSort }: HeadRowProps) {
  const before = (columns[0]?.start ?? leftPx) - leftPx
  return (
    <div role="row" aria-rowindex={1} tabIndex={-1} className={classes.head} style={{ height: HEAD_PX }}>
      <SortHeader column={1} width={leftPx - COUNT_PX} left={0} by="name" label="User" sort={sort} onSort={onSort} />
      <SortHeader
        column={2}
        width={COUNT_PX}
        left={leftPx - COUNT_PX}
        by="reach"
        label="Access"
        sort={sort}
        onSort={onSort}
      />
      {columns.map(({ index, size }) => {
        const { id = '', documentName, accessType } = documents[index] ?? {}
        const named = documentName === undefined ? id : `${documentName} (${id})`
        const isPublic = accessType === 'public'
        return (
          <div
            key={index}
            role="columnheader"
            tabIndex={-1}
            aria-colindex={index + 3}
            className={classes.column}
            title={isPublic ? `${named}: everyone has access` : named}
            style={{ width: size, marginInlineStart: index === columns[0]?.index ? before : undefined }}
          >
            {isPublic && <IconWorld size={12} color="var(--caution-line)" aria-label="everyone has access" />}
            <LongName className={classes.name} isTitled>
              {shownName(documentName, id)}
            </LongName>
          </div>
        )
      })}
    </div>
  )
}

interface SortHeaderProps {
  column: number
  width: number
  left: number
  by: Sort['by']
  label: string
  sort: Sort
  onSort: (sort: Sort) => void
}

function SortHeader({ column, width, left, by, label, sort, onSort }: SortHeaderProps) {
  const isSorted = sort.by === by
  const Arrow = sort.descending ? IconArrowDown : IconArrowUp
  // Sorting by the count starts with the highest.
  const descending = isSorted ? !sort.descending : by === 'reach'
  return (
    <div
      role="columnheader"
      tabIndex={-1}
      aria-colindex={column}
      aria-sort={isSorted ? (sort.descending ? 'descending' : 'ascending') : 'none'}
      className={classes.corner}
      style={{ width, left }}
    >
      <UnstyledButton className={classes.sort} onClick={() => onSort({ by, descending })}>
        {label} {isSorted && <Arrow size={14} aria-hidden />}
      </UnstyledButton>
    </div>
  )
}
