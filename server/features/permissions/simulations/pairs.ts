/** The CTEs that find the pairs of user and resource whose access a simulation must decide (ADR 0017). */
import { userDisabled } from '#tenancy/disabled-users.ts'
import { BEFORE_USERS } from '#tenancy/principals.ts'
import { AFFECTED, inBatch, namedUsers, PAIR_LIMIT } from './affected.ts'
import { NEW_GROUPS } from './memberships.ts'

/** A user with more grants above documents, or in more groups, is decided alone: comparing them would cost more than deciding. */
const COMPARED_MAX = 16

/**
 * The CTEs from `call` to `pair`, which has one row for each decision to make. `alike` puts pairs together that need only one:
 *
 * - Users whom the call does not name have equal decisions if they have equal grants on the affected folders, those above them and
 *   the organization, are in the same groups, and both or neither are disabled. `equal` has the number of each user's set of equal ones.
 * - Documents of a folder have equal decisions if they have no access type of their own and no grant of a group, and the call does not
 *   change them.
 * - A grant of a user on a document applies to this pair alone.
 *
 * For example: 1,000 viewers of `acme` and 90 documents in one folder, of which Ada may edit one, are a few decisions instead of 90,000.
 */
export const PAIRS = /* sql */ `${AFFECTED},
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
  ),
  pair as materialized (
    select call.organization_key, t.kind, t.id as resource_id, t.user_id, t.ids as alike_ids, t.user_ids as alike_users, call.default_access_type, call.default_access_role, null::access_role as at_least,
           t.chain as new_chain, coalesce(boundary.position, 1) as new_boundary_at,
           case when t.kind <> 'organization' then coalesce(boundary.access_type, call.default_access_type) end as new_access_type,
           not (select enables from overlay) and (t.disabled or coalesce(o.disabled, false)) as new_is_disabled,
           ${userDisabled('call.api_key_id', 't.user_id')} as is_disabled_user,
           ${NEW_GROUPS} as new_groups
      from call
      left join organizations o on o.organization_key = call.organization_key
     cross join alike t
      left join lateral (
        select above.position, own.access_type
          from unnest(t.chain) with ordinality as above(resource_key, position)
         cross join lateral (
            select case when overlay.access_types ? above.resource_key::text
                        then (overlay.access_types ->> above.resource_key::text)::access_type
                        else r.own_access_type end as access_type
              from overlay, resources r
             where r.organization_key = call.organization_key and r.resource_key = above.resource_key limit 1
         ) own
         where above.position > 1 and own.access_type is not null
         order by above.position desc limit 1
      ) boundary on true
  )`
