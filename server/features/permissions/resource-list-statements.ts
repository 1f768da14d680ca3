/**
 * The parts shared by the SQL statements that list what a user has access to. Each statement finds candidates in the order
 * of resource_key, and decides them with the SQL of all decisions: an unnecessary candidate costs only time. The result is
 * complete up to `examinedTo`, so the next statement can continue there with either strategy (ADR 0014).
 */

import type { ResourceType } from '#contract/permissions.ts'
import { statement } from '#platform/db/statement.ts'
import { isLive, liveRole } from '#tenancy/grants.ts'
import { groupPrincipal } from '#tenancy/principals.ts'
import { DECISION_COLUMNS, type DecisionRow } from './decision-rows.ts'
import { decided } from './decision-statements.ts'

export type ListedKind = Exclude<ResourceType, 'organization'>

/** If nothing was found, there is one row whose resource columns are null. */
export interface ListedResourceRow extends DecisionRow {
  kind: ListedKind | null
  resourceId: string
  resourceKey: string | null
  /** Everything up to this key was examined; null: everything. */
  examinedTo: string | null
  /** More folders are accessible than the limit: nothing was examined. */
  tooMany: boolean
}

export const LAST_KEY = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

/**
 * The maximum number of levels, times principals, at which one statement searches grants above folders. Without a limit, a statement would
 * take a hundred times as long among the deepest folders as at the top.
 */
export const LEVELS_MAX = 200_000

export const IS_LIVE = isLive('g')

export const opens = (accessType: string): string =>
  /* sql */ `(${accessType} = 'public' or ${accessType} = 'organizationPrivate' and (select is_member from member))`

/** The user and the groups that the user is in; an array. */
export const PRINCIPALS = '(select principals from holder)::text[]'

/** Whether the user can have the requested role on resources in folder `f`: not if the nearest grant makes the user a viewer. */
export const ROLE_SUFFICES = /* sql */ `($4::access_role is distinct from 'editor' or 'viewer' is distinct from (
           select g.role from unnest(f.path) with ordinality as above(resource_key, position)
            cross join lateral (
              select max(g.role) as role
                from unnest(${PRINCIPALS}) as p(principal)
               cross join lateral (
                  select ${liveRole('g')} as role from grants g
                   where g.organization_key = $1 and g.resource_key = above.resource_key and g.principal = p.principal limit 1
                ) g
            ) g
             where g.role is not null order by above.position desc limit 1))`

/** `member`: whether the user is a member. `holder`: who the grants of the user belong to. `scope`: the path of the organization or folder that is listed; no row if the organization is disabled. */
const SCOPE = /* sql */ `
  member as materialized (
    select exists (
      select from grants g where g.organization_key = $1 and g.resource_key = $1 and g.principal = $2 and ${IS_LIVE}
    ) as is_member
  ),
  holder as materialized (
    select array[$2::text] || case when member.is_member and o.has_group_grants
                                   then array(select ${groupPrincipal('m.group_id')} from user_group_members m
                                               where m.organization_key = $1 and m.user_id = $2) end as principals
      from organizations o, member where o.organization_key = $1
  ),
  scope as materialized (
    select r.path from resources r join organizations o on o.organization_key = r.organization_key
     where r.organization_key = $1 and r.resource_key = $7 and not o.disabled
  )`

/** The grants on the organization and its folders, at most `limit` of each principal. */
export const heldUpTo = (limit: string): string => /* sql */ `
      select g.resource_key, g.live
        from unnest(${PRINCIPALS}) as p(principal)
       cross join lateral (
          select g.resource_key, ${IS_LIVE} as live from grants g
           where g.organization_key = $1 and g.principal = p.principal and g.kind < 'document' limit ${limit}
        ) g`

/** Documents with a grant of their own, at most $6 of each principal. */
export const GRANTED = /* sql */ `
      (select g.resource_key
         from unnest(${PRINCIPALS}) as p(principal)
        cross join lateral (
           select g.resource_key from grants g
            where g.organization_key = $1 and g.principal = p.principal and g.kind = 'document' and g.resource_key > $5
            order by g.resource_key limit $6
         ) g)`

/**
 * Returns a statement that decides the first $6 candidates of `sources`, up to the key in `bound`. $1 is the organization's
 * key, $2 the user id, $3 the default access type of the API key, $4 the requested role, $5 the key to continue after, $7
 * the key of the organization or folder to list, $8 the maximum number of folders or resources to examine.
 */
export const list = (name: string, found: string, sources: string, tooMany: string) =>
  statement<ListedResourceRow>(
    name,
    /* sql */ `
  with ${SCOPE},${found},
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
