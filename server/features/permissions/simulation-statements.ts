/**
 * The SQL texts of simulations. They read alone: decisions are made twice by the one text of all decisions, first as
 * things are, then over resources and grants as the changes would leave them (ADR 0017).
 */
import type { OrganizationKey } from '#contract/ids.ts'
import { LIMITS } from '#contract/limits.ts'
import type { AccessRole, AccessType, ResourceType } from '#contract/permissions.ts'
import { setStatement } from '#platform/db/statement.ts'
import { joinMigrated } from '#tenancy/existence.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { CLOCK, DECISION_COLUMNS, type DecisionRow, decidedAs } from './decision-statements.ts'

export interface NamedResourceRow {
  organizationKey: OrganizationKey
  kind: ResourceType
  resourceId: string
}

export interface FoundResource {
  /** Null: there is none, not even a declared one. */
  resourceKey: string | null
  added: boolean
  /** The id that the document answers under now, when it was migrated. */
  migratedTo: string | null
}

/** What resources are there by these names, one row for each. */
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

/** A grant, a removal or an access type; of each user and resource, and of each access type, one row. */
export interface ChangeRow extends NamedResourceRow, RequestRow {
  /** A new one for what the change would declare; null: nothing is changed, the grant to take away is on nothing that is there. */
  resourceKey: string | null
  declared: boolean
  /** Null: an access type is set, or taken away when it is null. */
  userId: string | null
  accessType: AccessType | null
  /** Null: the grant is taken away. */
  role: AccessRole | null
  expiresAt: Date | null
}

/** Of the whole call. */
export interface SimulationRow extends ChangeRow {
  organizationId: string
  defaultAccessType: AccessType
  pageSize: number
  /** The last of the page before; null: the first page. */
  afterUserId: string | null
  afterKind: ResourceType | null
  afterResourceId: string | null
}

/** A pair that changes, with the counts of all; a single row with `userId` null when the page has none. */
export interface SimulatedRow {
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

/** Stands for all who have no grant: no user has this id. */
const EVERYONE = "''"

const ENOUGH = LIMITS.simulatedPairsMax + 1

/** The resource of `item` as the changes leave it; the boundary is computed anew, from own access types. */
const TARGET = /* sql */ `
        select item.new_chain as chain, item.new_boundary_at as boundary_at, item.new_access_type as access_type,
               item.new_is_disabled as is_disabled, (select organization_id from call) as organization_id`

/** The grants that were found, without those that the changes replace or take away, and those that they make. */
const GRANTS = /* sql */ `(
                    select f.position, f.role, f.expires_at from found f, overlay
                     where not overlay.grants ? (target.chain[f.position] || ' ' || item.user_id)
                    union all
                    select made.position, (made.change ->> 'role')::access_role, (made.change ->> 'expiresAt')::timestamptz
                      from (select at.position, overlay.grants -> (at.resource_key || ' ' || item.user_id) as change
                              from overlay, unnest(target.chain) with ordinality as at(resource_key, position)) made
                     where jsonb_typeof(made.change) = 'object'
                  ) held`

/**
 * What changes, in the order of user, kind and id. `overlay` has the changes as maps, because the planner cannot know how
 * many there are and a map is quick to look into whatever the plan: grants by resource and user, access types by
 * resource, and by resource the users whom its changes touch, `true` for everybody. `touched` are the resources in and
 * below changed ones, each once, for it starts from those that have no other above them. Nothing is decided when there
 * are too many pairs.
 */
export const SIMULATE = setStatement<SimulationRow, SimulatedRow>(
  'permissions.simulate',
  {
    req: 'int',
    kind: 'resource_kind',
    resourceId: 'text',
    resourceKey: 'uuid',
    declared: 'boolean',
    userId: 'text',
    role: 'access_role',
    expiresAt: 'timestamptz',
    accessType: 'access_type',
  },
  /* sql */ `
  with recursive ${CLOCK},
  call as materialized (select * from $requests),
  change as materialized (select * from $input where resource_key is not null),
  overlay as materialized (
    select (select coalesce(jsonb_object_agg(resource_key || ' ' || user_id, case when role is not null
                     then jsonb_build_object('role', role, 'expiresAt', expires_at) end), '{}')
              from change where user_id is not null) as grants,
           (select coalesce(jsonb_object_agg(resource_key, access_type), '{}') from change where user_id is null) as access_types,
           (select jsonb_object_agg(resource_key, users)
              from (select resource_key, case when bool_or(declared or user_id is null) then 'true' else jsonb_agg(user_id) end as users
                      from change group by resource_key) by_resource) as users
  ),
  changed as materialized (
    select c.*, coalesce(there.disabled, false) as disabled,
           coalesce(there.chain, case c.kind when 'organization' then array[c.resource_key]
                                 else array[call.organization_key, c.resource_key] end) as chain
      from call
     cross join (select distinct kind, resource_id as id, resource_key, declared from change) c
      left join lateral (
        select r.disabled, case r.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end as chain
          from resources r
          left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
         where r.organization_key = call.organization_key and r.resource_key = c.resource_key limit 1
      ) there on true
  ),
  top as materialized (
    select * from changed
     where declared or not (select users from overlay) ?| array(select above::text from unnest(chain[:cardinality(chain) - 1]) above)
  ),
  container as materialized (
    select r.resource_key, r.kind, r.id, r.path as chain
      from top
     cross join lateral (
        select r.* from resources r
         where r.organization_key = top.chain[1] and r.path >= top.chain
           and r.path < top.chain || 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid offset 0
     ) r
     where top.kind <> 'document' and not top.declared
     limit ${ENOUGH}
  ),
  touched as materialized (
    select kind, id, chain, false as disabled from container
    union all
    select d.kind, d.id, container.chain || d.resource_key, d.disabled
      from container
     cross join lateral (
        select d.* from resources d
         where d.organization_key = container.chain[1] and d.folder_key = container.resource_key and d.kind = 'document' offset 0
     ) d
     where container.kind = 'folder'
    union all
    select d.kind, d.id, container.chain || d.resource_key, d.disabled
      from container
     cross join lateral (
        select d.* from resources d
         where d.organization_key = container.chain[1] and d.folder_key is null and d.kind = 'document'
           and d.id > '' offset 0 -- all of them, by whichever index
     ) d
     where container.kind = 'organization'
    union all
    select kind, id, chain, disabled from top where kind = 'document' or declared
    limit ${ENOUGH}
  ),
  member (user_id) as (
    (select g.user_id from call join grants g on g.organization_key = call.organization_key
      where exists (select from change where declared or change.user_id is null)
      order by g.user_id limit 1)
    union all
    select next.user_id
      from call cross join member
     cross join lateral (
        select g.user_id from grants g where g.organization_key = call.organization_key and g.user_id > member.user_id
         order by g.user_id limit 1
     ) next
  ),
  everybody as materialized (
    select array_agg(distinct user_id) as users
      from (select ${EVERYONE} as user_id
            union all select user_id from $input where user_id is not null
            union all (select user_id from member limit ${ENOUGH})) known
  ),
  pair as materialized (
    select call.organization_key, t.kind, t.id as resource_id, touching.user_id, call.default_access_type, null::access_role as at_least,
           t.chain as new_chain, coalesce(boundary.position, 1) as new_boundary_at,
           case when t.kind <> 'organization' then coalesce(boundary.access_type, call.default_access_type) end as new_access_type,
           t.disabled or coalesce(o.disabled, false) as new_is_disabled
      from call
      left join organizations o on o.organization_key = call.organization_key
     cross join touched t
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
     cross join lateral (
        select distinct by.user_id
          from unnest(t.chain) as above(resource_key)
         cross join lateral (select (select users from overlay) -> above.resource_key::text as users offset 0) named
         cross join lateral unnest(case when named.users = 'true' then (select users from everybody)
                                        else array(select jsonb_array_elements_text(named.users)) end) as by(user_id)
     ) touching
     limit ${ENOUGH}
  ),
  question as (select * from pair where (select count(*) from pair) < ${ENOUGH}),
  known as materialized (
    with ${decidedAs('question item')}
    select d.organization_key, d.kind, d.resource_id, d.user_id, d.default_access_type, d.at_least,
           d.new_chain, d.new_boundary_at, d.new_access_type, d.new_is_disabled,
           (select to_jsonb(decision) from (select ${DECISION_COLUMNS}) decision) as before
      from decided d
  ),${decidedAs('known item', { target: TARGET, grants: GRANTS })},
  effect as materialized (
    select *
      from (select *, case when after -> 'allowed' <> before -> 'allowed' then case when after -> 'allowed' = 'true' then 'gained' else 'lost' end
                           when after -> 'allowed' = 'true' and (after -> 'accessRole', after -> 'expiresAt') is distinct from
                                                                (before -> 'accessRole', before -> 'expiresAt') then 'changed' end as effect
              from (select d.user_id collate "C" as user_id, d.kind, d.resource_id collate "C" as resource_id, d.before,
                           (select to_jsonb(decision) from (select ${DECISION_COLUMNS}) decision) as after
                      from decided d) two) judged
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
  select counts.*, page.user_id as "userId", page.kind, page.resource_id as "resourceId", page.before, page.after
    from counts
    left join (
      select e.* from effect e, call
       where e.user_id <> ${EVERYONE}
         and (call.after_user_id is null or (e.user_id, e.kind, e.resource_id) > (call.after_user_id, call.after_kind, call.after_resource_id))
       order by e.user_id, e.kind, e.resource_id limit (select page_size + 1 from call)
    ) page on true
   order by page.user_id, page.kind, page.resource_id`,
  {
    organizationKey: 'uuid',
    organizationId: 'text',
    defaultAccessType: 'access_type',
    pageSize: 'int',
    afterUserId: 'text',
    afterKind: 'resource_kind',
    afterResourceId: 'text',
  },
)
