/** The SQL statement that examines the users of an organization for access to something inside a folder or the organization. */
import { statement } from '#platform/db/statement.ts'
import { BEFORE_USERS, groupPrincipal } from '#tenancy/principals.ts'
import { type InsideCandidateRow, isMember, SCOPE, SUFFICES } from './parts.ts'

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
 * more passes unexamined.
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
