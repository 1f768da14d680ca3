/**
 * The SQL statement that finds users who may have access to something inside a folder or organization. A user with such
 * access, but without access to the folder or organization itself, and not merely because something is public, is one
 * of three: the user holds a live grant on something inside; or is a member, and something inside has the access type
 * organizationPrivate of its own; or holds a grant further up with a stronger role than everybody has on something
 * public inside. An unnecessary candidate costs only time (ADR 0014).
 *
 * The steps, each a CTE: `scope` finds the folder, `folder` and `document` what is inside, `amount` whether that is too much.
 * `source` has the resources whose grants can make a candidate: everything inside, and perhaps the organization or everything
 * above. `own` reads the next users with a grant on each source, `held` the groups with one, `of_group` their next members.
 *
 * These lists are cut at the same length. For example, two users at most: one source has `ada` and `cyd`, and is cut there; another
 * has only `eve`. All users up to `cyd` are known, but `dan` may follow on the first source. So `bound` is `cyd`, the least of the
 * last users of the lists that were cut, and `candidate` has `ada` and `cyd`; `eve` is found by the next statement, after `cyd`.
 */
import { statement } from '#platform/db/statement.ts'
import { isLive, isMember, liveRole } from '#tenancy/grants.ts'
import { BEFORE_USERS } from '#tenancy/principals.ts'
import { LAST_KEY } from '../resource-parts.ts'

/** If nobody was found, there is one row whose `userId` is null. */
export interface InsideCandidateRow {
  userId: string | null
  /** All users up to this id were examined; null: all users. */
  examinedTo: string | null
  /** There is more inside than the limit: nobody was examined. */
  tooMuch: boolean
}

/** Grants and memberships that one statement reads. */
const READ_MAX = 20_000

const LIVE = isLive('g')
const SUFFICES = /* sql */ `(${LIVE} and ($3::access_role is null or ${liveRole('g')} >= $3::access_role))`

/**
 * Reads the resources inside, at most $6, and the next users with a grant on each. $1 is the organization's key, $2 the
 * key of the folder or organization, $3 the requested role, $4 the user id to continue after, $5 the maximum number of
 * users, $7 the default access role of the API key.
 */
export const INSIDE_CANDIDATES = statement<InsideCandidateRow>(
  'permitted-users.list-inside',
  /* sql */ `
  with scope as materialized (
    select r.path
      from resources r join organizations o on o.organization_key = r.organization_key
     where r.organization_key = $1 and r.resource_key = $2 and r.kind <> 'document' and not o.disabled
  ),
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
    select (select count(*) from folder) + (select count(*) from document) > $6::int as too_much
  ),
  inside as materialized (
    select i.resource_key, i.own_access_type
      from (select f.resource_key, f.own_access_type from folder f
            union all
            select d.resource_key, d.own_access_type from document d where not d.disabled) i
     where not (select too_much from amount)
  ),
  source as materialized (
    select i.resource_key from inside i
     union all
    select $1::uuid where exists (select from inside i where i.own_access_type = 'organizationPrivate')
     union all
    select above.resource_key from scope s cross join unnest(s.path) as above(resource_key)
     where $7::access_role < 'editor' and exists (select from inside i where i.own_access_type = 'public')
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
            select m.user_id from (select distinct m.user_id from of_group m) m
              where ${isMember('$1', 'm.user_id')}) c
     where c.user_id <= coalesce((select b.user_id from bound b), c.user_id)
     order by c.user_id limit $5::int
  )
  select c.user_id as "userId", (select too_much from amount) as "tooMuch",
         coalesce((select c.user_id from candidate c where c.nth = $5::int), (select b.user_id from bound b)) as "examinedTo"
    from (select) once left join candidate c on true
   order by c.user_id`,
)
