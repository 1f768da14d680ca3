/** The SQL statements that revoke roles, and that find open organizations. */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { setStatement } from '#platform/db/statement.ts'
import { RECORD_EVENTS, REMOVAL_EVENTS } from '#tenancy/events/record.ts'
import { CLOCK_NOW, hasExpired, NO_TEMPORARY } from '#tenancy/grants.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import type { GrantName } from './rows.ts'

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
           is_first and ${hasExpired('expires_at', CLOCK_NOW)} and expiry_event_at is null as expiry_unreported
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
