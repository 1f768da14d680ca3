/** The SQL statements that list what a user has access to, folder by folder (ADR 0014). */
import type { Statement } from '#platform/db/statement.ts'
import {
  GRANTED,
  heldUpTo,
  LAST_KEY,
  LEVELS_MAX,
  type ListedKind,
  type ListedResourceRow,
  list,
  opens,
  PRINCIPALS,
  ROLE_SUFFICES,
} from './resource-list-statements.ts'

/**
 * `held`: the grants on the organization and its folders. `entrance`: boundaries, each with a path at and below which
 * everything that shares the boundary is accessible. `place`: the accessible folders, including the organization's top
 * level; empty if `too_many`.
 */
const PLACES = /* sql */ `
  held as materialized (
    select * from (${heldUpTo('$8::int + 1')}) held limit $8::int + 1
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
           or $4::access_role is not distinct from 'editor' and (select coalesce(sum(cardinality(path)), 0) from entered) * cardinality(${PRINCIPALS}) > ${LEVELS_MAX} as too_many
  ),
  place as materialized (
    select distinct f.resource_key from entered f where ${ROLE_SUFFICES} and not (select too_many from amount)
  )`

/** Documents that an access type of their own may open, at most $6 of each type. */
const TYPED = /* sql */ `
      (select r.resource_key from resources r
        where r.organization_key = $1 and r.own_access_type = 'public' and r.kind = 'document' and r.resource_key > $5
        order by r.resource_key limit $6)
      union all
      (select r.resource_key from resources r
        where r.organization_key = $1 and r.own_access_type = 'organizationPrivate' and r.kind = 'document'
          and r.resource_key > $5 and (select is_member from member)
        order by r.resource_key limit $6)`

const TOO_MANY = `(select too_many from amount)`

/**
 * Lists the contents of the accessible folders if there are at most $8. From each folder it reads the number of documents
 * that a page is likely to need if documents are spread evenly. Keys after the last one read of a folder with more
 * documents are left to the next statement.
 */
export const LIST_BY_FOLDER: Readonly<Record<ListedKind, Statement<ListedResourceRow>>> = {
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
