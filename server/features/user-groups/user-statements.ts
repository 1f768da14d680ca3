/** The SQL statements that change the users of user groups. */
import type { ResourceType } from '#contract/access/permissions.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { isLive } from '#tenancy/grants.ts'
import { groupPrincipal } from '#tenancy/principals.ts'
import { type AccessInForce, accessInForce } from '#tenancy/public-access.ts'
import type { UserGroupName } from './statements.ts'

export interface UserGroupUser extends UserGroupName {
  userId: string
}

/** A resource on which a group has a live grant; all columns are null for a group without grants. */
export interface GroupGrantRow extends AccessInForce {
  type: ResourceType | null
  id: string | null
}

/** Returns a row for each of at most `$3` live grants of group `$2`, at least one if the group exists, none if it does not. */
export const FIND_GROUP_GRANTS = statement<GroupGrantRow>(
  'user-groups.find-grants',
  /* sql */ `
  select named.type, named.id, named.access
    from user_groups t
    left join lateral (
      select r.kind as type, r.id, ${accessInForce('t.organization_key')}
        from (select g.resource_key from grants g
               where g.organization_key = t.organization_key and g.principal = ${groupPrincipal('t.group_id')} and ${isLive('g')}
               order by g.kind, g.resource_key limit $3::int) g
        join resources r on r.organization_key = t.organization_key and r.resource_key = g.resource_key
    ) named on true
   where t.organization_key = $1 and t.group_id = $2`,
)

/**
 * Adds users, each at most once, to an existing group. Returns the users who are members of the organization, and so are in
 * the group now. Runs under the organization's lock, so membership cannot be revoked concurrently.
 */
export const ADD_USER_GROUP_USERS = setStatement<UserGroupUser, { userId: string }>(
  'user-group-users.add',
  { organizationKey: 'uuid', groupId: 'text', userId: 'text', actor: 'jsonb' },
  /* sql */ `
  with named as materialized (
    select item.*
      from $input
     cross join lateral (
        select from grants g
         where g.organization_key = item.organization_key and g.resource_key = item.organization_key and g.principal = item.user_id
           and g.kind = 'organization' and ${isLive('g')} limit 1
      ) member
  ),
  written as (
    insert into user_group_members (organization_key, group_id, user_id)
    select organization_key, group_id, user_id from named order by organization_key, group_id, user_id
    on conflict (organization_key, group_id, user_id) do nothing
    returning user_id
  ),
  event as (
    select organization_key, ord as position, 'user_group.user_added' as type, null::resource_kind as resource_kind,
           group_id as resource_id, user_id, actor, null::jsonb as before, '{}'::jsonb as after
      from named where user_id in (select user_id from written)
  ),
  ${RECORD_EVENTS}
  select user_id as "userId" from named`,
)

/** Removes users, each at most once, from a group; returns those who were in it. Runs under the organization's lock. */
export const DELETE_USER_GROUP_USERS = setStatement<UserGroupUser, { userId: string }>(
  'user-group-users.delete',
  { organizationKey: 'uuid', groupId: 'text', userId: 'text', actor: 'jsonb' },
  /* sql */ `
  with removed as (
    delete from user_group_members m using (select * from $input) item
     where m.organization_key = item.organization_key and m.group_id = item.group_id and m.user_id = item.user_id
    returning item.*
  ),
  event as (
    select organization_key, ord as position, 'user_group.user_removed' as type, null::resource_kind as resource_kind,
           group_id as resource_id, user_id, actor, '{}'::jsonb as before, null::jsonb as after
      from removed
  ),
  ${RECORD_EVENTS}
  select user_id as "userId" from removed`,
)

/** Removes all users from a group and writes one event with their number. Runs under the organization's lock. */
export const EMPTY_USER_GROUP = setStatement<UserGroupName, never>(
  'user-group-users.delete-all',
  { organizationKey: 'uuid', groupId: 'text', actor: 'jsonb' },
  /* sql */ `
  with removed as (
    delete from user_group_members m using (select * from $input) item
     where m.organization_key = item.organization_key and m.group_id = item.group_id
    returning item.*
  ),
  event as (
    select organization_key, ord as position, 'user_group.emptied' as type, null::resource_kind as resource_kind,
           group_id as resource_id, null::text as user_id, actor, jsonb_build_object('users', count(*)) as before,
           null::jsonb as after
      from removed group by organization_key, ord, group_id, actor
  ),
  ${RECORD_EVENTS}
  select null where false`,
)
