/** The CTEs that find the resources and the users whom the changes of a simulation affect (ADR 0017). */
import { LIMITS } from '#contract/core/limits.ts'
import { BEFORE_USERS } from '#tenancy/principals.ts'
import { MOVED } from './memberships.ts'

/** The user id that stands for all users without a grant: no user has an empty id. */
export const EVERYONE = "''"

/** One pair more than a simulation may have: reaching it means too many. */
export const PAIR_LIMIT = LIMITS.simulatedPairsMax + 1

export const inBatch = (userId: string): string =>
  `((select users_in_batch from call) is null or (select users_in_batch from call) ? ${userId})`

/** The users that changes of the resource `t` and of those above it affect: named ones, and those in named groups. */
export const namedUsers = (t: string): string =>
  `unnest(${t}.chain) as above(resource_key)
         cross join lateral jsonb_array_elements_text(nullif((select principals from overlay) -> above.resource_key::text, 'true')) as p(principal)
         cross join lateral jsonb_array_elements_text(coalesce((select users from overlay) -> p.principal, jsonb_build_array(p.principal)))`

/** The number of grants that the memberships affect. If it reaches the maximum number of pairs, some may be missing. */
export const TOUCHED = `(select count(*) from change where (select memberships from call) <> '[]')`

/**
 * The CTEs from `call` to `affected_in_batch`, over the rows of `SCOPE` and `SIMULATE`. `overlay` has the changes as JSON maps, which are fast to look
 * up with any plan although the planner cannot estimate the number of changes: grants by resource and principal, access types
 * by resource, for each resource the principals affected by its changes, `true` for all users, and for each group among them its
 * users, and whether something is enabled. A user who joins or leaves a group is affected by all grants of the group. `affected` has the resources in
 * and below changed ones, each once: it starts from changed resources without another changed one above them. `call` restricts
 * the pairs to a batch of users (a JSON map by id) and of affected resources; null: all. Without `include_inside`, only changed
 * resources are affected.
 */
export const AFFECTED = /* sql */ `
  call as materialized (select * from $requests),${MOVED},
  change as materialized (
    select kind, resource_id, resource_key, declared, principal, grants, access_type, enables from $input where resource_key is not null
    union all
    (select r.kind, r.id, r.resource_key, false, moved.user_id, null, null, false
       from call cross join moved
      cross join lateral (
         select g.resource_key from grants g
          where g.organization_key = call.organization_key and g.principal = moved.principal limit ${PAIR_LIMIT}
       ) g
      cross join lateral (
         select r.kind, r.id, r.resource_key from resources r
          where r.organization_key = call.organization_key and r.resource_key = g.resource_key limit 1
       ) r
      limit ${PAIR_LIMIT})
  ),
  overlay as materialized (
    select (select coalesce(jsonb_object_agg(resource_key || ' ' || principal, grants), '{}')
              from change where grants is not null) as grants,
           (select coalesce(jsonb_object_agg(resource_key, access_type), '{}') from change where principal is null and not enables) as access_types,
           (select coalesce(jsonb_object_agg(resource_key, principals), '{}')
              from (select resource_key, case when bool_or(declared or principal is null) then 'true' else jsonb_agg(principal) end as principals
                      from change group by resource_key) by_resource) as principals,
           (select coalesce(jsonb_object_agg(held.principal, users), '{}')
              from call
             cross join (select distinct principal from $input where starts_with(principal, chr(1))) held
             cross join lateral (
                select coalesce(jsonb_agg(distinct u.user_id), '[]') as users
                  from (select m.user_id from user_group_members m
                         where m.organization_key = call.organization_key and m.group_id = substr(held.principal, 2)
                        union all select moved.user_id from moved where moved.principal = held.principal limit ${PAIR_LIMIT}) u
             ) members) as users,
           (select coalesce(jsonb_object_agg(principal || chr(1) || user_id, joins), '{}') from moved where takes_effect) as moved,
           (select coalesce(bool_or(enables), false) from change) as enables
  ),
  changed as materialized (
    select c.*, coalesce(stored.disabled, false) as disabled,
           coalesce(stored.chain, case c.kind when 'organization' then array[c.resource_key]
                                 else array[call.organization_key, c.resource_key] end) as chain
      from call
     cross join (select distinct kind, resource_id as id, resource_key, declared from change) c
      left join lateral (
        select r.disabled, case r.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end as chain
          from resources r
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = call.organization_key and r.resource_key = c.resource_key limit 1
      ) stored on true
  ),
  top as materialized (
    select * from changed
     where declared or not (select include_inside from call)
        or not (select principals from overlay) ?| array(select above::text from unnest(chain[:cardinality(chain) - 1]) above)
  ),
  container as materialized (
    select r.resource_key, r.kind, r.id, r.path as chain
      from top
     cross join lateral (
        select r.* from resources r
         where r.organization_key = top.chain[1] and r.path >= top.chain
           and r.path < top.chain || case when (select include_inside from call) then 'ffffffff-ffff-ffff-ffff-ffffffffffff'
                                          else '00000000-0000-0000-0000-000000000000' end::uuid offset 0
     ) r
     where top.kind <> 'document' and not top.declared
     limit ${PAIR_LIMIT}
  ),
  affected as materialized (
    select kind, id, chain, false as disabled, false as inherits from container
    union all
    select d.kind, d.id, container.chain || d.resource_key, d.disabled, d.own_access_type is null
      from container
     cross join lateral (
        select d.* from resources d
         where d.organization_key = container.chain[1] and d.folder_key = container.resource_key and d.kind = 'document' offset 0
     ) d
     where container.kind = 'folder' and (select include_inside from call)
    union all
    select d.kind, d.id, container.chain || d.resource_key, d.disabled, d.own_access_type is null
      from container
     cross join lateral (
        select d.* from resources d
         where d.organization_key = container.chain[1] and d.folder_key is null and d.kind = 'document'
           and d.id > '' offset 0 -- matches all ids, so that either index can be used
     ) d
     where container.kind = 'organization' and (select include_inside from call)
    union all
    select kind, id, chain, disabled, false from top where kind = 'document' or declared
    limit ${PAIR_LIMIT}
  ),
  member (user_id) as (
    (select first.principal
       from call
      cross join lateral (
         select g.principal from grants g where g.organization_key = call.organization_key and g.principal > ${BEFORE_USERS}
          order by g.principal limit 1
      ) first
      where users_in_batch is null and exists (select from change where declared or change.principal is null))
    union all
    select next.principal
      from call cross join member
     cross join lateral (
        select g.principal from grants g where g.organization_key = call.organization_key and g.principal > member.user_id
         order by g.principal limit 1
     ) next
  ),
  everybody as materialized (
    select array_agg(distinct user_id) as users
      from (select ${EVERYONE} as user_id from call where users_in_batch is null
            union all select principal from $input where not starts_with(principal, chr(1)) and (select users_in_batch from call) is null
            union all select jsonb_array_elements_text(of_group.value) from overlay, jsonb_each(overlay.users) of_group where (select users_in_batch from call) is null
            union all select user_id from moved where (select users_in_batch from call) is null
            union all (select user_id from member limit coalesce((select users_max from call), ${PAIR_LIMIT}))
            union all select jsonb_object_keys(users_in_batch) from call) users
  ),
  named as (
    select t.*, coalesce(every, false) as every
      from affected t
     cross join lateral (
        select bool_or((select principals from overlay) -> above.resource_key::text = 'true') as every
          from unnest(t.chain) as above(resource_key)
     ) by
  ),
  affected_in_batch as (
    select * from named where (select resources_from from call) is null
    union all
    select kind, id, chain, disabled, inherits, every
      from (select *, row_number() over (order by kind, id collate "C") as nth from named t
             where (select resources_from from call) is not null
               and (every or exists (select from ${namedUsers('t')} as by(user_id) where ${inBatch('by.user_id')}))) numbered
     where nth > (select resources_from from call) and nth <= (select resources_to from call)
  )`
