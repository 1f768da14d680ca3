/**
 * The CTEs shared by the SQL statements that add grants, and the rows they read. `lateral (… limit 1)` forces a lookup by
 * key whatever the planner estimates: with a plain join it read all grants of a user instead of one for each resource.
 * Lookups of grants also name the kind, so that either index of the table covers them.
 */
import type { AccessRole, ResourceType } from '#contract/permissions.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { joinMigrated } from '#tenancy/existence.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

/** A resource and a user: together they identify a grant. */
export interface GrantName extends OrganizationRow {
  kind: ResourceType
  resourceId: string
  userId: string
  actor: Actor
}

export interface GrantRow extends GrantName {
  /** Null: `editor`, or with `keep` the role of the live grant (rules/access.md#sign-in-grants). */
  role: AccessRole | null
  expiresAt: Date | null
  /** When the `permission.expiring` event is due; null: never. */
  expiringAt: Date | null
  /** For calls repeated at every sign-in: keeps the role of a live grant and never makes a permanent grant temporary. */
  keep: boolean
  /** Refuses the request if the resource was not added. */
  knownOnly: boolean
  /** Adds a missing folder or document instead of only declaring it. */
  createResource: boolean
}

export interface GrantOutcome extends RequestRow {
  ord: number
  outcome: 'ok' | 'resource_does_not_exist' | 'document_was_migrated'
  migratedTo: string | null
}

/**
 * Returns the CTEs `clock` and `named`: the rows of `$input` with the resource they name and its current grant. `outcome`
 * is `'ok'` or the refusal; the conditions `knownOnly` and `createOrganization` decide it.
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

/** Returns the CTEs `missing` and `created`: `missing` has the resources that `accepted` names and that do not exist; `created` inserts them. */
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

/** Returns the CTE `written`, which stores the grants of the rows `a` of `from` that meet the condition: at most one for each user and resource. */
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
