/** The SQL statements that list what a user has access to by scanning all resources of an organization (ADR 0014). */
import type { Statement } from '#platform/db/statement.ts'
import {
  GRANTED,
  heldUpTo,
  IS_LIVE,
  LEVELS_MAX,
  type ListedKind,
  type ListedResourceRow,
  list,
  opens,
  PRINCIPALS,
  ROLE_SUFFICES,
} from './resource-list-statements.ts'

/** Up to this many grants on the organization and its folders are compared with a path; more are probed one by one. */
const HELD_MAX = 100

const ENTERS = /* sql */ `(${opens('coalesce(f.boundary_access_type, $3::access_type)')}
                 or case when (select not too_many from held)
                         then f.path[f.boundary_depth:] && (select resource_keys from held)
                         else exists (
                           select from unnest(f.path[f.boundary_depth:]) as above(resource_key)
                            cross join unnest(${PRINCIPALS}) as p(principal)
                            cross join lateral (
                              select from grants g
                               where g.organization_key = $1 and g.resource_key = above.resource_key and g.principal = p.principal
                                 and ${IS_LIVE} limit 1
                            ) g) end)`

/**
 * Scans resources in key order: at most $8, stopping when $6 are found, which is why `scanned` is not materialized. `rows`
 * is the condition on the resources `r`, `folder` the key of a resource's folder, `opened` whether the user has access.
 */
const scan = (rows: string, folder: string, opened: string) => /* sql */ `
  held as materialized (
    select array_agg(g.resource_key) filter (where g.live) as resource_keys, count(*) > ${HELD_MAX} as too_many
      from (${heldUpTo(`${HELD_MAX} + 1`)}) g
  ),
  scanned as not materialized (
    select w.*, f.*, row_number() over (order by w.resource_key) as nth,
           coalesce(sum(cardinality(f.path)) over (order by w.resource_key), 0) * cardinality(${PRINCIPALS}) as levels
      from (select r.resource_key, r.kind, r.own_access_type, ${folder} as parent_key from resources r
             where r.organization_key = $1 and r.resource_key > $5 and ${rows}
             order by r.resource_key limit $8) w
      left join lateral (
        select f.path, f.boundary_depth, f.boundary_access_type from resources f
         where f.organization_key = $1 and f.resource_key = w.parent_key limit 1
      ) f on true
  ),
  matched as materialized (
    select f.resource_key
      from scanned f
     where f.levels <= ${LEVELS_MAX} and f.path[cardinality((select path from scope))] = $7 and ${opened} and ${ROLE_SUFFICES}
     order by f.resource_key limit $6
  ),
  ended as (
    select (array_agg(p.resource_key order by p.nth desc) filter (where p.levels <= ${LEVELS_MAX}))[1] as resource_key
      from scanned p having bool_or(p.nth = $8 or p.levels > ${LEVELS_MAX})
  ),
  bound as (
    select coalesce((select w.resource_key from matched w order by w.resource_key offset $6::int - 1 limit 1),
                    (select e.resource_key from ended e)) as resource_key
  )`

/** Lists by scanning at most $8 resources: for a user with access to most of them. */
export const LIST_BY_SCAN: Readonly<Record<ListedKind, Statement<ListedResourceRow>>> = {
  folder: list(
    'permitted-resources.walk-folders',
    scan('r.path is not null and r.resource_key <> $1', 'r.resource_key', ENTERS),
    /* sql */ `
      select w.resource_key from matched w`,
    'false',
  ),
  document: list(
    'permitted-resources.walk-documents',
    scan(
      'true',
      'coalesce(r.folder_key, r.organization_key)',
      /* sql */ `f.kind = 'document'
       and case when f.own_access_type is null then ${ENTERS} else ${opens('f.own_access_type')} end`,
    ),
    /* sql */ `
      select w.resource_key from matched w
      union all${GRANTED}`,
    'false',
  ),
}
