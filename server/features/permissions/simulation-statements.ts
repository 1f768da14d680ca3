/**
 * The SQL statements of simulations. They only read: the SQL of all decisions decides twice, first on the current data,
 * then on resources and grants as the changes would leave them (ADR 0017).
 */
import type { OrganizationKey } from '#contract/ids.ts'
import type { AccessRole, AccessType, ResourceType } from '#contract/permissions.ts'
import { setStatement } from '#platform/db/statement.ts'
import { joinMigrated } from '#tenancy/existence.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { CLOCK, DECISION_COLUMNS, type DecisionRow, decidedAs } from './decision-statements.ts'
import { EVERYONE, PAIR_LIMIT, PAIRS } from './simulated-pairs.ts'

export interface NamedResourceRow {
  organizationKey: OrganizationKey
  kind: ResourceType
  resourceId: string
}

export interface FoundResource {
  /** Null: the resource does not exist and is not declared either. */
  resourceKey: string | null
  added: boolean
  /** The current id of a migrated document. */
  migratedTo: string | null
}

/** Looks up resources by kind and id; returns one row for each input row. */
export const FIND_RESOURCES = setStatement<NamedResourceRow, FoundResource>(
  'permissions.find-resources',
  { organizationKey: 'uuid', kind: 'resource_kind', resourceId: 'text' },
  /* sql */ `
  select r.resource_key as "resourceKey", r.added_at is not null as added, moved.id as "migratedTo"
    from $input
    left join lateral (
      select r.resource_key, r.added_at from resources r
       where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
    ) r on true
    ${joinMigrated('item.organization_key', 'item.resource_id', "item.kind = 'document' and r.resource_key is null")}
   order by item.ord`,
)

/** A grant, a removal or a new access type. There is one row for each pair of user and resource, and one for each access type. */
export interface ChangeRow extends NamedResourceRow, RequestRow {
  /** A new key if the change would declare the resource. Null: a removal on a resource that does not exist, which changes nothing. */
  resourceKey: string | null
  declared: boolean
  /** Null: the row sets `accessType`, or clears it if that is null. */
  userId: string | null
  accessType: AccessType | null
  /** Null: the grant is revoked. */
  role: AccessRole | null
  expiresAt: Date | null
}

/** The part of a simulation that one statement decides. */
export interface BatchRow {
  /** A JSON map of the users to decide about, by id; null: all. */
  usersInBatch: string | null
  /** The range of the affected resources by kind and id, without the first and with the last; null: all. */
  resourcesFrom: number | null
  resourcesTo: number | null
  /** The time of the decisions; null: now. */
  decidedAt: Date | null
}

/** A change, with the values of the whole call. */
export interface SimulationRow extends ChangeRow, BatchRow {
  organizationId: string
  defaultAccessType: AccessType
  pageSize: number
  /** The last pair of the previous page; null: the first page. */
  afterUserId: string | null
  afterKind: ResourceType | null
  afterResourceId: string | null
}

/** A changed pair, with the counts of all pairs. If the page is empty, there is a single row whose `userId` is null. */
export interface SimulatedRow {
  /** The tick of the organization's last event; null: there is no organization. */
  version: number | null
  pairs: number
  gained: number
  lost: number
  changed: number
  usersGained: number
  usersLost: number
  usersChanged: number
  everyoneGained: number
  everyoneLost: number
  userId: string | null
  kind: ResourceType
  resourceId: string
  before: DecisionRow
  after: DecisionRow
}

/** The resource of `item` as the changes would leave it; its boundary is recomputed from the access types. */
const TARGET = /* sql */ `
        select item.new_chain as chain, item.new_boundary_at as boundary_at, item.new_access_type as access_type,
               item.new_is_disabled as is_disabled, (select organization_id from call) as organization_id`

/** The stored grants except those that the changes replace or revoke, and the grants that the changes add. */
const GRANTS = /* sql */ `(
                    select f.position, f.role, f.expires_at from found f, overlay
                     where not overlay.grants ? (target.chain[f.position] || ' ' || item.user_id)
                    union all
                    select added.position, (added.change ->> 'role')::access_role, (added.change ->> 'expiresAt')::timestamptz
                      from (select at.position, overlay.grants -> (at.resource_key || ' ' || item.user_id) as change
                              from overlay, unnest(target.chain) with ordinality as at(resource_key, position)) added
                     where jsonb_typeof(added.change) = 'object'
                  ) held`

const COLUMNS = {
  req: 'int',
  kind: 'resource_kind',
  resourceId: 'text',
  resourceKey: 'uuid',
  declared: 'boolean',
  userId: 'text',
  role: 'access_role',
  expiresAt: 'timestamptz',
  accessType: 'access_type',
} as const

const CALL_COLUMNS = {
  organizationKey: 'uuid',
  organizationId: 'text',
  defaultAccessType: 'access_type',
  pageSize: 'int',
  afterUserId: 'text',
  afterKind: 'resource_kind',
  afterResourceId: 'text',
  usersInBatch: 'jsonb',
  resourcesFrom: 'int',
  resourcesTo: 'int',
  decidedAt: 'timestamptz',
} as const

const VERSION = /* sql */ `(select o.event_tick from organizations o, call where o.organization_key = call.organization_key) as version`

/** What a simulation may have to decide. Not every pair of these users and resources is affected. */
export interface SimulationScope {
  /** The tick of the organization's last event; null: there is no organization. */
  version: number | null
  resources: number
  /** In the order of the result. */
  users: string[]
  now: Date
}

/** Returns the scope of a simulation, and decides nothing. */
export const SCOPE = setStatement<SimulationRow, SimulationScope>(
  'permissions.simulation-scope',
  COLUMNS,
  /* sql */ `
  with recursive ${CLOCK},${PAIRS}
  select ${VERSION}, (select count(*) from affected) as resources,
         array(select user_id collate "C" from everybody, unnest(users) as user_id order by 1) as users, (select now from clock) as now`,
  CALL_COLUMNS,
)

/**
 * Returns the pairs of user and resource whose decision changes, ordered by user, kind and id. Nothing is decided if there
 * are too many pairs.
 */
export const SIMULATE = setStatement<SimulationRow, SimulatedRow>(
  'permissions.simulate',
  COLUMNS,
  /* sql */ `
  with recursive clock as materialized (select coalesce((select decided_at from $requests limit 1), $now, clock_timestamp()) as now),${PAIRS},
  question as (select * from pair where (select count(*) from pair) < ${PAIR_LIMIT}),
  current_decision as materialized (
    with ${decidedAs('question item')}
    select d.organization_key, d.kind, d.resource_id, d.user_id, d.default_access_type, d.at_least,
           d.new_chain, d.new_boundary_at, d.new_access_type, d.new_is_disabled,
           (select to_jsonb(decision) from (select ${DECISION_COLUMNS}) decision) as before
      from decided d
  ),${decidedAs('current_decision item', { target: TARGET, grants: GRANTS })},
  effect as materialized (
    select *
      from (select *, case when after -> 'allowed' <> before -> 'allowed' then case when after -> 'allowed' = 'true' then 'gained' else 'lost' end
                           when after -> 'allowed' = 'true' and (after -> 'accessRole', after -> 'expiresAt') is distinct from
                                                                (before -> 'accessRole', before -> 'expiresAt') then 'changed' end as effect
              from (select d.user_id collate "C" as user_id, d.kind, d.resource_id collate "C" as resource_id, d.before,
                           (select to_jsonb(decision) from (select ${DECISION_COLUMNS}) decision) as after
                      from decided d) both_decisions) compared
     where effect is not null
  ),
  counts as (
    select (select count(*) from pair) as pairs,
           count(*) filter (where effect = 'gained' and user_id <> ${EVERYONE}) as gained,
           count(*) filter (where effect = 'lost' and user_id <> ${EVERYONE}) as lost,
           count(*) filter (where effect = 'changed') as changed,
           count(distinct user_id) filter (where effect = 'gained' and user_id <> ${EVERYONE}) as "usersGained",
           count(distinct user_id) filter (where effect = 'lost' and user_id <> ${EVERYONE}) as "usersLost",
           count(distinct user_id) filter (where effect = 'changed') as "usersChanged",
           count(*) filter (where effect = 'gained' and user_id = ${EVERYONE}) as "everyoneGained",
           count(*) filter (where effect = 'lost' and user_id = ${EVERYONE}) as "everyoneLost"
      from effect
  )
  select ${VERSION}, counts.*, page.user_id as "userId", page.kind, page.resource_id as "resourceId", page.before, page.after
    from counts
    left join (
      select e.* from effect e, call
       where e.user_id <> ${EVERYONE}
         and (call.after_user_id is null or (e.user_id, e.kind, e.resource_id) > (call.after_user_id, call.after_kind, call.after_resource_id))
       order by e.user_id, e.kind, e.resource_id limit (select page_size + 1 from call)
    ) page on true
   order by page.user_id, page.kind, page.resource_id`,
  CALL_COLUMNS,
)
