/** The SQL statements that change the roles and grants of users. */
import type { ResourceType } from '#contract/access/permissions.ts'
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS, REMOVAL_EVENTS } from '#tenancy/events/record.ts'
import { CLOCK_NOW, expiryOf, hasExpired, liveRole } from '#tenancy/grants.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

export interface UserEventRow extends OrganizationRow {
  type: 'user.added' | 'user.updated'
  userId: string
  actor: Actor
  before: object | null
  after: object
}

/** Writes events of users to the stream of the organization of the call. Runs under its lock. */
export const RECORD_USER_EVENTS = setStatement<UserEventRow, never>(
  'users.record-events',
  { organizationKey: 'uuid', type: 'text', userId: 'text', actor: 'jsonb', before: 'jsonb', after: 'jsonb' },
  /* sql */ `
  with event as (
    select organization_key, ord as position, type, null::resource_kind as resource_kind, null::text as resource_id,
           user_id, actor, before, after
      from $input
  ),
  ${RECORD_EVENTS}
  select null where false`,
)

export interface UserName {
  organizationKey: string
  userId: string
  actor: Actor
}

/**
 * Removes users, each at most once, from an organization: deletes their grants and group memberships in it. Returns the
 * users who had any. Writes one event for each user, with counts. Runs under the organization's lock.
 */
export const DELETE_USERS = setStatement<UserName, { userId: string }>(
  'users.delete',
  { organizationKey: 'uuid', userId: 'text', actor: 'jsonb' },
  /* sql */ `
  with named as materialized (select * from $input),
  removed as (
    delete from grants g using named n
     where g.organization_key = n.organization_key and g.principal = n.user_id
    returning n.ord, g.kind, coalesce(${liveRole('g')}, g.temporary_role) as role, g.standing_role, g.expires_at
  ),
  left_groups as (
    delete from user_group_members m using named n
     where m.organization_key = n.organization_key and m.user_id = n.user_id
    returning n.ord
  ),
  granted as materialized (
    select ord, count(*) as permissions, max(role) filter (where kind = 'organization') as role,
           max(${expiryOf('removed', 'removed.role')}) filter (where kind = 'organization') as expires_at
      from removed group by ord
  ),
  grouped as materialized (select ord, count(*) as user_groups from left_groups group by ord),
  gone as materialized (
    select n.*, coalesce(permissions, 0) as permissions, coalesce(user_groups, 0) as user_groups, role, expires_at
      from named n left join granted using (ord) left join grouped using (ord)
     where permissions > 0 or user_groups > 0
  ),
  event as (
    select organization_key, ord as position, 'user.removed' as type, null::resource_kind as resource_kind,
           null::text as resource_id, user_id, actor,
           jsonb_build_object('accessRole', role, 'expiresAt', extract(epoch from expires_at)::bigint,
                              'permissions', permissions, 'userGroups', user_groups) as before,
           null::jsonb as after
      from gone
  ),
  ${RECORD_EVENTS}
  select user_id as "userId" from gone order by ord`,
)

/**
 * Revokes the grants of users, each at most once, on one folder or document; returns the users who had one. Runs under
 * the organization's lock.
 */
export const DELETE_USER_GRANTS = setStatement<
  UserName & { kind: ResourceType; resourceId: string },
  { userId: string }
>(
  'users.delete-grants',
  { organizationKey: 'uuid', kind: 'resource_kind', resourceId: 'text', userId: 'text', actor: 'jsonb' },
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  removed as (
    delete from grants g
     using (select * from $input) item
     cross join lateral (
        select r.resource_key from resources r
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r
     where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.principal = item.user_id
       and g.kind = item.kind
    returning item.*, g.principal, g.standing_role, g.temporary_role, g.expires_at,
              ${hasExpired('g.expires_at', CLOCK_NOW)} and g.expiry_event_at is null as expiry_unreported
  ),
  ${REMOVAL_EVENTS},
  ${RECORD_EVENTS}
  select user_id as "userId" from removed order by ord`,
)
