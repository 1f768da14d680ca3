/** Sorts the users of the matrix. */
import type { Matrix } from './matrix-query.ts'

export interface Sort {
  by: 'name' | 'reach'
  descending: boolean
}

const collator = new Intl.Collator(undefined, { numeric: true })

/** Returns indexes of users; `all` includes users without access. */
export function sortUsers({ users, cells }: Matrix, { by, descending }: Sort, all: boolean): number[] {
  const named = (user: number) => users[user]?.name ?? users[user]?.userId ?? ''
  const byName = (one: number, other: number) => collator.compare(named(one), named(other))
  const compare =
    by === 'name'
      ? byName
      : (one: number, other: number) => cells.accessCount(one) - cells.accessCount(other) || -byName(one, other)
  const shown = users.map((_, user) => user).filter((user) => all || cells.accessCount(user) > 0)
  return shown.sort((one, other) => (descending ? -compare(one, other) : compare(one, other)))
}
