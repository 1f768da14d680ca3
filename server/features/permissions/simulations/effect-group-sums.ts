/** Orders the groups of users that a simulation affects, and adds up the groups of its batches (ADR 0017). */

import { EFFECTS } from '#contract/access/simulations.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { EffectGroupRow } from './rows.ts'

/** Returns groups as they are listed: losses first, then by size; of the groups that keep their access, only the largest are listed. */
export function inOrder(groups: readonly EffectGroupRow[]): EffectGroupRow[] {
  const sorted = groups.toSorted(
    (one, other) =>
      EFFECTS.indexOf(one.effect) - EFFECTS.indexOf(other.effect) ||
      other.users - one.users ||
      Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)),
  )
  const kept = sorted.filter(({ effect }) => effect === 'kept').slice(0, LIMITS.keptGroupsMax)
  return [...sorted.filter(({ effect }) => effect !== 'kept'), ...kept]
}

interface Sum extends EffectGroupRow {
  names: Set<string>
}

/** The sum of the groups of all batches. Batches come in the order of users, and the batches of one user in the order of resources. */
export class EffectGroups {
  readonly #sums = new Map<string, Sum>()

  /** Adds the groups of the batches of the same users. */
  add(batches: readonly (readonly EffectGroupRow[])[]): void {
    const users = new Map<string, number>()
    for (const group of batches.flat()) {
      const name = `${group.effect} ${group.key}`
      const sum = this.#sums.get(name) ?? { ...group, users: 0, people: [], names: new Set() }
      this.#sums.set(name, sum)
      for (const resource of group.resources ?? []) sum.names.add(resource)
      addPeople(sum.people, group.people)
      users.set(name, Math.max(users.get(name) ?? 0, group.users))
    }
    for (const [name, count] of users) (this.#sums.get(name) as Sum).users += count
  }

  rows(): EffectGroupRow[] {
    return [...this.#sums.values()].map(({ names, ...sum }) => {
      const count = (kind: string) => [...names].filter((name) => name.startsWith(`${kind} `)).length
      return { ...sum, organizations: count('organization'), folders: count('folder'), documents: count('document') }
    })
  }
}

/** A user whose resources are in several batches is the last of the list. */
function addPeople(people: EffectGroupRow['people'], more: EffectGroupRow['people']): void {
  for (const person of more) {
    const last = people.at(-1)
    if (last?.userId === person.userId)
      people[people.length - 1] = { ...last, resources: last.resources + person.resources }
    else if (people.length < LIMITS.effectGroupUsersShownMax) people.push(person)
  }
}
