/** Finds the resources and organizations that were probably meant by grants on ones that nobody added (rules/access.md#findings). */
import { isNearId } from '#contract/access/near-ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Db } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey as organizationKeyOf } from '#tenancy/callers/keys.ts'
import { isFilled, neighbours } from '#tenancy/filled-organizations.ts'
import type { GrantCandidate } from './grant-statements.ts'

/** Ids that begin alike: a misspelling is seldom in the first letters. */
const ALIKE_CHARACTERS = 3

/** Lists the ids of folders or documents (`$2`) of an organization that were added and begin like `$3`. */
export const FIND_ALIKE = statement<{ id: string }>(
  'findings.alike',
  /* sql */ `
  select r.id from resources r
   where r.organization_key = $1 and r.kind = $2::resource_kind and r.id >= $3::text and r.id < $3::text || chr(1114111)
     and r.added_at is not null order by r.id limit 1000`,
)

/** Lists the ids of the organizations of key `$1` that are next to the id `$2`. */
export const FIND_NEIGHBOURS = statement<{ id: string }>(
  'findings.neighbours',
  /* sql */ `
  select o.organization_id as id from ${neighbours('$1::text', '$2::text')} o`,
)

/**
 * Lists the organizations among the keys `$1` that have a name, folders or documents, in the order of their ids, and
 * whether the folder or document (`$2`) with the id `$3` was added there.
 */
export const FIND_FILLED = statement<{ id: string; hasResource: boolean }>(
  'findings.filled',
  /* sql */ `
  select o.organization_id as id, coalesce(r.added_at is not null, false) as "hasResource"
    from unnest($1::uuid[]) as wanted (organization_key)
   cross join lateral (select * from organizations o where o.organization_key = wanted.organization_key limit 1) o
    left join lateral (
       select * from resources r
        where r.organization_key = o.organization_key and r.kind = $2::resource_kind and r.id = $3::text limit 1
    ) r on true
   where not o.disabled and ${isFilled}
   order by o.organization_id`,
)

/** The resource or organization that was probably meant by a grant. */
export interface Meant {
  /** An added folder or document of the same organization. */
  id?: string
  /** An organization that has a name, folders or documents, unlike that of the grant; and whether it has the resource. */
  organization?: { id: string; hasResource: boolean }
}

/** Returns a function that says what was probably meant by a grant on something that was never added. */
export async function findMisspellings(
  db: Db,
  caller: Pick<Caller, 'apiKeyId'>,
  rows: readonly GrantCandidate[],
): Promise<(row: GrantCandidate) => Meant> {
  const meant = new Map<GrantCandidate, Meant>()
  for (const row of rows.filter(({ isDeclared }) => isDeclared).slice(0, LIMITS.findingsPerKindMax)) {
    const start = [...row.id].slice(0, ALIKE_CHARACTERS).join('')
    const alike = await db.run(FIND_ALIKE, [organizationKeyOf(caller, row.organizationId), row.type, start])
    const id = nearestOf(row.id, alike)
    if (id !== undefined) meant.set(row, { id })
  }
  const inBare = Map.groupBy(
    rows.filter(({ isBare }) => isBare),
    ({ organizationId }) => organizationId,
  )
  for (const [organizationId, grants] of [...inBare].slice(0, LIMITS.findingsPerKindMax)) {
    const found = await db.run(FIND_NEIGHBOURS, [caller.apiKeyId, organizationId])
    const near = found.filter(({ id }) => isNearId(id, organizationId)).map(({ id }) => organizationKeyOf(caller, id))
    for (const row of near.length === 0 ? [] : grants.slice(0, LIMITS.findingsPerKindMax)) {
      const filled = await db.run(FIND_FILLED, [near, row.type, row.id])
      const organization = filled.find(({ hasResource }) => hasResource) ?? filled[0]
      if (organization !== undefined) meant.set(row, { organization })
    }
  }
  return (row) => meant.get(row) ?? {}
}

/** Returns the id that is nearest to be meant: the first nearly the same. */
const nearestOf = (id: string, others: readonly { id: string }[]): string | undefined =>
  others.find((other) => other.id !== id && isNearId(other.id, id))?.id
