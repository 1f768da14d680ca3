/** The result of a change of sharing: for everybody it names, the access before and after. */
import { isStronger } from '#contract/access/permissions.ts'
import type { SharedAccess } from '#contract/access/sharing.ts'
import type { SharingChange } from '#contract/access/sharing-changes.ts'
import type { Session } from '#platform/db/db.ts'
import { principalIn } from '#tenancy/principals.ts'
import { affectedMembers, type Decisions, type People } from './affected-users.ts'
import type { NamedChange } from './named.ts'
import { mayName } from './refusals.ts'
import type { Sharer } from './sharer.ts'
import type { FoundPrincipal } from './statements.ts'
import { type GrantOnDocument, grantsOf, showingAccess } from './visible-access.ts'

interface Outcome {
  /** The stored grants before and after. */
  held: ReadonlyMap<string, FoundPrincipal>
  left: ReadonlyMap<string, FoundPrincipal>
  people: ReadonlyMap<string, People>
  before: Decisions
  after: Decisions
}

export async function resultOf(
  session: Session,
  sharer: Sharer,
  changes: readonly NamedChange[],
  { held, left, people, before, after }: Outcome,
): Promise<{ changes: SharingChange[]; user: { before: SharedAccess; after?: SharedAccess } }> {
  const userIds = [sharer.userId, ...changes.map(({ principal }) => principal)]
  const shown = userIds.flatMap((userId) => [before.get(userId), after.get(userId)])
  const show = await showingAccess(session, sharer, shown)
  const accesses = (from: SharedAccess | undefined, to: SharedAccess | undefined) => ({
    ...(from && { before: from }),
    ...(to && { after: to }),
  })
  const changeOf = ({ principal }: NamedChange): SharingChange => {
    const holder = principalIn(principal)
    const [had, has] = [held, left].map((found) => grantsIn(found.get(principal))) as [Grants, Grants]
    // Nothing is said about people whom the sharer may not know.
    if (!mayName(sharer, principal, held.get(principal), before.get(principal)))
      return { ...holder, effect: 'unchanged' }
    const effect = effectOf(had, has)
    if ('userId' in holder)
      return { ...holder, effect, ...accesses(show(before.get(principal)), show(after.get(principal))) }
    const members = affectedMembers(people.get(principal) ?? { userIds: [], hasMore: false }, before, after)
    return { ...holder, effect, ...accesses(strongest(had), strongest(has)), members }
  }
  const own = accesses(show(before.get(sharer.userId)), show(after.get(sharer.userId)))
  if (own.before === undefined) throw new Error('whoever shares has access')
  return { changes: changes.map(changeOf), user: { ...own, before: own.before } }
}

type Grants = readonly GrantOnDocument[]

const grantsIn = (found: FoundPrincipal | undefined): Grants => (found === undefined ? [] : grantsOf(found))

/** If two grants are equally strong, the standing one, which is the first, lasts longer. */
const strongest = (grants: Grants): SharedAccess | undefined =>
  grants.toSorted(
    (one, other) =>
      Number(isStronger(other.accessRole, one.accessRole)) - Number(isStronger(one.accessRole, other.accessRole)),
  )[0]

function effectOf(had: Grants, has: Grants): SharingChange['effect'] {
  if (JSON.stringify(had) === JSON.stringify(has)) return 'unchanged'
  if (had.length === 0) return 'given'
  return has.length === 0 ? 'removed' : 'changed'
}
