/** The SQL statements that list what a user has access to, folder by folder (ADR 0014). */
import {
  ALONE,
  entrances,
  GRANTED,
  LAST_KEY,
  LEVELS_MAX,
  NOTHING_INSIDE,
  ROLE_SUFFICES,
  TYPED,
} from './resource-parts.ts'
import { type ListedKind, type ListStatement, list } from './resource-statements.ts'

/** `place`: the accessible folders, including the organization's top level; empty if `too_many`. */
const PLACES = /* sql */ `
  ${entrances('a.examined_max')},
  entered as materialized (
    select f.*
      from entrance e
     cross join lateral (
        select f.resource_key, f.path, f.boundary_depth, f.boundary_access_type from resources f
         where f.organization_key = a.organization_key and f.boundary_key = e.boundary_key
           and f.path >= e.path and f.path < e.path || ${LAST_KEY} offset 0
      ) f
     where a.is_open
     limit a.examined_max + 1
  ),
  amount as materialized (
    select a.examined_max < greatest(cardinality(a.held), (select count(*) from open_boundary), (select count(*) from entered))
           or coalesce(a.at_least, 'viewer') > 'viewer'
              and (select coalesce(sum(cardinality(path)), 0) from entered) * cardinality(a.principals) > ${LEVELS_MAX} as too_many
  ),
  place as materialized (
    select distinct on (f.resource_key) f.* from entered f where ${ROLE_SUFFICES} and not (select too_many from amount)
  )`

const COMMON = { heldMax: 'item.examined_max', tooMany: `(select too_many from amount)` }

/**
 * Lists the contents of the accessible folders if there are at most `examinedMax`. From each folder it reads the number of documents
 * that a page is likely to need if documents are spread evenly. Keys after the last one read of a folder with more
 * documents are left to the next statement.
 */
export const LIST_BY_FOLDER: Readonly<Record<ListedKind, ListStatement>> = {
  folder: list('permitted-resources.list-folders', {
    ...COMMON,
    found: `${PLACES},${NOTHING_INSIDE},
  bound as (select null::uuid as resource_key)`,
    sources: /* sql */ `
      select p.resource_key, ${ALONE} from place p where p.resource_key > a.after_key and p.resource_key <> a.organization_key`,
  }),
  document: list('permitted-resources.list-documents', {
    ...COMMON,
    found: /* sql */ `${PLACES},
  share as materialized (
    select least(a.decisions, ceil(a.decisions / places + 3 * sqrt(a.decisions / places)) + 3)::int as documents
      from (select greatest(count(*), 1)::float8 as places from place p) p
  ),
  inside as materialized (
    select p.path, p.boundary_depth, p.boundary_access_type, d.keys, d.ids
      from place p
     cross join lateral (
        select array_agg(d.resource_key) as keys, array_agg(d.id) as ids
          from (select r.resource_key, case when not r.disabled then r.id end as id from resources r
                 where r.organization_key = a.organization_key and coalesce(r.folder_key, r.organization_key) = p.resource_key
                   and r.kind = 'document' and r.own_access_type is null and r.resource_key > a.after_key
                 order by r.resource_key limit (select documents from share)) d
      ) d
  ),
  bound as (
    select least((select i.keys[share.documents] from inside i where cardinality(i.keys) = share.documents order by 1 limit 1),
                 case when (select sum(cardinality(i.keys)) from inside i) >= a.decisions
                      then (select k.resource_key from inside i cross join unnest(i.keys) as k(resource_key)
                             order by 1 offset a.decisions - 1 limit 1) end) as resource_key
      from share
  )`,
    sources: `${TYPED}
      union all${GRANTED}`,
  }),
}
