/** SQL of the cutover of a migration. Runs under the lock of the organization. */
import { statement } from '#platform/db/statement.ts'
import { expiryEvents, RECORD_EVENTS } from '#tenancy/events/record.ts'
import { CLOCK_NOW, hasExpired } from '#tenancy/grants.ts'

/**
 * Reports expired grants on the target `$3`, and those of the same users on the source `$2`, that no sweep has reported
 * yet, because not all of them survive. Other grants on the source are not read, so their number does not matter. Joins
 * by `ctid`, which cannot change under the lock, and behind a fence: the index of due grants must not be used to find
 * the grants of two documents.
 */
export const EXPIRE_GRANTS = statement<never>(
  'migrations.expire-grants',
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  absorbed as materialized (
    select ctid, resource_key, principal, expires_at, expiry_event_at from grants
     where organization_key = $1 and resource_key = $3
  ),
  met as (
    select ctid, resource_key, expires_at, expiry_event_at from absorbed
     union all
    select g.* from absorbed a
     cross join lateral (
        select ctid, resource_key, expires_at, expiry_event_at from grants
         where organization_key = $1 and resource_key = $2 and principal = a.principal and kind = 'document' limit 1
     ) g
  ),
  due as materialized (
    select met.ctid, r.id as resource_id from met
     cross join lateral (select id from resources where organization_key = $1 and resource_key = met.resource_key limit 1) r
     where ${hasExpired('met.expires_at', CLOCK_NOW)} and met.expiry_event_at is null
  ),
  expired as (
    update grants g set expiry_event_at = (select now from clock) from due where g.ctid = due.ctid
    returning g.*, due.resource_id
  ),
  event as (${expiryEvents('expired', { position: 'expires_at', role: 'temporary_role' })}),
  ${RECORD_EVENTS}
  select null where false`,
)

/**
 * Copies the grants of a declared target to the source; where a user has a grant of the same kind on both, the source's
 * stays unless it had expired before `EXPIRE_GRANTS` (rules/resources.md#cutover).
 */
export const ABSORB_GRANTS = statement<never>(
  'migrations.absorb-grants',
  /* sql */ `
  insert into grants (organization_key, resource_key, principal, kind, standing_role, temporary_role, expires_at, expiry_event_at, expiring_at, provided_by)
  select organization_key, $2, principal, kind, standing_role, temporary_role, expires_at, expiry_event_at, expiring_at, provided_by
    from grants where organization_key = $1 and resource_key = $3
   order by principal
  on conflict (organization_key, resource_key, principal) do update
     set standing_role = coalesce(grants.standing_role, excluded.standing_role),
         (temporary_role, expires_at, expiry_event_at, expiring_at, provided_by) = (
            select t.temporary_role, t.expires_at, t.expiry_event_at, t.expiring_at, t.provided_by
              from (select 2 as choice, grants.temporary_role, grants.expires_at, grants.expiry_event_at, grants.expiring_at, grants.provided_by
                    union all
                    select case when grants.temporary_role is null
                                  or ${hasExpired('grants.expires_at')} and grants.expiry_event_at is not null
                                then 1 else 3 end,
                           excluded.temporary_role, excluded.expires_at, excluded.expiry_event_at, excluded.expiring_at, excluded.provided_by
                     where excluded.temporary_role is not null) t
             order by choice limit 1)`,
)

/** Points the aliases of the absorbed target to the source. */
export const ABSORB_ALIASES = statement<never>(
  'migrations.absorb-aliases',
  'update document_aliases set resource_key = $2 where organization_key = $1 and resource_key = $3',
)

/**
 * Moves the invitations to the absorbed target to the source. Of a person with pending ones to both, the source's stays
 * and the target's is deleted with it.
 */
export const ABSORB_INVITATIONS = statement<never>(
  'migrations.absorb-invitations',
  /* sql */ `
  update invitations i set resource_key = $2
   where i.organization_key = $1 and i.resource_key = $3
     and (i.status <> 'PENDING'
          or not exists (select from invitations s
                          where s.organization_key = $1 and s.resource_key = $2 and s.address = i.address and s.status = 'PENDING'))`,
)

/** Moves the activities on the absorbed target to the source. */
export const ABSORB_ACTIVITIES = statement<never>(
  'migrations.absorb-activities',
  'update activities set resource_key = $2 where organization_key = $1 and resource_key = $3',
)

/** Moves the notifications on the absorbed target to the source. */
export const ABSORB_NOTIFICATIONS = statement<never>(
  'migrations.absorb-notifications',
  'update notifications set resource_key = $2 where organization_key = $1 and resource_key = $3',
)

/** Moves the preferences for the absorbed target to the source, whose own levels stay. */
export const ABSORB_PREFERENCES = statement<never>(
  'migrations.absorb-preferences',
  /* sql */ `
  insert into notification_preferences as p (organization_key, resource_key, user_id, channels)
  select organization_key, $2, user_id, channels from notification_preferences
   where organization_key = $1 and resource_key = $3
   order by user_id
  on conflict (organization_key, resource_key, user_id) do update set channels = excluded.channels || p.channels`,
)

export const DELETE_ABSORBED = statement<never>(
  'migrations.delete-absorbed',
  'delete from resources where organization_key = $1 and resource_key = $2',
)

/** The cutover: gives the document its new id, makes the old id an alias, and deletes an alias of the new id. */
export const RENAME_DOCUMENT = statement<never>(
  'migrations.rename',
  /* sql */ `
  with released as (delete from document_aliases where organization_key = $1 and document_id = $4),
  renamed as (update resources set id = $4, updated_at = clock_timestamp() where organization_key = $1 and resource_key = $2)
  insert into document_aliases (organization_key, document_id, resource_key) values ($1, $3, $2)
  on conflict (organization_key, document_id) do update set resource_key = excluded.resource_key`,
)
