/** The header of a column by which the server can order the whole list. */
import { UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { OrderBy } from '#sdk/generated/operations.ts'
import classes from './data-table.module.css'

/** The order of a list, and how to change it. */
export interface Sorting {
  orderBy: OrderBy
  onSort: (orderBy: OrderBy) => void
}

/** The order of a column. Only names can also be listed in reverse. */
export type SortedBy = 'name' | 'id'

/** Returns the direction of a column as screen readers name it; undefined for a column that cannot be sorted. */
export function directionOf(by: SortedBy | undefined, sorting: Sorting | undefined) {
  if (by === undefined || sorting === undefined) return undefined
  if (sorting.orderBy === by) return 'ascending'
  return by === 'name' && sorting.orderBy === 'name desc' ? 'descending' : 'none'
}

const ICONS = { ascending: IconArrowUp, descending: IconArrowDown, none: IconArrowsSort }

interface SortHeaderProps {
  by: SortedBy
  sorting: Sorting
  children: ReactNode
}

export function SortHeader({ by, sorting, children }: SortHeaderProps) {
  const direction = directionOf(by, sorting) ?? 'none'
  const Icon = ICONS[direction]
  return (
    <UnstyledButton
      className={classes.sort}
      onClick={() => sorting.onSort(direction === 'ascending' && by === 'name' ? 'name desc' : by)}
    >
      {children} <Icon size={14} aria-hidden data-unsorted={direction === 'none' || undefined} />
    </UnstyledButton>
  )
}
