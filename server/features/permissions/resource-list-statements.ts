/**
 * The SQL texts that list what a user has access to. Each looks for candidates in the order of resource_key, and every
 * candidate is then decided by the text that all decisions have: a candidate too many costs time and nothing else. What
 * is found is all there is up to `examinedTo`, so that the next statement goes on from there, in whatever way (ADR 0014).
 */

import type { ResourceType } from '#contract/permissions.ts'
import { statement } from '#platform/db/statement.ts'
import { DECISION_COLUMNS, type DecisionRow, decided } from './decision-statements.ts'

export type ListedKind = Exclude<ResourceType, 'organization'>

/** The columns of a resource are null in the one row that is there when nothing was found. */
export interface ListedResourceRow extends DecisionRow {
  kind: ListedKind | null
  resourceId: string
  resourceKey: string | null
  /** Everything up to this key was looked at; null: everything. */
  examinedTo: string | null
  /** There are more open folders than asked for: nothing was looked at. */
  tooMany: boolean
}

export const LAST_KEY = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

/**
 * Grants above a folder may be looked for level by level. One statement looks at so many levels and then as far as it
 * came, or it would take a hundred times as long among the deepest folders as at the top.
 */
export const LEVELS_MAX = 200_000

export const IS_LIVE = /* sql */ `(g.expires_at is null or g.expires_at > coalesce($now, clock_timestamp()))`

export const opens = (accessType: string): string =>
  /* sql */ `(${accessType} = 'public' or ${accessType} = 'organizationPrivate' and (select is_member from member))`

/** Whether what follows folder `f` can have the role asked for: not where the nearest grant makes the user a viewer. */
export const ROLE_SUFFICES = /* sql */ `($4::access_role is distinct from 'editor' or 'viewer' is distinct from (
           select g.role from unnest(f.path) with ordinality as above(resource_key, position)
            cross join lateral (
              select g.role from grants g
               where g.organization_key = $1 and g.resource_key = above.resource_key and g.user_id = $2 and ${IS_LIVE} limit 1
            ) g
            order by above.position desc limit 1))`

/** `member`: whether the user is one. `scope`: the path of what is listed, the organization's or a folder's; none if nobody has access. */
const ASKED = /* sql */ `
  member as materialized (
    select exists (
      select from grants g where g.organization_key = $1 and g.resource_key = $1 and g.user_id = $2 and ${IS_LIVE}
    ) as is_member
  ),
  scope as materialized (
    select r.path from resources r join organizations o on o.organization_key = r.organization_key
     where r.organization_key = $1 and r.resource_key = $7 and not o.disabled
  )`

/** Documents that a grant of their own may open, $6 at most. */
export const GRANTED = /* sql */ `
      (select g.resource_key from grants g
        where g.organization_key = $1 and g.user_id = $2 and g.kind = 'document' and g.resource_key > $5
        order by g.resource_key limit $6)`

/**
 * Decides candidates: of those in `sources` up to the key in `bound` the first $6. $1 is the organization's key, $2 the
 * user's id, $3 the default access type of the API key, $4 the role asked for, $5 the key to go on after, $7 the key of
 * the organization or folder of which everything is listed, $8 how much to look through.
 */
export const list = (name: string, found: string, sources: string, tooMany: string) =>
  statement<ListedResourceRow>(
    name,
    /* sql */ `
  with ${ASKED},${found},
  candidate as materialized (
    select c.resource_key, row_number() over (order by c.resource_key) as nth
      from (select distinct s.resource_key from (${sources}
           ) s
             where s.resource_key <= coalesce((select resource_key from bound), ${LAST_KEY}) and not ${tooMany}
               and exists (select from scope)) c
     order by c.resource_key limit $6::int
  ),
  question as (
    select c.resource_key, $1::uuid as organization_key, r.kind, r.id as resource_id, $2::text as user_id,
           $3::access_type as default_access_type, $4::access_role as at_least
      from candidate c
     cross join lateral (
        select r.kind, r.id, r.path, r.folder_key from resources r
         where r.organization_key = $1 and r.resource_key = c.resource_key limit 1
      ) r
      left join lateral (
        select f.path from resources f where f.organization_key = $1 and f.resource_key = r.folder_key limit 1
      ) f on true
     where (coalesce(r.path, f.path, array[$1::uuid]))[cardinality((select path from scope))] = $7
  ),
  ${decided('question item')}
  select d.kind, d.resource_id as "resourceId", d.resource_key as "resourceKey", ${DECISION_COLUMNS},
         coalesce((select c.resource_key from candidate c where c.nth = $6), (select resource_key from bound)) as "examinedTo",
         ${tooMany} as "tooMany"
    from (select) once left join decided d on d.allowed
   order by d.resource_key`,
  )
