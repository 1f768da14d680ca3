/** The SQL statements of user groups. Events name the group as their resource, without a kind: the event type identifies it. */
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { OPEN_ORGANIZATIONS, OPENING_EVENTS, opening, RECORD_EVENTS } from '#tenancy/events/record.ts'
import { byName, type Positioned } from '#tenancy/name-order.ts'
import { groupPrincipal } from '#tenancy/principals.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

export interface NewUserGroup extends OrganizationRow {
  groupId: string
  name: string | null
  actor: Actor
}

export interface NewUserGroupOutcome {
  groupId: string
  outcome: 'ok' | 'organization_does_not_exist' | 'already_exists'
}

/** Adds groups, each id at most once. Runs under the organization's lock. */
export const ADD_USER_GROUPS = setStatement<NewUserGroup, NewUserGroupOutcome>(
  'user-groups.add',
  { organizationKey: 'uuid', createOrganization: 'boolean', groupId: 'text', name: 'text', actor: 'jsonb' },
  /* sql */ `
  with named as materialized (
    select item.*, o.added_at is not null as organization_added,
           case when o.added_at is null and not item.create_organization then 'organization_does_not_exist'
                when held.group_id is not null then 'already_exists'
                else 'ok' end as outcome
      from $input
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select t.group_id from user_groups t
         where t.organization_key = item.organization_key and t.group_id = item.group_id limit 1
      ) held on true
  ),
  accepted as (select * from named where outcome = 'ok'),
  ${opening('accepted')},
  ${OPEN_ORGANIZATIONS},
  written as (
    insert into user_groups (organization_key, group_id, name)
    select organization_key, group_id, name from accepted order by organization_key, group_id
  ),
  event as (${OPENING_EVENTS}
    union all
    select organization_key, ord, 'user_group.added', null, group_id, null, actor, null, jsonb_build_object('groupName', name)
      from accepted
  ),
  ${RECORD_EVENTS}
  select group_id as "groupId", outcome from named order by ord`,
)

export interface UserGroupRow {
  groupId: string
  name: string | null
}

/** Lists at most `$3` groups of an organization in id order, after `$2`. */
export const LIST_USER_GROUPS = statement<UserGroupRow>(
  'user-groups.list',
  /* sql */ `
  select group_id as "groupId", name from user_groups
   where organization_key = $1 and group_id > $2 order by group_id limit $3::int`,
)

/** Lists at most `$3` groups by name, after the position `$2`. */
export const LIST_USER_GROUPS_BY_NAME = byName(
  { name: 'g.name', id: 'g.group_id', after: '$2' },
  ({ orderBy, position, following, order }) =>
    statement<UserGroupRow & Positioned>(
      `user-groups.list by ${orderBy}`,
      /* sql */ `
  select g.group_id as "groupId", g.name, ${position} from user_groups g
   where g.organization_key = $1 and ${following} order by ${order} limit $3::int`,
    ),
)

/** Returns the named groups that exist, in any order. */
export const FIND_USER_GROUPS = setStatement<{ organizationKey: string; groupId: string }, UserGroupRow>(
  'user-groups.get',
  { organizationKey: 'uuid', groupId: 'text' },
  /* sql */ `
  select t.group_id as "groupId", t.name
    from $input
   cross join lateral (
      select t.group_id, t.name from user_groups t
       where t.organization_key = item.organization_key and t.group_id = item.group_id limit 1
    ) t`,
)

export interface UserGroupName {
  organizationKey: string
  groupId: string
  actor: Actor
}

/** Renames groups, each at most once; returns those that exist. Runs under the organization's lock. */
export const UPDATE_USER_GROUPS = setStatement<UserGroupName & { name: string | null }, { groupId: string }>(
  'user-groups.update',
  { organizationKey: 'uuid', groupId: 'text', name: 'text', actor: 'jsonb' },
  /* sql */ `
  with named as materialized (
    select item.*, t.name as old_name
      from $input
     cross join lateral (
        select t.name from user_groups t
         where t.organization_key = item.organization_key and t.group_id = item.group_id limit 1
      ) t
  ),
  changed as (select * from named where name is distinct from old_name),
  written as (
    update user_groups t set name = c.name from changed c
     where t.organization_key = c.organization_key and t.group_id = c.group_id
  ),
  event as (
    select organization_key, ord as position, 'user_group.updated' as type, null::resource_kind as resource_kind,
           group_id as resource_id, null::text as user_id, actor,
           jsonb_build_object('groupName', old_name) as before, jsonb_build_object('groupName', name) as after
      from changed
  ),
  ${RECORD_EVENTS}
  select group_id as "groupId" from named`,
)

/** Deletes groups, each at most once, with their memberships and grants; returns those that existed. Runs under the organization's lock. */
export const DELETE_USER_GROUPS = setStatement<UserGroupName, { groupId: string }>(
  'user-groups.delete',
  { organizationKey: 'uuid', groupId: 'text', actor: 'jsonb' },
  /* sql */ `
  with item as materialized (select * from $input),
  emptied as (
    delete from user_group_members m using item
     where m.organization_key = item.organization_key and m.group_id = item.group_id
    returning item.ord
  ),
  users as materialized (select ord, count(*) as users from emptied group by ord),
  revoked as (
    delete from grants g using item
     where g.organization_key = item.organization_key and g.principal = ${groupPrincipal('item.group_id')}
    returning item.ord
  ),
  permissions as materialized (select ord, count(*) as permissions from revoked group by ord),
  deleted as (
    delete from user_groups t using item
     where t.organization_key = item.organization_key and t.group_id = item.group_id
    returning item.*, t.name
  ),
  event as (
    select organization_key, ord as position, 'user_group.deleted' as type, null::resource_kind as resource_kind,
           group_id as resource_id, null::text as user_id, actor,
           jsonb_build_object('groupName', name, 'users', coalesce(users.users, 0),
                              'permissions', coalesce(permissions.permissions, 0)) as before, null::jsonb as after
      from deleted full join users using (ord) full join permissions using (ord) -- never nested loops, as in STORE_EVENTS
     where coalesce(deleted.group_id is not null, false)
  ),
  ${RECORD_EVENTS}
  select group_id as "groupId" from deleted`,
)
