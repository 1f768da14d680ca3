/** The SQL statements that list what a user has access to by scanning the resources of an organization or of a few shelves (ADR 0014). */
import { isLive, kindOnPath } from '#tenancy/grants.ts'
import {
  ALONE,
  decisivePath,
  entrances,
  GRANTED,
  grantsOf,
  LAST_KEY,
  LEVELS_MAX,
  NOTHING_INSIDE,
  opens,
  ROLE_SUFFICES,
  TYPED,
} from './resource-parts.ts'
import { type ListedKind, type ListStatement, list } from './resource-statements.ts'

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
                                 and g.kind = ${kindOnPath('above.resource_key', 'a.organization_key')} and ${isLive('g')} limit 1
                            ) g) end)`

/** A scan merges at most this many shelves. */
const SHELVES_MAX = 4
/** The maximum number of open boundaries, and of folders that were moved from another shelf, that are read to find the shelves. */
const ENTRANCES_MAX = 100

/**
 * `shelves`: the shelves with all documents to which the user has access by their folders (ADR 0053); null if there are
 * too many, or if some documents are at the top level. A folder that an entrance opens is on the shelf of the entrance,
 * or was moved there from another one.
 */
const SHELVES = /* sql */ `
  ${entrances(String(ENTRANCES_MAX))},
  moved as materialized (
    select f.shelf_key
      from entrance e
     cross join lateral (
        select f.shelf_key from resources f
         where f.organization_key = a.organization_key and f.boundary_key = e.boundary_key and f.path >= e.path and f.path < e.path || ${LAST_KEY}
           and f.shelf_key <> f.path[2] offset 0
      ) f
     limit ${ENTRANCES_MAX} + 1
  ),
  shelves as materialized (
    select case when coalesce(bool_and(s.shelf_key is not null), true) and count(*) <= ${SHELVES_MAX} and cardinality(a.held) <= ${HELD_MAX}
                     and ${ENTRANCES_MAX} >= greatest((select count(*) from open_boundary), (select count(*) from moved))
                then coalesce(array_agg(s.shelf_key), '{}') end as keys
      from (select (greatest(e.path, b.path))[2] as shelf_key
              from entrance e
             cross join lateral (
                select r.path from resources r where r.organization_key = a.organization_key and r.resource_key = e.boundary_key limit 1
              ) b
            union
            select m.shelf_key from moved m) s
  )`

const SCANNED = 'r.resource_key, r.kind, r.id, r.disabled, r.own_access_type, r.folder_key'
const IN_ORDER = 'r.organization_key = a.organization_key and r.resource_key > a.after_key and a.is_open'

/** The documents on the shelves, which are merged, or of the whole organization, in the order of keys as far as they are needed. */
const ON_SHELVES = Array.from(
  { length: SHELVES_MAX },
  (_, nth) => /* sql */ `
              union all
              (select ${SCANNED} from resources r
                where ${IN_ORDER} and r.kind = 'document' and r.shelf_key = (select keys[${nth + 1}] from shelves) order by r.resource_key)`,
).join('')

/** Whether a statement examines the scanned resource: the first one always, so that every statement gets further. */
const isExamined = (scanned: string) => `(${scanned}.nth = 1 or ${scanned}.levels <= ${LEVELS_MAX})`

/**
 * Scans resources in key order: at most `examinedMax`, stopping when `decisions` are found, which is why `scanned` is
 * not materialized. `rows` selects the resources, `parent` is the key of the folder of a resource `r`, `opened` whether
 * the user has access.
 */
const scan = (rows: string, parent: string, opened: string) => /* sql */ `
  live as materialized (
    select array_agg(h.resource_key) as resource_keys from ${grantsOf('a.held', 'h')} where ${isLive('h')}
  ),
  scanned as not materialized (
    select w.*, f.*, row_number() over scan_order as nth,
           coalesce(sum(cardinality(f.path)) over scan_order, 0) * cardinality(a.principals) as levels
      from (select r.resource_key, r.kind, r.id, r.disabled, r.own_access_type, ${parent} as parent_key
              from (${rows}) r
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

/** The documents that were matched and share a decision: together, because they are in many folders. */
const INSIDE = /* sql */ `
  inside as materialized (
    select decisive.path, m.boundary_depth, m.boundary_access_type, array_agg(m.resource_key order by m.resource_key) as keys, array_agg(m.id order by m.resource_key) as ids
      from matched m
     cross join lateral (select ${decisivePath('m')} as path) decisive
     where not m.is_itself group by decisive.path, m.boundary_depth, m.boundary_access_type
  )`

const COMMON = { heldMax: String(HELD_MAX), tooMany: 'false' }

const MATCHED = /* sql */ `
      select m.resource_key, ${ALONE} from matched m where m.is_itself`

/** Lists by scanning at most `examinedMax` resources: for a user with access to most of them. */
export const LIST_BY_SCAN: Readonly<Record<ListedKind, ListStatement>> = {
  folder: list('permitted-resources.walk-folders', {
    ...COMMON,
    found: `${scan(
      /* sql */ `select ${SCANNED} from resources r where ${IN_ORDER} and r.kind = 'folder' and r.path is not null`,
      'r.resource_key',
      ENTERS,
    )},${NOTHING_INSIDE}`,
    sources: MATCHED,
  }),
  document: list('permitted-resources.walk-documents', {
    ...COMMON,
    found: `${SHELVES},${scan(
      /* sql */ `
              (select ${SCANNED} from resources r where ${IN_ORDER} and (select keys is null from shelves) order by r.resource_key)${ON_SHELVES}`,
      'coalesce(r.folder_key, a.organization_key)',
      /* sql */ `f.kind = 'document'
       and case when f.own_access_type is null then ${ENTERS} else ${opens('f.own_access_type')} end`,
    )},${INSIDE}`,
    sources: `${MATCHED}
      union all${GRANTED}
      union all
      select t.* from (${TYPED}) t where (select keys is not null from shelves)`,
  }),
}
