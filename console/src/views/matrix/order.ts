/** Sorts the users of the matrix. */
import type { Matrix } from './load-matrix.ts'

export interface Sort {
  by: 'name' | 'reach'
  descending: boolean
}

/** Returns indexes of the first `count` users, who are in the order of their names; `all` includes users without access. */
export function sortUsers({ users, cells }: Matrix, { by, descending }: Sort, all: boolean, count: number): number[] {
  const compare = (one: number, other: number) =>
    by === 'name' ? one - other : cells.accessCount(one) - cells.accessCount(other) || other - one
  const shown = Array.from(users.slice(0, count).keys()).filter((user) => all || cells.accessCount(user) > 0)
  return shown.sort((one, other) => (descending ? -compare(one, other) : compare(one, other)))
}
