/** The CTEs that put pairs of user and resource together that must have the same decision, before and after (ADR 0017). */
import { LIMITS } from '#contract/core/limits.ts'
import { userDisabled } from '#tenancy/disabled-users.ts'
import { BEFORE_USERS } from '#tenancy/principals.ts'

/** The user id that stands for all users without a grant: no user has an empty id. */
export const EVERYONE = "''"

/** One pair more than a simulation may have: reaching it means too many. */
export const PAIR_LIMIT = LIMITS.simulatedPairsMax + 1

/** A user with more grants above documents, or in more groups, is decided alone: comparing them would cost more than deciding. */
const COMPARED_MAX = 16

export const inBatch = (userId: string): string =>
  `((select users_in_batch from call) is null or (select users_in_batch from call) ? ${userId})`

/** The users that changes of the resource `t` and of those above it affect: named ones, and those in named groups. */
export const namedUsers = (t: string): string =>
  `unnest(${t}.chain) as above(resource_key)
         cross join lateral jsonb_array_elements_text(nullif((select principals from overlay) -> above.resource_key::text, 'true')) as p(principal)
         cross join lateral jsonb_array_elements_text(coalesce((select users from overlay) -> p.principal, jsonb_build_array(p.principal)))`

/**
 * The CTEs from `container_key` to `alike`, over `affected_in_batch`. `alike` has one row for pairs that need one decision:
 *
 * - Users whom the call does not name have equal decisions if they have equal grants on the affected folders, those above them and
 *   the organization, are in the same groups, and both or neither are disabled. `equal` has the number of each user's set of equal ones.
 * - Documents of a folder have equal decisions if they have no access type of their own and no grant of a group, and the call does not
 *   change them.
 * - A grant of a user on a document applies to this pair alone.
 *
 * For example: 1,000 viewers of `acme` and 90 documents in one folder, of which Ada may edit one, are two decisions instead of 90,000.
 */
export const ALIKE = /* sql */ `
  container_key as materialized (
    select distinct above.resource_key
      from affected_in_batch t cross join unnest(t.chain[:cardinality(t.chain) - (t.kind = 'document')::int]) as above(resource_key)
  ),
  equal as materialized (
    select coalesce(jsonb_object_agg(user_id, nth), '{}') as users
      from (select u.user_id, dense_rank() over (order by disabled, grants, groups) as nth
              from call cross join everybody cross join unnest(everybody.users) as u(user_id)
             cross join lateral (select ${userDisabled('call.api_key_id', 'u.user_id')} as disabled) has
             cross join lateral (
                select count(*) as grants_read,
                       string_agg(g::text, ',' order by resource_key)
                         filter (where resource_key in (select resource_key from container_key)) collate "C" as grants
                  from (select g.resource_key, g.standing_role, g.temporary_role, g.expires_at from grants g
                         where g.organization_key = call.organization_key and g.principal = u.user_id and g.kind < 'document'
                         limit ${COMPARED_MAX} + 1) g
             ) own
             cross join lateral (
                select array(select m.group_id from user_group_members m
                              where m.organization_key = call.organization_key and m.user_id = u.user_id
                              order by m.group_id limit ${COMPARED_MAX} + 1) as groups
             ) member_of
             where grants_read <= ${COMPARED_MAX} and cardinality(groups) <= ${COMPARED_MAX}
               and u.user_id not in (select principal from change where principal is not null union all select user_id from moved)) compared
  ),
  each_pair as (
    select t.kind, t.id, t.chain, t.disabled, affected_user.user_id, own.granted, t.shares and not own.granted as shared,
           case when not own.granted then (select users from equal) -> affected_user.user_id end as equal_users
      from (select t.*, t.inherits and not (select principals from overlay) ? t.chain[cardinality(t.chain)]::text
                   and (select true from grants g
                         where g.organization_key = t.chain[1] and g.resource_key = t.chain[cardinality(t.chain)]
                           and g.principal < ${BEFORE_USERS} order by g.principal limit 1) is null as shares
              from affected_in_batch t offset 0) t
     cross join lateral (
        select unnest(case when t.every then (select users from everybody) end) as user_id
        union all
        select distinct by.user_id from ${namedUsers('t')} as by(user_id) where not t.every and ${inBatch('by.user_id')}
     ) affected_user
     cross join lateral (
        select t.kind = 'document' and (select true from grants g
                where g.organization_key = t.chain[1] and g.resource_key = t.chain[cardinality(t.chain)]
                  and g.principal = affected_user.user_id and g.kind = t.kind limit 1) is not null as granted offset 0
     ) own
     limit ${PAIR_LIMIT}
  ),
  alike as (
    select kind, disabled, (array_agg(id))[1] as id, (array_agg(user_id))[1] as user_id, array_agg(id) as ids, array_agg(user_id) as user_ids,
           case when shared then place || (array_agg(chain[cardinality(chain)]))[1] else place end as chain
      from (select *, chain[:cardinality(chain) - shared::int] as place from each_pair) p
     group by kind, disabled, place, shared, equal_users, case when equal_users is null then user_id end
  )`
