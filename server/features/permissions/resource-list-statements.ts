/**
 * The SQL texts that list what a user has access to. Each looks for candidates in the order of resource_key, and every
 * candidate is then decided by the text that all decisions have: a candidate too many costs time and nothing else. What
 * is found is all there is up to `examinedTo`, so that the next statement goes on from there, in whatever way (ADR 0014).
 */

import type { ResourceType } from '#contract/permissions.ts'
import { type Statement, statement } from '#platform/db/statement.ts'
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

const LAST_KEY = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

/**
 * Grants above a folder may be looked for level by level. One statement looks at so many levels and then as far as it
 * came, or it would take a hundred times as long among the deepest folders as at the top.
 */
const LEVELS_MAX = 200_000

const IS_LIVE = /* sql */ `(g.expires_at is null or g.expires_at > coalesce($now, clock_timestamp()))`

const opens = (accessType: string): string =>
  /* sql */ `(${accessType} = 'public' or ${accessType} = 'organizationPrivate' and (select is_member from member))`

/** Whether what follows folder `f` can have the role asked for: not where the nearest grant makes the user a viewer. */
const ROLE_SUFFICES = /* sql */ `($4::access_role is distinct from 'editor' or 'viewer' is distinct from (
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

/**
 * `held`: the grants on the organization and its folders. `entrance`: boundaries of which all is open that lies at or
 * below a path. `place`: what is open, the organization itself (its top) among the folders; nothing if `too_many`.
 */
const PLACES = /* sql */ `
  held as materialized (
    select g.resource_key, ${IS_LIVE} as live from grants g
     where g.organization_key = $1 and g.user_id = $2 and g.kind < 'document' limit $8::int + 1
  ),
  open_boundary as materialized (
    select b.resource_key
      from (select $1::uuid as resource_key where ${opens('$3::access_type')}
            union all
            select f.resource_key from resources f
             where f.organization_key = $1 and f.own_access_type = 'public' and f.kind = 'folder'
            union all
            select f.resource_key from resources f
             where f.organization_key = $1 and f.own_access_type = 'organizationPrivate' and f.kind = 'folder'
               and (select is_member from member)) b
     limit $8::int + 1
  ),
  entrance as (
    select b.resource_key as boundary_key, s.path from open_boundary b, scope s
    union all
    select top.boundary_key, greatest(top.path, s.path)
      from held h
     cross join scope s
     cross join lateral (
        select r.boundary_key, r.path from resources r
         where r.organization_key = $1 and r.resource_key = h.resource_key limit 1
      ) top
     where h.live and not exists (select from open_boundary b where b.resource_key = top.boundary_key)
       and (top.path[cardinality(s.path)] = $7 or s.path[cardinality(top.path)] = h.resource_key)
  ),
  entered as materialized (
    select f.resource_key, f.path
      from entrance e
     cross join lateral (
        select f.resource_key, f.path from resources f
         where f.organization_key = $1 and f.boundary_key = e.boundary_key
           and f.path >= e.path and f.path < e.path || ${LAST_KEY} offset 0
      ) f
     limit $8::int + 1
  ),
  amount as materialized (
    select $8 < greatest((select count(*) from held), (select count(*) from open_boundary), (select count(*) from entered))
           or $4::access_role is not distinct from 'editor' and (select coalesce(sum(cardinality(path)), 0) from entered) > ${LEVELS_MAX} as too_many
  ),
  place as materialized (
    select distinct f.resource_key from entered f where ${ROLE_SUFFICES} and not (select too_many from amount)
  )`

/** Documents that a grant of their own may open, $6 at most. */
const GRANTED = /* sql */ `
      (select g.resource_key from grants g
        where g.organization_key = $1 and g.user_id = $2 and g.kind = 'document' and g.resource_key > $5
        order by g.resource_key limit $6)`

/** The same for an access type of their own. */
const TYPED = /* sql */ `
      (select r.resource_key from resources r
        where r.organization_key = $1 and r.own_access_type = 'public' and r.kind = 'document' and r.resource_key > $5
        order by r.resource_key limit $6)
      union all
      (select r.resource_key from resources r
        where r.organization_key = $1 and r.own_access_type = 'organizationPrivate' and r.kind = 'document'
          and r.resource_key > $5 and (select is_member from member)
        order by r.resource_key limit $6)`

/**
 * Decides candidates: of those in `sources` up to the key in `bound` the first $6. $1 is the organization's key, $2 the
 * user's id, $3 the default access type of the API key, $4 the role asked for, $5 the key to go on after, $7 the key of
 * the organization or folder of which everything is listed, $8 how much to look through.
 */
const list = (name: string, found: string, sources: string, tooMany: string) =>
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

const TOO_MANY = `(select too_many from amount)`

/**
 * By way of the places that are open, if they are not more than $8. Of each as many documents are looked at as a page of
 * documents spread evenly is likely to have, and what lies after the last of a place that has more is left for later.
 */
export const LIST_BY_PLACE: Readonly<Record<ListedKind, Statement<ListedResourceRow>>> = {
  folder: list(
    'permitted-resources.list-folders',
    `${PLACES},
  bound as (select null::uuid as resource_key)`,
    /* sql */ `
      select p.resource_key from place p where p.resource_key > $5 and p.resource_key <> $1`,
    TOO_MANY,
  ),
  document: list(
    'permitted-resources.list-documents',
    /* sql */ `${PLACES},
  share as materialized (
    select least($6, ceil($6 / places + 3 * sqrt($6 / places)) + 3)::int as documents
      from (select greatest(count(*), 1)::float8 as places from place) p
  ),
  inside as materialized (
    select d.resource_key, d.nth
      from place p
     cross join lateral (
        select d.resource_key, row_number() over (order by d.resource_key) as nth
          from (select r.resource_key from resources r
                 where r.organization_key = $1 and coalesce(r.folder_key, r.organization_key) = p.resource_key
                   and r.kind = 'document' and r.own_access_type is null and r.resource_key > $5
                 order by r.resource_key limit (select documents from share)) d
      ) d
  ),
  bound as (
    select (select i.resource_key from inside i where i.nth = (select documents from share)
             order by i.resource_key limit 1) as resource_key
  )`,
    /* sql */ `
      select i.resource_key from inside i
      union all${GRANTED}
      union all${TYPED}`,
    TOO_MANY,
  ),
}

/** The grants on the organization and its folders that are looked for in a path by comparing; more are probed. */
const HELD_MAX = 100

const ENTERS = /* sql */ `(${opens('coalesce(f.boundary_access_type, $3::access_type)')}
                 or case when (select not too_many from held)
                         then f.path[f.boundary_depth:] && (select resource_keys from held)
                         else exists (
                           select from unnest(f.path[f.boundary_depth:]) as above(resource_key)
                            cross join lateral (
                              select from grants g
                               where g.organization_key = $1 and g.resource_key = above.resource_key and g.user_id = $2
                                 and ${IS_LIVE} limit 1
                            ) g) end)`

/**
 * One after the other, as they come by: at most $8, and no further than it takes to find $6, for which `passed` is read as
 * it is made. `rows` are those of `r`, `place` where one lies.
 */
const walk = (rows: string, place: string, opened: string) => /* sql */ `
  held as materialized (
    select array_agg(g.resource_key) filter (where g.live) as resource_keys, count(*) > ${HELD_MAX} as too_many
      from (select g.resource_key, ${IS_LIVE} as live from grants g
             where g.organization_key = $1 and g.user_id = $2 and g.kind < 'document' limit ${HELD_MAX} + 1) g
  ),
  passed as not materialized (
    select w.*, f.*, row_number() over (order by w.resource_key) as nth,
           coalesce(sum(cardinality(f.path)) over (order by w.resource_key), 0) as levels
      from (select r.resource_key, r.kind, r.own_access_type, ${place} as place_key from resources r
             where r.organization_key = $1 and r.resource_key > $5 and ${rows}
             order by r.resource_key limit $8) w
      left join lateral (
        select f.path, f.boundary_depth, f.boundary_access_type from resources f
         where f.organization_key = $1 and f.resource_key = w.place_key limit 1
      ) f on true
  ),
  walked as materialized (
    select f.resource_key
      from passed f
     where f.levels <= ${LEVELS_MAX} and f.path[cardinality((select path from scope))] = $7 and ${opened} and ${ROLE_SUFFICES}
     order by f.resource_key limit $6
  ),
  ended as (
    select (array_agg(p.resource_key order by p.nth desc) filter (where p.levels <= ${LEVELS_MAX}))[1] as resource_key
      from passed p having bool_or(p.nth = $8 or p.levels > ${LEVELS_MAX})
  ),
  bound as (
    select coalesce((select w.resource_key from walked w order by w.resource_key offset $6::int - 1 limit 1),
                    (select e.resource_key from ended e)) as resource_key
  )`

/** By going through all there is, $8 at most: for a user to whom much is open. */
export const LIST_BY_WALK: Readonly<Record<ListedKind, Statement<ListedResourceRow>>> = {
  folder: list(
    'permitted-resources.walk-folders',
    walk('r.path is not null and r.resource_key <> $1', 'r.resource_key', ENTERS),
    /* sql */ `
      select w.resource_key from walked w`,
    'false',
  ),
  document: list(
    'permitted-resources.walk-documents',
    walk(
      'true',
      'coalesce(r.folder_key, r.organization_key)',
      /* sql */ `f.kind = 'document'
       and case when f.own_access_type is null then ${ENTERS} else ${opens('f.own_access_type')} end`,
    ),
    /* sql */ `
      select w.resource_key from walked w
      union all${GRANTED}`,
    'false',
  ),
}
