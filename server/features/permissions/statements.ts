/**
 * Every SQL text of grants; that of decisions is in `decision-statements.ts`. `lateral (… limit 1)` is a probe by key that stays
 * one whatever the planner knows of the tables: joined freely, it read all grants of a user instead of one a resource.
 * Probes of grants name the kind too, so that either index of the table serves them whole.
 */
import type { AccessRole, ResourceType } from '#contract/permissions.ts'
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { expiryEvents, OPEN_ORGANIZATIONS, RECORD_EVENTS, REMOVAL_EVENTS } from '#tenancy/events/record.ts'
import { joinMigrated } from '#tenancy/existence.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

/** A resource of an organization, and a user. */
export interface GrantName extends OrganizationRow {
  kind: ResourceType
  resourceId: string
  userId: string
  actor: Actor
}

export interface GrantRow extends GrantName {
  /** Null: as rules/access.md#sign-in-grants has it, `editor`, or with `keep` the role of a live grant. */
  role: AccessRole | null
  expiresAt: Date | null
  /** When the event that the grant is about to end is due; null: it has none. */
  expiringAt: Date | null
  /** Of a call that is repeated at every sign-in: keeps the role of a live grant, never makes a permanent one temporary. */
  keep: boolean
  /** Refuse the request when the resource was not added. */
  knownOnly: boolean
  /** Add the folder or document when it is not there, instead of only declaring it. */
  createResource: boolean
}

export interface GrantOutcome extends RequestRow {
  ord: number
  outcome: 'ok' | 'resource_does_not_exist' | 'document_was_migrated'
  migratedTo: string | null
}

/**
 * The CTEs `clock` and `named`: the rows of `$input`, what they name, and the grant that stands there. `outcome` says whether
 * a row is refused; `knownOnly` and `createOrganization` are asked of it.
 */
export const findNamed = (knownOnly: string, createOrganization: string): string => /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  named as materialized (
    select item.*, o.added_at is not null as organization_added,
           r.resource_key, r.added_at is not null as resource_added, moved.id as migrated_to,
           case when moved.id is not null then 'document_was_migrated'
                when ${knownOnly} and r.added_at is null then 'resource_does_not_exist'
                when o.added_at is null and not ${createOrganization} then 'resource_does_not_exist'
                else 'ok' end as outcome,
           g.user_id is not null as granted, g.role as old_role, g.expires_at as old_expires_at,
           g.expiry_event_at is not null as expiry_reported,
           g.user_id is not null and (g.expires_at is null or g.expires_at > (select now from clock)) as live
      from $input
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key, r.added_at from resources r
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r on true
      ${joinMigrated('item.organization_key', 'item.resource_id', "item.kind = 'document' and r.resource_key is null")}
      left join lateral (
        select g.user_id, g.role, g.expires_at, g.expiry_event_at from grants g
         where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.user_id = item.user_id
           and g.kind = item.kind limit 1
      ) g on true
  )`

/** The CTEs `missing` and `created`: resources that are named by rows of `accepted` and not there, and where they come into being. */
export const declareMissing = (adds: string): string => /* sql */ `
  missing as materialized (
    select m.*, gen_random_uuid() as resource_key
      from (select organization_key, kind, resource_id, ${adds} as adds
              from accepted where resource_key is null and kind <> 'organization'
             group by organization_key, kind, resource_id) m
  ),
  created as (
    insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
    select organization_key, resource_key, kind, resource_id, case when adds then clock_timestamp() end,
           case when kind = 'folder' then array[organization_key, resource_key] end,
           case when kind = 'folder' then 1 end, case when kind = 'folder' then organization_key end
      from missing order by organization_key, kind, resource_id
  )`

/** The CTE `written`: grants of the rows of `from`, named `a`, that meet the condition; of each user and resource one. */
export const writeGrants = (from: string, condition: string): string => /* sql */ `
  written as (
    insert into grants (organization_key, resource_key, user_id, kind, role, expires_at, expiring_at)
    select a.organization_key, coalesce(a.resource_key, m.resource_key, a.organization_key) as target,
           a.user_id, a.kind, a.new_role, a.new_expires_at,
           case when a.new_expires_at is not null and a.expiring_at > (select now from clock) then a.expiring_at end
      from ${from} a
      left join missing m on m.organization_key = a.organization_key and m.kind = a.kind and m.resource_id = a.resource_id
     where ${condition}
     order by a.organization_key, target, a.user_id
    on conflict (organization_key, resource_key, user_id) do update
       set role = excluded.role, expires_at = excluded.expires_at, expiry_event_at = null,
           expiring_at = excluded.expiring_at
  )`

/**
 * Grants roles on resources. A request is all or nothing: no row of a `req` with a refused one is written. Rows are
 * applied as if one after the other in their order: of several for one user and resource the last wins, and each writes
 * its event with what stood before it, and if that had expired and no sweep has told so, the event of that. A row that
 * changes nothing writes nothing. Runs under the lock of its organizations, so what it reads is what it changes. With
 * `keep` a user and resource may appear once.
 */
export const ADD_PERMISSIONS = setStatement<GrantRow & RequestRow, GrantOutcome>(
  'permissions.add',
  {
    req: 'int',
    organizationKey: 'uuid',
    createOrganization: 'boolean',
    kind: 'resource_kind',
    resourceId: 'text',
    userId: 'text',
    role: 'access_role',
    expiresAt: 'timestamptz',
    expiringAt: 'timestamptz',
    keep: 'boolean',
    knownOnly: 'boolean',
    createResource: 'boolean',
    actor: 'jsonb',
  },
  /* sql */ `${findNamed('item.known_only', 'item.create_organization')},
  accepted as materialized (
    select n.*,
           case when keeps_permanent then old_role
                when keep and live then coalesce(role, old_role)
                else coalesce(role, 'editor') end as new_role,
           case when keeps_permanent then null else expires_at end as new_expires_at
      from (select named.*,
                   keep and live and old_expires_at is null and expires_at is not null as keeps_permanent,
                   bool_and(outcome = 'ok') over (partition by req) as all_ok
              from named) n
     where all_ok
  ),
  applied as materialized (
    select *, coalesce(bool_or(changes) over (pair rows between unbounded preceding and 1 preceding), false) as changed_before
      from (select *, not existed or (before_role, before_expires_at) is distinct from (new_role, new_expires_at) as changes
              from (select *, nth > 1 or granted as existed,
                           case when nth = 1 then old_role else earlier_role end as before_role,
                           case when nth = 1 then old_expires_at else earlier_expires_at end as before_expires_at
                      from (select accepted.*, row_number() over pair as nth,
                                   count(*) over (partition by organization_key, kind, resource_id, user_id) as total,
                                   lag(new_role) over pair as earlier_role, lag(new_expires_at) over pair as earlier_expires_at
                              from accepted
                            window pair as (partition by organization_key, kind, resource_id, user_id order by ord)) a) b) c
    window pair as (partition by organization_key, kind, resource_id, user_id order by ord)
  ),
  opening as (select distinct organization_key from accepted where not organization_added),
  ${OPEN_ORGANIZATIONS},
${declareMissing('bool_or(create_resource)')},
  adopted as (
    update resources r set added_at = clock_timestamp()
      from (select distinct organization_key, resource_key from accepted
             where create_resource and resource_key is not null and not resource_added) d
     where r.organization_key = d.organization_key and r.resource_key = d.resource_key
    returning r.organization_key, r.kind, r.id
  ),
${writeGrants('applied', 'a.nth = a.total and (a.changes or a.changed_before)')},
  event as (
    select organization_key, 0 as position, 'organization.added' as type,
           null::resource_kind as resource_kind, null as resource_id, null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from (select distinct on (organization_key) * from accepted where not organization_added order by organization_key, ord) first
    union all
    select a.organization_key, 1, a.kind::text || '.added', a.kind, a.resource_id, null, a.actor, null, '{}'
      from (select distinct on (organization_key, kind, resource_id) * from accepted
             where create_resource and not coalesce(resource_added, false) and kind <> 'organization'
             order by organization_key, kind, resource_id, ord) a
    union all
    select organization_key, 1 + 2 * ord, 'permission.added', kind, resource_id, user_id, actor,
           case when existed then jsonb_build_object('accessRole', before_role, 'expiresAt', extract(epoch from before_expires_at)::bigint) end,
           jsonb_build_object('accessRole', new_role, 'expiresAt', extract(epoch from new_expires_at)::bigint)
      from applied where changes
    union all${expiryEvents('applied', { position: '2 * ord', role: 'before_role', expiresAt: 'before_expires_at' })}
     where changes and before_expires_at <= (select now from clock) and (changed_before or not expiry_reported)
  ),
  ${RECORD_EVENTS}
  select req, ord, outcome, migrated_to as "migratedTo" from named order by ord`,
)

/** Takes grants away; one that is not there is no fault. Runs under the lock of its organizations. */
export const REMOVE_PERMISSIONS = setStatement<GrantName & RequestRow, RequestRow>(
  'permissions.remove',
  { req: 'int', organizationKey: 'uuid', kind: 'resource_kind', resourceId: 'text', userId: 'text', actor: 'jsonb' },
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  removed as (
    delete from grants g
     using (select distinct on (organization_key, kind, resource_id, user_id) * from $input
             order by organization_key, kind, resource_id, user_id, ord) item
     cross join lateral (
        select r.resource_key from resources r
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r
     where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.user_id = item.user_id
       and g.kind = item.kind
    returning g.organization_key, item.ord, item.kind, item.resource_id, g.user_id, item.actor, g.role, g.expires_at,
              g.expires_at <= (select now from clock) and g.expiry_event_at is null as expiry_unreported
  ),
  ${REMOVAL_EVENTS},
  ${RECORD_EVENTS}
  select null::int as req where false`,
)
