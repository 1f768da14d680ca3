/**
 * The CTEs shared by the SQL statements that add grants, and the rows they read. `lateral (… limit 1)` forces a lookup by
 * key whatever the planner estimates: with a plain join it read all grants of a user instead of one for each resource.
 * Lookups of grants also name the kind, so that either index of the table covers them.
 */
import type { AccessRole, ResourceType } from '#contract/access/permissions.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { EXPIRY_ACTOR, NEW_ROOTS, ROOT_COLUMNS } from '#tenancy/events/record.ts'
import { joinMigrated } from '#tenancy/existence.ts'
import { userIn } from '#tenancy/principals.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'
import { codeOf, eventOf, expiryIn, roleIn } from './codes.ts'

/** A resource and a principal: together they identify a grant. */
export interface GrantName extends OrganizationRow {
  kind: ResourceType
  resourceId: string
  /** See `tenancy/principals.ts`. */
  principal: string
  actor: Actor
}

/** What a call writes for a principal and a resource: a standing grant, a temporary one, or both. */
export interface WrittenGrants {
  standingRole: AccessRole | null
  /** Null exactly if `expiresAt` is. */
  temporaryRole: AccessRole | null
  expiresAt: Date | null
  /** A grant of the kind that is not written is revoked. */
  replaces: boolean
}

export interface GrantRow extends GrantName, WrittenGrants {
  /** How long before the expiry the `permission.expiring` event is due; 0: never. */
  expiringSoonSeconds: number
  /** Refuses the request if the resource was not added. */
  knownOnly: boolean
}

export interface GrantOutcome extends RequestRow {
  ord: number
  outcome: 'ok' | 'resource_does_not_exist' | 'document_was_migrated'
  migratedTo: string | null
}

/**
 * Returns the CTEs `clock` and `named`: the rows of `$input` with the resource they name and the grants on it. `outcome`
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
           ${codeOf('item.standing_role')} as given_standing, ${codeOf('item.temporary_role', 'item.expires_at')} as given_temporary,
           ${codeOf('g.standing_role')} as old_standing, ${codeOf('g.temporary_role', 'g.expires_at')} as old_temporary,
           g.expires_at as old_expires_at, g.expiry_event_at as old_expiry_event_at, g.expiring_at as old_expiring_at, g.provided_by as old_provided_by
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
        select g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at, g.expiring_at, g.provided_by from grants g
         where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.principal = item.principal
           and g.kind = item.kind limit 1
      ) g on true
  )`

/**
 * Returns the CTEs `missing` and `created`: `missing` has the resources that `accepted` names and that do not exist; `created`
 * inserts them, and the resources of the organizations of the CTE `opening` (see `NEW_ROOTS`).
 */
export const declareMissing = (adds: string): string => /* sql */ `
  missing as materialized (
    select m.*, gen_random_uuid() as resource_key
      from (select organization_key, kind, resource_id, ${adds} as adds
              from accepted where resource_key is null and kind <> 'organization'
             group by organization_key, kind, resource_id) m
  ),
  created as (
    insert into resources ${ROOT_COLUMNS}${NEW_ROOTS}
    union all
    select organization_key, resource_key, kind, resource_id, case when adds then clock_timestamp() end,
           case when kind = 'folder' then array[organization_key, resource_key] end,
           case when kind = 'folder' then 1 end, case when kind = 'folder' then organization_key end
      from missing
     order by 1, 3, 4
  )`

/**
 * Returns the columns of the grants after a row that finds the grants `before_standing` and `before_temporary`: a given one
 * replaces that of its kind, and with `replaces` the other kind ends.
 */
export const AFTER = /* sql */ `
           case when given_standing > 0 then given_standing when replaces then 0 else before_standing end as after_standing,
           case when given_temporary > 0 then given_temporary when replaces then 0 else before_temporary end as after_temporary`

/**
 * Returns the CTE `written`, which stores the grants of the rows `a` of `applied` that meet the condition: at most one row for
 * each principal and resource. Unless the temporary grant was changed (`a.renews`), what its sweeps did stays done, and the permission
 * provider that gave it stays named; `providedBy` is the API key whose provider gives a new one.
 */
export const writeGrants = (condition: string, providedBy = 'null'): string => /* sql */ `
  written as (
    insert into grants (organization_key, resource_key, principal, kind, standing_role, temporary_role, expires_at, expiry_event_at, expiring_at, provided_by)
    select a.organization_key, coalesce(a.resource_key, m.resource_key, a.organization_key) as target,
           a.principal, a.kind, ${roleIn('a.after_standing')}, ${roleIn('a.after_temporary')}, e.expires_at,
           case when not a.renews then a.old_expiry_event_at end,
           case when not a.renews then a.old_expiring_at
                when a.expiring_soon_seconds > 0 and e.due > (select now from clock) then e.due end,
           case when a.renews then ${providedBy} else a.old_provided_by end
      from applied a
     cross join lateral (
        select expires_at, expires_at - make_interval(secs => a.expiring_soon_seconds) as due
          from (select ${expiryIn('a.after_temporary')} as expires_at) expiry
     ) e
      left join missing m on m.organization_key = a.organization_key and m.kind = a.kind and m.resource_id = a.resource_id
     where ${condition}
     order by a.organization_key, target, a.principal
    on conflict (organization_key, resource_key, principal) do update
       set standing_role = excluded.standing_role, temporary_role = excluded.temporary_role, expires_at = excluded.expires_at,
           expiry_event_at = excluded.expiry_event_at, expiring_at = excluded.expiring_at, provided_by = excluded.provided_by
  )`

/**
 * Returns the part of the CTE `event` for the changes of `applied`, from position 4 on: of each row first what was revoked. A
 * temporary grant that expired without an event (`expired_unreported`) gets that event before it is replaced.
 */
export const grantEvents = (actor: string): string => /* sql */ `
    select organization_key, 4 * ord + case when nth > 0 and after_code = 0 then 1 else nth end,
           case when nth = 0 then 'permission.expired' when after_code = 0 then 'permission.removed' else 'permission.added' end,
           kind, resource_id, ${userIn('principal')}, case when nth = 0 then ${EXPIRY_ACTOR} else actor end,
           ${eventOf('before_code')}, ${eventOf('after_code')}
      from (select organization_key, ord, nth, kind, resource_id, principal, ${actor} as actor,
                   case nth when 2 then before_standing else before_temporary end as before_code,
                   case nth when 2 then after_standing when 3 then after_temporary else 0 end as after_code
              from applied
             cross join (values (0), (2), (3)) change(nth)
             where case nth when 0 then expired_unreported when 2 then changes_standing else changes_temporary end
            offset 0) change -- "offset 0" keeps PostgreSQL from computing the numbers again for each use`
