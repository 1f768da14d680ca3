/**
 * The SQL statements of simulations. They only read: the SQL of all decisions decides twice, first on the current data,
 * then on resources and grants as the changes would leave them (ADR 0017).
 */
import { setStatement } from '#platform/db/statement.ts'
import { DECISION_COLUMNS } from '../decision/rows.ts'
import { CLOCK, decidedAs, type Parts } from '../decision/statement.ts'
import { GROUP_GRANTS, groupRanksOf, ranksOf } from '../decision/stored-data.ts'
import { AFFECTED, EVERYONE, namedUsers, PAIR_LIMIT, TOUCHED } from './affected.ts'
import { GROUPED } from './effect-groups.ts'
import { PAIRS } from './pairs.ts'
import type { SimulatedRow, SimulationRow } from './rows.ts'

/** The resource of `item` as the changes would leave it; its boundary is recomputed from the access types. */
const TARGET = /* sql */ `
        select item.new_chain as chain, item.new_boundary_at as boundary_at, item.new_access_type as access_type,
               item.new_is_disabled as is_disabled, item.is_disabled_user as is_user_disabled, (select organization_id from call) as organization_id, item.new_groups as groups`

/**
 * The stored grants `found` except those that the changes replace or revoke, and the grants that the changes add, of the holders.
 * `nth` is the number of a holder, null for the user.
 */
const changedGrants = (found: string, holders: string, nth: string) => /* sql */ `(
                    select f.position, f.nth, f.standing_role, f.temporary_role, f.expires_at from ${found}, overlay
                     where not overlay.grants ? (target.chain[f.position] || ' ' || coalesce(target.groups[f.nth], item.user_id))
                    union all
                    select changed.position, changed.nth,
                           case when change ? 'standing' then (change ->> 'standing')::access_role else f.standing_role end,
                           case when change ? 'temporary' then (change #>> '{temporary,role}')::access_role else f.temporary_role end,
                           case when change ? 'temporary' then (change #>> '{temporary,expiresAt}')::timestamptz else f.expires_at end
                      from (select at.position, ${nth} as nth, overlay.grants -> (at.resource_key || ' ' || held_by.principal) as change
                              from overlay, unnest(target.chain) with ordinality as at(resource_key, position),
                                   unnest(${holders}) with ordinality as held_by(principal, nth)) changed
                      left join ${found} on f.position = changed.position and f.nth is not distinct from changed.nth
                     where change is not null
                  ) held`

const CHANGED: Parts = {
  target: TARGET,
  held: ranksOf(
    changedGrants('(select *, null::bigint as nth from found) f', 'array[item.user_id]', 'null::bigint'),
    groupRanksOf(changedGrants(`(select * from ${GROUP_GRANTS}) f`, 'target.groups', 'held_by.nth')),
  ),
  groups: true,
}

const COLUMNS = {
  req: 'int',
  kind: 'resource_kind',
  resourceId: 'text',
  resourceKey: 'uuid',
  declared: 'boolean',
  principal: 'text',
  grants: 'jsonb',
  accessType: 'access_type',
  enables: 'boolean',
} as const

const CALL_COLUMNS = {
  organizationKey: 'uuid',
  apiKeyId: 'text',
  organizationId: 'text',
  defaultAccessType: 'access_type',
  defaultAccessRole: 'access_role',
  memberships: 'jsonb',
  includeInside: 'boolean',
  pageSize: 'int',
  afterUserId: 'text',
  afterKind: 'resource_kind',
  afterResourceId: 'text',
  usersInBatch: 'jsonb',
  resourcesFrom: 'int',
  resourcesTo: 'int',
  decidedAt: 'timestamptz',
  usersMax: 'int',
} as const

const VERSION = /* sql */ `(select o.event_count from organizations o, call where o.organization_key = call.organization_key) as version`

/** The size of a simulation. */
export interface SimulationScope {
  /** The number of the organization's last event; null: the organization does not exist. */
  version: number | null
  resources: number
  /** The affected users in the order of the result, and how many pairs each has. */
  users: string[]
  pairs: number[]
  now: Date
}

/** Returns the scope of a simulation without deciding anything. */
export const SCOPE = setStatement<SimulationRow, SimulationScope>(
  'permissions.simulation-scope',
  COLUMNS,
  /* sql */ `
  with recursive ${CLOCK},${AFFECTED},
  of_everybody as (select count(*) as pairs from named where every),
  of_user as (
    select by.user_id, count(*) as pairs
      from named t cross join lateral (select distinct user_id from ${namedUsers('t')} as one(user_id)) by
     where not t.every group by by.user_id
  ),
  sized as (
    select user_id collate "C" as user_id, of_everybody.pairs + coalesce(of_user.pairs, 0) as pairs
      from of_everybody cross join everybody cross join unnest(everybody.users) as user_id left join of_user using (user_id)
  )
  select ${VERSION}, greatest((select count(*) from affected), ${TOUCHED}) as resources, coalesce(array_agg(user_id order by user_id), '{}') as users,
         coalesce(array_agg(pairs::int order by user_id), '{}') as pairs, (select now from clock) as now
    from sized where pairs > 0`,
  CALL_COLUMNS,
)

/**
 * Returns the pairs of user and resource whose decision changes, ordered by user, kind and id, with the groups of users by effect.
 * Nothing is decided if there are too many pairs.
 */
export const SIMULATE = setStatement<SimulationRow, SimulatedRow>(
  'permissions.simulate',
  COLUMNS,
  /* sql */ `
  with recursive clock as materialized (select coalesce((select decided_at from $requests limit 1), $now, clock_timestamp()) as now),${PAIRS},
  size as materialized (select greatest((select sum(cardinality(alike_ids)) from pair), ${TOUCHED})::bigint as pairs),
  question as (select * from pair where (select pairs from size) < ${PAIR_LIMIT}),
  current_decision as materialized (
    with ${decidedAs('question item')}
    select d.organization_key, d.kind, d.resource_id, d.user_id, d.default_access_type, d.default_access_role, d.at_least,
           d.new_chain, d.new_boundary_at, d.new_access_type, d.new_is_disabled, d.is_disabled_user, d.new_groups, d.alike_ids, d.alike_users,
           (select to_jsonb(decision) from (select ${DECISION_COLUMNS}) decision) as before
      from decided d
  ),${decidedAs('current_decision item', CHANGED)},
  effect as materialized (
    select one.user_id collate "C" as user_id, kind, one.resource_id collate "C" as resource_id, before, after, effect
      from (select *, case when after -> 'allowed' <> before -> 'allowed' then case when after -> 'allowed' = 'true' then 'gained' else 'lost' end
                           when after -> 'allowed' = 'true' and (after -> 'accessRole', after -> 'expiresAt') is distinct from
                                                                (before -> 'accessRole', before -> 'expiresAt') then 'changed'
                           when after -> 'allowed' = 'true' and (kind, resource_id) in (select kind, id from changed) then 'kept' end as effect
              from (select d.kind, d.resource_id, d.alike_ids, d.alike_users, d.before,
                           (select to_jsonb(decision) from (select ${DECISION_COLUMNS}) decision) as after
                      from decided d offset 0) both_decisions offset 0) compared
     cross join lateral unnest(alike_ids, alike_users) as one(resource_id, user_id)
     where effect is not null
  ),
  counts as (
    select (select pairs from size) as pairs,
           count(*) filter (where effect = 'gained' and user_id <> ${EVERYONE}) as gained,
           count(*) filter (where effect = 'lost' and user_id <> ${EVERYONE}) as lost,
           count(*) filter (where effect = 'changed') as changed,
           count(distinct user_id) filter (where effect = 'gained' and user_id <> ${EVERYONE}) as "usersGained",
           count(distinct user_id) filter (where effect = 'lost' and user_id <> ${EVERYONE}) as "usersLost",
           count(distinct user_id) filter (where effect = 'changed') as "usersChanged",
           count(*) filter (where effect = 'gained' and user_id = ${EVERYONE}) as "everyoneGained",
           count(*) filter (where effect = 'lost' and user_id = ${EVERYONE}) as "everyoneLost"
      from effect
  ),${GROUPED}
  select ${VERSION}, counts.*, grouped.groups, page.user_id as "userId", page.kind, page.resource_id as "resourceId", page.before, page.after
    from counts cross join grouped
    left join (
      select e.* from effect e, call
       where e.user_id <> ${EVERYONE} and e.effect <> 'kept'
         and (call.after_user_id is null or (e.user_id, e.kind, e.resource_id) > (call.after_user_id, call.after_kind, call.after_resource_id))
       order by e.user_id, e.kind, e.resource_id limit (select page_size + 1 from call)
    ) page on true
   order by page.user_id, page.kind, page.resource_id`,
  CALL_COLUMNS,
)
