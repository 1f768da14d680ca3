/** The SQL statements that change the roles and grants of users. */
import type { AccessRole, ResourceType } from '#contract/access/permissions.ts'
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS, REMOVAL_EVENTS } from '#tenancy/events/record.ts'
import { expiryOf, isLive, joinEach, liveRole } from '#tenancy/grants.ts'
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

export interface RoleRow extends OrganizationRow {
  kind: ResourceType
  resourceId: string
  userId: string
  role: AccessRole
  actor: Actor
}

/** Changes the role that the live grants of users on a resource give, and keeps their expiry; returns the users with such a grant. Runs under the organization's lock. */
export const SET_ROLES = setStatement<RoleRow, { userId: string }>(
  'users.set-roles',
  {
    organizationKey: 'uuid',
    kind: 'resource_kind',
    resourceId: 'text',
    userId: 'text',
    role: 'access_role',
    actor: 'jsonb',
  },
  /* sql */ `
  with held as materialized (
    select item.*, g.resource_key, g.standing_role, g.temporary_role, g.expires_at
      from $input
      join resources r on r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id
      join grants g on g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.principal = item.user_id
     where ${isLive('g')}
  ),
  each_live as (
    select h.*, each_grant.is_temporary, each_grant.role as old_role, each_grant.expires_at as old_expires_at
      from held h${joinEach('h')}
     where h.role <> ${liveRole('h')} and each_grant.role <> h.role and (not each_grant.is_temporary or h.expires_at > coalesce($now, clock_timestamp()))
  ),
  changed as (
    update grants g
       set standing_role = case when g.standing_role is not null then held.role end,
           temporary_role = case when g.expires_at > coalesce($now, clock_timestamp()) then held.role else g.temporary_role end
      from held
     where g.organization_key = held.organization_key and g.resource_key = held.resource_key and g.principal = held.user_id
       and exists (select from each_live e where e.ord = held.ord)
  ),
  event as (
    select organization_key, 2 * ord + is_temporary::int as position, 'permission.added' as type, kind as resource_kind, resource_id, user_id, actor,
           jsonb_build_object('accessRole', old_role, 'expiresAt', extract(epoch from old_expires_at)::bigint) as before,
           jsonb_build_object('accessRole', role, 'expiresAt', extract(epoch from old_expires_at)::bigint) as after
      from each_live
  ),
  ${RECORD_EVENTS}
  select user_id as "userId" from held`,
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

/** Revokes the grants of users, each at most once, on one folder or document; returns the users who had one. Runs under the organization's lock. */
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
    returning item.*, g.principal, g.standing_role, g.temporary_role, g.expires_at,
              g.expires_at <= (select now from clock) and g.expiry_event_at is null as expiry_unreported
  ),
  ${REMOVAL_EVENTS},
  ${RECORD_EVENTS}
  select user_id as "userId" from removed order by ord`,
)
