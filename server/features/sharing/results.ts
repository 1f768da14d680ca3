/** What a change of sharing reports: of everybody it names, the access before and after. */
import type { SharedAccess, SharingChange } from '#contract/access/sharing.ts'
import type { Session } from '#platform/db/db.ts'
import { principalIn } from '#tenancy/principals.ts'
import { affectedMembers, type Decisions, type People } from './decided.ts'
import type { NamedChange } from './named.ts'
import { isKnownTo } from './refusals.ts'
import type { Sharer } from './sharer.ts'
import { type GrantOnDocument, grantsOf, showingAccess } from './shown.ts'
import type { FoundPrincipal } from './statements.ts'

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
    // Of somebody whom the sharer may not know, nothing is said.
    if (!isKnownTo(sharer, principal, held.get(principal), before.get(principal)))
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

/** The last one is the temporary one; sharing leaves one alone. */
const strongest = (grants: Grants): SharedAccess | undefined => grants.at(-1)

function effectOf(had: Grants, has: Grants): SharingChange['effect'] {
  if (JSON.stringify(had) === JSON.stringify(has)) return 'unchanged'
  if (had.length === 0) return 'given'
  return has.length === 0 ? 'removed' : 'changed'
}
