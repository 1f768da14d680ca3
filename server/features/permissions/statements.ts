/** The SQL statements that grant and revoke roles. */
import type { OrganizationKey } from '#contract/ids.ts'
import { setStatement } from '#platform/db/statement.ts'
import { OPEN_ORGANIZATIONS, RECORD_EVENTS, REMOVAL_EVENTS } from '#tenancy/events/record.ts'
import { NO_TEMPORARY } from '#tenancy/grants.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { CODE_BITS, expiryIn } from './grant-codes.ts'
import {
  AFTER,
  declareMissing,
  findNamed,
  type GrantName,
  type GrantOutcome,
  type GrantRow,
  grantEvents,
  writeGrants,
} from './grant-ctes.ts'

/** The number of the grant of a kind that the earlier rows of the statement leave; null: they do not touch it. */
const earlier = (kind: string) => /* sql */ `
       max(case when given_${kind} > 0 or replaces then ord::bigint << ${CODE_BITS} | given_${kind} end)
         over (pair rows between unbounded preceding and 1 preceding) & ((1::bigint << ${CODE_BITS}) - 1)`

/**
 * Grants roles on resources. A request is all or nothing: if one row of a `req` is refused, none is written. Rows apply as
 * if sequentially, in their order: of each kind of grant, the last row for the same user and resource wins. Each row writes
 * its events with the previous value, preceded by the expiry event if the previous grant expired without one. A row that
 * changes nothing writes nothing. Runs under the lock of its organizations, so the values it reads are the values it changes.
 * With `keep`, each kind of grant of a user and a resource may appear only once.
 */
export const ADD_PERMISSIONS = setStatement<GrantRow & RequestRow, GrantOutcome>(
  'permissions.add',
  {
    req: 'int',
    organizationKey: 'uuid',
    createOrganization: 'boolean',
    kind: 'resource_kind',
    resourceId: 'text',
    principal: 'text',
    standingRole: 'access_role',
    temporaryRole: 'access_role',
    expiresAt: 'timestamptz',
    replaces: 'boolean',
    expiringSoonSeconds: 'int',
    keep: 'boolean',
    knownOnly: 'boolean',
    createResource: 'boolean',
    actor: 'jsonb',
  },
  /* sql */ `${findNamed('item.known_only', 'item.create_organization')},
  accepted as materialized (
    select n.organization_key, n.ord, n.kind, n.resource_id, n.principal, n.actor, n.replaces, n.create_resource, n.expiring_soon_seconds,
           n.organization_added, n.resource_key, n.resource_added, n.old_standing, n.old_temporary, n.old_expires_at,
           n.old_expiry_event_at, n.old_expiring_at, n.old_provided_by,
           case when given_standing > 0 then coalesce(kept_role, given_standing) else 0 end as given_standing,
           case when given_temporary > 0 then (given_temporary & ~3::bigint) | coalesce(kept_role, given_temporary & 3) else 0 end as given_temporary
      from (select named.*, bool_and(outcome = 'ok') over (partition by req) as all_ok,
                   case when not keep then null
                        when given_standing > 0 then coalesce(nullif(old_standing, 0), case when replaces then live_temporary end)
                        else coalesce(live_temporary, case when replaces then nullif(old_standing, 0) end) end as kept_role
              from (select *, case when old_expires_at > (select now from clock) then old_temporary & 3 end as live_temporary from named) named) n
     where all_ok
  ),
  applied as materialized (
    select *, bool_or(changes_standing or changes_temporary or takes_over) over pair as pair_changes,
           bool_or(changes_temporary or takes_over) over pair as renews,
           ord = max(ord) over pair as is_last,
           changes_temporary and ${expiryIn('before_temporary')} <= (select now from clock)
             and (old_expiry_event_at is null or coalesce(bool_or(changes_temporary) over earlier, false)) as expired_unreported
      from (select *, before_standing <> after_standing as changes_standing, before_temporary <> after_temporary as changes_temporary,
                   -- the same as a permission provider has given: it stays after a sign-out
                   given_temporary > 0 and old_provided_by is not null and old_expires_at > (select now from clock) as takes_over
              from (select *,${AFTER}
                      from (select *, coalesce(${earlier('standing')}, old_standing) as before_standing,
                                   coalesce(${earlier('temporary')}, old_temporary) as before_temporary
                              from accepted
                            window pair as (partition by organization_key, kind, resource_id, principal order by ord)) a) b) c
    window pair as (partition by organization_key, kind, resource_id, principal),
           earlier as (partition by organization_key, kind, resource_id, principal order by ord rows between unbounded preceding and 1 preceding)
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
${writeGrants('a.is_last and a.pair_changes')},
  event as (
    select organization_key, 0 as position, 'organization.added' as type,
           null::resource_kind as resource_kind, null as resource_id, null as user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from (select distinct on (organization_key) * from accepted where not organization_added order by organization_key, ord) first
    union all
    select a.organization_key, 1, a.kind::text || '.added', a.kind, a.resource_id, null, a.actor, null, '{}'
      from (select distinct on (organization_key, kind, resource_id) * from accepted
             where create_resource and not coalesce(resource_added, false) and kind <> 'organization'
             order by organization_key, kind, resource_id, ord) a
    union all${grantEvents('actor')}
  ),
  ${RECORD_EVENTS}
  select req, ord, outcome, migrated_to as "migratedTo" from named order by ord`,
)

/**
 * Revokes the grants of users, with `temporaryOnly` only the temporary one; a missing grant is not an error. Each grant is
 * revoked by the first row that names it. Runs under the lock of its organizations.
 */
export const REMOVE_PERMISSIONS = setStatement<GrantName & { temporaryOnly: boolean } & RequestRow, RequestRow>(
  'permissions.remove',
  {
    req: 'int',
    organizationKey: 'uuid',
    kind: 'resource_kind',
    resourceId: 'text',
    principal: 'text',
    temporaryOnly: 'boolean',
    actor: 'jsonb',
  },
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  -- The first row of a pair revokes the temporary grant, the first without temporaryOnly the standing one: perhaps a later call.
  named as materialized (
    select item.*, row_number() over pair = 1 as is_first, min(ord) filter (where not temporary_only) over pair_all as full_ord
      from $input
    window pair_all as (partition by organization_key, kind, resource_id, principal), pair as (pair_all order by ord)
  ),
  held as materialized (
    select n.*, r.resource_key, g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at,
           n.full_ord is null and g.standing_role is not null as keeps_standing
      from named n
     cross join lateral (
        select r.resource_key from resources r
         where r.organization_key = n.organization_key and r.kind = n.kind and r.id = n.resource_id limit 1
      ) r
     cross join lateral (
        select g.standing_role, g.temporary_role, g.expires_at, g.expiry_event_at from grants g
         where g.organization_key = n.organization_key and g.resource_key = r.resource_key and g.principal = n.principal
           and g.kind = n.kind limit 1
      ) g
     where n.is_first or n.ord = n.full_ord
  ),
  deleted as (
    delete from grants g using held h
     where h.is_first and not h.keeps_standing and g.organization_key = h.organization_key and g.resource_key = h.resource_key
       and g.principal = h.principal and g.kind = h.kind
  ),
  shortened as (
    update grants g set ${NO_TEMPORARY} from held h
     where h.is_first and h.keeps_standing and h.temporary_role is not null and g.organization_key = h.organization_key
       and g.resource_key = h.resource_key and g.principal = h.principal and g.kind = h.kind
  ),
  removed as (
    select organization_key, kind, resource_id, principal, ord, actor, case when ord = full_ord then standing_role end as standing_role,
           case when is_first then temporary_role end as temporary_role, expires_at,
           is_first and expires_at <= (select now from clock) and expiry_event_at is null as expiry_unreported
      from held
  ),
  ${REMOVAL_EVENTS},
  ${RECORD_EVENTS}
  select null::int as req where false`,
)

/** Returns the organizations that exist and are not disabled. */
export const FIND_OPEN_ORGANIZATIONS = setStatement<
  { organizationKey: OrganizationKey },
  { organizationKey: OrganizationKey }
>(
  'permissions.find-open-organizations',
  { organizationKey: 'uuid' },
  /* sql */ `
  select item.organization_key as "organizationKey"
    from $input
   where exists (select from organizations o
                  where o.organization_key = item.organization_key and o.added_at is not null and not o.disabled)`,
)
