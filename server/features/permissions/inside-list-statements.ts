/**
 * The SQL statements that find users who may have access to something inside a folder or organization. Whoever has, but not to the
 * folder or organization itself, and not merely because it is public, holds a live grant on something inside, or is a
 * member while something inside has the access type organizationPrivate of its own, or holds a grant further up that makes more of
 * the user, where something inside is public, than of everybody. Each statement examines users in the
 * order of their ids, up to `examinedTo`; an unnecessary candidate costs only time (ADR 0014).
 */
import { statement } from '#platform/db/statement.ts'
import { isLive, liveRole } from '#tenancy/grants.ts'
import { BEFORE_USERS, groupPrincipal } from '#tenancy/principals.ts'
import { LAST_KEY } from './resource-list-parts.ts'

/** If nobody was found, there is one row whose `userId` is null. */
export interface InsideCandidateRow {
  userId: string | null
  /** All users up to this id were examined; null: all users. */
  examinedTo: string | null
  /** There is more inside than the limit: nobody was examined. */
  tooMany: boolean
}

/** Grants and memberships that one statement reads, if what is inside is read. */
const READ_MAX = 20_000

const LIVE = isLive('g')
const SUFFICES = /* sql */ `(${LIVE} and ($3::access_role is distinct from 'editor' or ${liveRole('g')} = 'editor'))`

/** `scope`: the path of the folder or organization; no row if the organization is disabled. */
const SCOPE = /* sql */ `
  scope as materialized (
    select r.path, o.has_group_grants
      from resources r join organizations o on o.organization_key = r.organization_key
     where r.organization_key = $1 and r.resource_key = $2 and r.path is not null and not o.disabled
  )`

/** Whether the user holds a live grant on the organization. */
const isMember = (userId: string): string => /* sql */ `exists (
           select from grants g where g.organization_key = $1 and g.resource_key = $1 and g.principal = ${userId} and ${LIVE})`

/**
 * Reads what is inside, at most $6 resources, and of each the next users with a grant. $1 is the organization's key, $2 the
 * key of the folder or organization, $3 the requested role, $4 the user id to continue after, $5 the maximum number of users, $7 the
 * default access role of the API key.
 */
export const INSIDE_BY_RESOURCE = statement<InsideCandidateRow>(
  'permitted-users.list-inside-by-resource',
  /* sql */ `
  with ${SCOPE},
  folder as materialized (
    select f.resource_key, f.own_access_type
      from scope s
     cross join lateral (
        select f.resource_key, f.own_access_type from resources f
         where f.organization_key = $1 and f.path >= s.path and f.path < s.path || ${LAST_KEY} and f.resource_key <> $2
         order by f.path limit $6::int + 1
      ) f
  ),
  document as materialized (
    select d.resource_key, d.own_access_type, d.disabled
      from (select f.resource_key from folder f union all select $2::uuid from scope s where cardinality(s.path) > 1) p
     cross join lateral (
        select d.resource_key, d.own_access_type, d.disabled from resources d
         where d.organization_key = $1 and d.folder_key = p.resource_key and d.kind = 'document'
         order by d.id limit $6::int + 1
      ) d
     union all
    select d.resource_key, d.own_access_type, d.disabled
      from scope s
     cross join lateral (
        select d.resource_key, d.own_access_type, d.disabled from resources d
         where d.organization_key = $1 and d.folder_key is null and d.kind = 'document' and cardinality(s.path) = 1
         order by d.folder_key, d.id limit $6::int + 1
      ) d
     limit $6::int + 1
  ),
  amount as materialized (
    select (select count(*) from folder) + (select count(*) from document) > $6::int as too_many
  ),
  inside as materialized (
    select i.resource_key, i.own_access_type
      from (select f.resource_key, f.own_access_type from folder f
            union all
            select d.resource_key, d.own_access_type from document d where not d.disabled) i
     where not (select too_many from amount)
  ),
  source as materialized (
    select i.resource_key from inside i
     union all
    select $1::uuid where exists (select from inside i where i.own_access_type = 'organizationPrivate')
     union all
    select above.resource_key from scope s cross join unnest(s.path) as above(resource_key)
     where $7::access_role = 'viewer' and exists (select from inside i where i.own_access_type = 'public')
  ),
  own_share as materialized (select least($5::int, ${READ_MAX} / greatest(count(*), 1))::int as users from source),
  own as materialized (
    select g.user_id, g.nth, g.passes
      from source s
     cross join lateral (
        select g.principal as user_id, row_number() over (order by g.principal) as nth,
               case s.resource_key when $1 then ${LIVE} else ${SUFFICES} end as passes
          from (select g.principal, g.standing_role, g.temporary_role, g.expires_at from grants g
                 where g.organization_key = $1 and g.resource_key = s.resource_key
                   and g.principal > greatest($4::text, ${BEFORE_USERS} collate "C")
                 order by g.principal limit (select users from own_share)) g
      ) g
  ),
  held as materialized (
    select distinct g.principal
      from source s
     cross join lateral (
        select g.principal from grants g
         where g.organization_key = $1 and g.resource_key = s.resource_key and g.principal < ${BEFORE_USERS} and ${SUFFICES} offset 0
      ) g
  ),
  group_share as materialized (select least($5::int, greatest(${READ_MAX} / greatest(count(*), 1), 1))::int as users from held),
  of_group as materialized (
    select m.user_id, m.nth
      from held h
     cross join lateral (
        select m.user_id, row_number() over (order by m.user_id) as nth
          from (select m.user_id from user_group_members m
                 where m.organization_key = $1 and m.group_id = substr(h.principal, 2) and m.user_id > coalesce($4::text, '')
                 order by m.user_id limit (select users from group_share)) m
      ) m
  ),
  bound as materialized (
    select min(c.user_id) as user_id
      from (select o.user_id from own o where o.nth = (select users from own_share)
            union all
            select m.user_id from of_group m where m.nth = (select users from group_share)) c
  ),
  candidate as materialized (
    select c.user_id, row_number() over (order by c.user_id) as nth
      from (select o.user_id from own o where o.passes
             union
            select m.user_id from (select distinct m.user_id from of_group m) m where ${isMember('m.user_id')}) c
     where c.user_id <= coalesce((select b.user_id from bound b), c.user_id)
     order by c.user_id limit $5::int
  )
  select c.user_id as "userId", (select too_many from amount) as "tooMany",
         coalesce((select c.user_id from candidate c where c.nth = $5::int), (select b.user_id from bound b)) as "examinedTo"
    from (select) once left join candidate c on true
   order by c.user_id`,
)

/** Whether resource `r`, in folder `f` if it is a document, is inside and not a disabled document. */
const IS_INSIDE = /* sql */ `(r.resource_key <> $2 and not (r.kind = 'document' and r.disabled)
                 and (coalesce(r.path, f.path, array[$1::uuid]))[cardinality((select path from scope))] = $2)`

/** The folder of resource `r`. */
const joinFolder = /* sql */ `
         left join lateral (
            select f.path from resources f where f.organization_key = $1 and f.resource_key = r.folder_key limit 1
         ) f on true`

/** The first resources with an access type of their own, one more than are examined. */
const opened = (accessType: string): string => /* sql */ `
    select r.resource_key, r.kind, r.disabled, r.path, r.folder_key from resources r
     where r.organization_key = $1 and r.own_access_type = '${accessType}' limit $6::int + 1
  `

/** Whether one of them is inside; true if there are too many to say. */
const isOpenedBy = (found: string): string =>
  /* sql */ `((select count(*) from ${found}) > $6::int or exists (select from ${found} r ${joinFolder} where ${IS_INSIDE}))`

/**
 * Examines the next $5 users with a grant in the organization: members of groups count only with a grant of their own. Of
 * each user and each group the first $6 grants are examined, and of the resources that are organizationPrivate or public as many: who has
 * more passes unexamined. $1 to $4 and $7 as in INSIDE_BY_RESOURCE.
 */
export const INSIDE_BY_USER = statement<InsideCandidateRow>(
  'permitted-users.list-inside-by-user',
  /* sql */ `
  with recursive ${SCOPE},
  walk as (
    select (select g.principal from grants g
             where g.organization_key = $1 and g.principal > greatest($4::text, ${BEFORE_USERS} collate "C")
             order by g.principal limit 1) as user_id, 1 as nth
      from scope
     union all
    select (select g.principal from grants g
             where g.organization_key = $1 and g.principal > w.user_id
             order by g.principal limit 1), w.nth + 1
      from walk w
     where w.user_id is not null and w.nth < $5::int
  ),
  examined as materialized (
    select w.user_id, w.nth, ${isMember('w.user_id')} as is_member from walk w where w.user_id is not null
  ),
  of_group as materialized (
    select e.user_id, ${groupPrincipal('m.group_id')} as principal
      from examined e
     cross join lateral (
        select m.group_id from user_group_members m
         where m.organization_key = $1 and m.user_id = e.user_id order by m.group_id offset 0
      ) m
     where e.is_member and (select has_group_grants from scope)
  ),
  private as materialized (${opened('organizationPrivate')}),
  open as materialized (${opened('public')}),
  opening as materialized (
    select ${isOpenedBy('private')} as to_members, $7::access_role = 'viewer' and ${isOpenedBy('open')} as to_holders
  ),
  passing as materialized (
    select p.principal
      from (select e.user_id as principal from examined e union select m.principal from of_group m) p
     where exists (
        select from (select g.resource_key, g.standing_role, g.temporary_role, g.expires_at from grants g
                      where g.organization_key = $1 and g.principal = p.principal and g.kind > 'organization'
                      order by g.kind, g.resource_key limit $6::int) g
         cross join lateral (
            select r.resource_key, r.kind, r.disabled, r.path, r.folder_key from resources r
             where r.organization_key = $1 and r.resource_key = g.resource_key limit 1
         ) r ${joinFolder}
         where ${SUFFICES} and ${IS_INSIDE})
        or exists (
        select from grants g
         where g.organization_key = $1 and g.principal = p.principal and g.kind > 'organization'
         order by g.kind, g.resource_key offset $6::int)
        or (select to_holders from opening) and exists (
        select from scope s cross join unnest(s.path) as above(resource_key)
         cross join lateral (
            select from grants g
             where g.organization_key = $1 and g.resource_key = above.resource_key and g.principal = p.principal and ${SUFFICES} limit 1
         ) g)
  ),
  candidate as materialized (
    select e.user_id
      from examined e
     where e.user_id in (select p.principal from passing p)
        or e.is_member and ((select to_members from opening)
                            or e.user_id in (select m.user_id from of_group m join passing p on p.principal = m.principal))
  )
  select c.user_id as "userId", false as "tooMany",
         (select e.user_id from examined e where e.nth = $5::int) as "examinedTo"
    from (select) once left join candidate c on true
   order by c.user_id`,
)
