/** The SQL statements that list what a user has access to by scanning all resources of an organization (ADR 0014). */
import { isLive } from '#tenancy/grants.ts'
import { GRANTED, grantsOf, LEVELS_MAX, opens, ROLE_SUFFICES } from './resource-list-parts.ts'
import { type ListedKind, type ListStatement, list, NOTHING_INSIDE } from './resource-list-statements.ts'

/** Up to this many grants on the organization and its folders are compared with a path; more are probed one by one. */
const HELD_MAX = 100

const ENTERS = /* sql */ `(${opens('coalesce(f.boundary_access_type, a.default_access_type)')}
                 or case when cardinality(a.held) <= ${HELD_MAX}
                         then f.path[f.boundary_depth:] && (select resource_keys from live)
                         else exists (
                           select from unnest(f.path[f.boundary_depth:]) as above(resource_key)
                            cross join unnest(a.principals) as p(principal)
                            cross join lateral (
                              select from grants g
                               where g.organization_key = a.organization_key and g.resource_key = above.resource_key and g.principal = p.principal
                                 and ${isLive('g')} limit 1
                            ) g) end)`

/** Whether a statement examines the scanned resource: the first one always, so that every statement gets further. */
const isExamined = (scanned: string) => `(${scanned}.nth = 1 or ${scanned}.levels <= ${LEVELS_MAX})`

/**
 * Scans resources in key order: at most `examinedMax`, stopping when `decisions` are found, which is why `scanned` is not materialized. `rows`
 * is the condition on the resources `r`, `folder` the key of a resource's folder, `opened` whether the user has access.
 */
const scan = (rows: string, folder: string, opened: string) => /* sql */ `
  live as materialized (
    select array_agg(h.resource_key) as resource_keys from ${grantsOf('a.held', 'h')} where ${isLive('h')}
  ),
  scanned as not materialized (
    select w.*, f.*, row_number() over scan_order as nth,
           coalesce(sum(cardinality(f.path)) over scan_order, 0) * cardinality(a.principals) as levels
      from (select r.resource_key, r.kind, r.id, r.disabled, r.own_access_type, ${folder} as parent_key from resources r
             where r.organization_key = a.organization_key and r.resource_key > a.after_key and a.is_open and ${rows}
             order by r.resource_key limit a.examined_max) w
      left join lateral (
        select f.path, f.boundary_depth, f.boundary_access_type from resources f
         where f.organization_key = a.organization_key and f.resource_key = w.parent_key limit 1
      ) f on true
    window scan_order as (order by w.resource_key rows unbounded preceding)
  ),
  matched as materialized (
    select f.resource_key, case when not f.disabled then f.id end as id, f.kind = 'folder' or f.own_access_type is not null as is_itself,
           f.parent_key, f.path, f.boundary_depth, f.boundary_access_type
      from scanned f
     where ${isExamined('f')} and f.path[cardinality(a.scope_path)] = a.scope_key and ${opened} and ${ROLE_SUFFICES}
     order by f.resource_key limit a.decisions
  ),
  ended as (
    select (array_agg(p.resource_key order by p.nth desc) filter (where ${isExamined('p')}))[1] as resource_key
      from scanned p having bool_or(p.nth = a.examined_max or not ${isExamined('p')})
  ),
  bound as (
    select coalesce((select w.resource_key from matched w order by w.resource_key offset a.decisions - 1 limit 1),
                    (select e.resource_key from ended e)) as resource_key
  )`

/** The documents that were matched and share the decision of their folder. */
const INSIDE = /* sql */ `
  inside as materialized (
    select m.path, m.boundary_depth, m.boundary_access_type, array_agg(m.resource_key order by m.resource_key) as keys, array_agg(m.id order by m.resource_key) as ids
      from matched m where not m.is_itself group by m.parent_key, m.path, m.boundary_depth, m.boundary_access_type
  )`

const COMMON = { heldMax: String(HELD_MAX), tooMany: 'false' }

const MATCHED = /* sql */ `
      select m.resource_key from matched m where m.is_itself`

/** Lists by scanning at most `examinedMax` resources: for a user with access to most of them. */
export const LIST_BY_SCAN: Readonly<Record<ListedKind, ListStatement>> = {
  folder: list('permitted-resources.walk-folders', {
    ...COMMON,
    found: `${scan('r.path is not null and r.resource_key <> a.organization_key', 'r.resource_key', ENTERS)},${NOTHING_INSIDE}`,
    sources: MATCHED,
  }),
  document: list('permitted-resources.walk-documents', {
    ...COMMON,
    found: `${scan(
      'true',
      'coalesce(r.folder_key, r.organization_key)',
      /* sql */ `f.kind = 'document'
       and case when f.own_access_type is null then ${ENTERS} else ${opens('f.own_access_type')} end`,
    )},${INSIDE}`,
    sources: `${MATCHED}
      union all${GRANTED}`,
  }),
}
