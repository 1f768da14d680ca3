/** The stored data that decisions need, in SQL: the resource with its chain, and the ranks of the user's grants on it. */
import { userDisabled } from '#tenancy/disabled-users.ts'
import { BEFORE_USERS, groupPrincipal } from '#tenancy/principals.ts'
import { groupRanks, groupRanksOfOne, ownRanks, ranked } from './ranks.ts'

/** If a user has fewer grants on an organization and its folders, all are read at once: two probes instead of one for each level. */
const FEW = 16

/**
 * The maximum number of a user's groups that are all read, and whose numbers are searched in an array. Of a user in more
 * groups, only those with a grant on the chain are read (`GROUPS`); if there are still more, an object with their numbers
 * is built.
 */
const SEARCHED_GROUPS_MAX = 64

/** The resource `r` in folder `f` with everything above it, organization first (rules/access.md#chain). */
const CHAIN = /* sql */ `case item.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end`

const groupsOfUser = (
  limit = '',
): string => /* sql */ `array(select ${groupPrincipal('m.group_id')} from user_group_members m
                                 where m.organization_key = item.organization_key and m.user_id = item.user_id
                                 order by m.group_id${limit})`

/** The maximum number of grants of groups on a chain for which each such group is asked whether it contains the user. */
const HOLDERS_MAX = 256

/** The groups of a user, as principals; null in an organization whose groups never had a grant. */
export const ALL_GROUPS = `, case when o.has_group_grants then ${groupsOfUser()} end as groups`

/**
 * The same, but without the groups that have no grant on the chain if the user is in more than SEARCHED_GROUPS_MAX groups.
 * Otherwise each decision about a user in every group of an organization, such as a service, would read all of them, and
 * the questions of other tenants in the same statement would wait for it.
 */
export const GROUPS = /* sql */ `, case when o.has_group_grants then (
                  select case when cardinality(first) <= ${SEARCHED_GROUPS_MAX} then first else (
                           select case when cardinality(held) > ${HOLDERS_MAX} then ${groupsOfUser()}
                                       else array(select distinct h.principal collate "C" as principal from unnest(held) as h(principal)
                                                   cross join lateral (
                                                      select from user_group_members m
                                                       where m.organization_key = item.organization_key and m.group_id = substr(h.principal, 2)
                                                         and m.user_id = item.user_id limit 1
                                                   ) m
                                                   order by principal) end
                             from (select array(select g.principal from unnest(${CHAIN}) as c(resource_key)
                                                 cross join lateral (
                                                    select g.principal from grants g
                                                     where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                                       and g.principal < ${BEFORE_USERS} limit ${HOLDERS_MAX} + 1
                                                 ) g
                                                 limit ${HOLDERS_MAX} + 1) as held offset 0) holders) end
                    from (select ${groupsOfUser(` limit ${SEARCHED_GROUPS_MAX} + 1`)} as first offset 0) groups) end as groups`

/** Whether the user of `item` is disabled in the API key of the organization `o`. */
export const USER_DISABLED = userDisabled('o.api_key_id', 'item.user_id')

/** The chain, boundary and effective access type of `item`, the resource `r` in folder `f` (rules/access.md#chain). */
export const PLACE = /* sql */ `${CHAIN} as chain,
               case when item.kind <> 'document' then r.boundary_depth
                    when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
                    else coalesce(f.boundary_depth, 1) end as boundary_at,
               case item.kind when 'organization' then null
                    when 'folder' then coalesce(r.boundary_access_type, item.default_access_type)
                    else coalesce(r.own_access_type, f.boundary_access_type, item.default_access_type) end as access_type`

/** The place of the resource of `item`, and whether something is disabled. Without a row or a chain, it does not exist. */
export const targetWith = (isUserDisabled: string, groups: string): string => /* sql */ `select ${PLACE},
               o.disabled or (item.kind = 'document' and r.disabled) as is_disabled, ${isUserDisabled} as is_user_disabled, o.organization_id,
               o.has_group_grants${groups}
          from resources r
          join organizations o on o.organization_key = r.organization_key
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1`

/** The number, among the user's groups, of the group that holds `g`; null: the user is not in it. */
const NTH_GROUP = /* sql */ `case when cardinality(target.groups) <= ${SEARCHED_GROUPS_MAX} then array_position(target.groups, g.principal)::bigint
                                           else ((select jsonb_object_agg(principal, nth)
                                                    from unnest(target.groups) with ordinality as p(principal, nth)) -> g.principal)::bigint end`

/** The kind of the resource at a position of the chain of a resource of `kind`. */
export const kindAt = (position: string, chain: string, kind: string): string =>
  `case ${position} when 1 then 'organization'::resource_kind when cardinality(${chain}) then ${kind} else 'folder' end`

/** Reading a grant costs a quarter of probing for one. If there are more than this, each group of the user is probed on each level. */
const READ_MAX = '4 * cardinality(target.chain) * cardinality(target.groups)'

/** The grants of the user's groups on the chain; `nth` is the number of the group among the user's groups. */
export const GROUP_GRANTS = /* sql */ `(with of_any as materialized (
                               select c.position, ${NTH_GROUP} as nth, g.standing_role, g.temporary_role, g.expires_at
                                 from unnest(target.chain) with ordinality as c(resource_key, position)
                                cross join lateral (
                                   select g.principal, g.standing_role, g.temporary_role, g.expires_at from grants g
                                    where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                      and g.principal < ${BEFORE_USERS} limit ${READ_MAX} + 1
                                ) g
                                limit ${READ_MAX} + 1
                            ),
                            amount as materialized (
                               select count(*) > ${READ_MAX} as is_large from of_any
                            )
                            select position, nth, standing_role, temporary_role, expires_at
                              from of_any where nth is not null and not (select is_large from amount)
                            union all
                            select c.position, p.nth, g.standing_role, g.temporary_role, g.expires_at
                              from unnest(target.chain) with ordinality as c(resource_key, position)
                             cross join unnest(target.groups) with ordinality as p(principal, nth)
                             cross join lateral (
                                select g.standing_role, g.temporary_role, g.expires_at from grants g
                                 where g.organization_key = item.organization_key and g.resource_key = c.resource_key
                                   and g.principal = p.principal and g.kind = ${kindAt('c.position', 'target.chain', 'item.kind')} limit 1
                             ) g
                             where (select is_large from amount)) of_groups`

/** The ranks of these grants of groups; null for a user in no group. */
export const groupRanksOf = (grants: string): string =>
  `case when target.groups <> '{}' then (${groupRanks(grants)}) end as of_groups`

/** The grants of groups on a resource in the order of their index: first those with an end, then editors, then viewers. */
const STRONGEST_FIRST = 'g.expires_at is not null desc, g.standing_role desc, g.principal'

/** The maximum number of group grants on a resource that are searched for grants of the user's groups. */
const SEARCHED_MAX = `case when cardinality(target.groups) <= ${SEARCHED_GROUPS_MAX} then 4 * cardinality(target.groups) else 0 end`

/**
 * The ranks of the stored grants of the user's groups; null if there is none. The nearest grant decides, so the chain
 * is searched from the resource upwards until a grant is found. If that grant expires, or there are too many to search,
 * all grants on the chain are compared.
 */
export const GROUP_RANKS = /* sql */ `case when target.groups <> '{}' then (
                       select case when is_over or expires_at is not null then (${groupRanks(GROUP_GRANTS)})
                                   else ${groupRanksOfOne('array_position(target.groups, principal)')} end
                         from (select * from unnest(target.chain) with ordinality as c(resource_key, position) order by position desc) c
                        cross join lateral (
                           select * from (
                              select g.principal, g.standing_role, g.expires_at, row_number() over (order by ${STRONGEST_FIRST}) > ${SEARCHED_MAX} as is_over
                                from grants g
                               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal < ${BEFORE_USERS}
                               order by ${STRONGEST_FIRST} limit ${SEARCHED_MAX} + 1
                           ) g
                            where is_over or principal = any(target.groups) limit 1
                        ) g
                        order by position desc limit 1
                    ) end as of_groups`

/**
 * Returns the query for the ranks of a user. `found` has the user's stored grants by their position in the chain, from
 * which `grants` derives the ranks of the user's own grants. The column `ofGroups` has the ranks of the grants of the
 * user's groups; null if groups have no grants.
 */
export function ranksOf(grants: string, ofGroups: string | null): string {
  return /* sql */ `
        with few as materialized (
          select g.resource_key, g.standing_role, g.temporary_role, g.expires_at from grants g
           where g.organization_key = item.organization_key and g.principal = item.user_id and g.kind < 'document' limit ${FEW}
        ),
        found as (
          select array_position(target.chain, resource_key)::bigint as position, standing_role, temporary_role, expires_at from few
           union all
          (select cardinality(target.chain), g.standing_role, g.temporary_role, g.expires_at from grants g
            where item.kind = 'document' and g.organization_key = item.organization_key
              and g.resource_key = target.chain[cardinality(target.chain)] and g.principal = item.user_id and g.kind = 'document' limit 1)
           union all
          select c.position, g.standing_role, g.temporary_role, g.expires_at
            from unnest(target.chain) with ordinality as c(resource_key, position)
           cross join lateral (
              select g.standing_role, g.temporary_role, g.expires_at from grants g
               where g.organization_key = item.organization_key and g.resource_key = c.resource_key and g.principal = item.user_id
                 and g.kind = case c.position when 1 then 'organization'::resource_kind else 'folder' end limit 1
            ) g
           where (select count(*) from few) = ${FEW}
        )
        select ${ownRanks()}${ofGroups === null ? '' : `, ${ofGroups}`}
          from ${ranked(grants)}`
}
