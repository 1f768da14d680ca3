/** Every SQL text that changes users: their profiles, roles and grants. */
import type { AccessRole, ResourceType } from '#contract/permissions.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS, REMOVAL_EVENTS } from '#tenancy/events/record.ts'
import { FITS } from '#tenancy/metadata.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

export interface ProfileRow {
  apiKeyId: string
  userId: string
  /** The fields given: null clears, absent stays. `name` and `email` among them. */
  profile: object
}

export interface StoredProfile {
  userId: string
  outcome: 'updated' | 'unchanged' | 'too_large'
  before: object
  after: object
}

/** Adds empty profiles for users who have none, each at most once; answers those it added. The other of two calls at once finds them there. */
export const ADD_MISSING_USERS = setStatement<{ apiKeyId: string; userId: string }, { userId: string }>(
  'users.add-missing',
  { apiKeyId: 'text', userId: 'text' },
  /* sql */ `
  insert into users (api_key_id, user_id)
  select api_key_id, user_id from $input
   where not exists (select from users u where u.api_key_id = item.api_key_id and u.user_id = item.user_id)
   order by api_key_id, user_id
  on conflict (api_key_id, user_id) do nothing
  returning user_id as "userId"`,
)

/**
 * Merges profiles of users, each at most once, whose rows are there (`users.add-missing` ran before in the transaction);
 * they are locked in order of user id. A merged profile beyond the bounds is refused and stays as it was.
 */
export const MERGE_PROFILES = setStatement<ProfileRow, StoredProfile>(
  'users.merge',
  { apiKeyId: 'text', userId: 'text', profile: 'jsonb' },
  /* sql */ `
  with item as materialized (select * from $input),
  held as materialized (
    select u.api_key_id, u.user_id, u.profile from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from item)
     order by u.api_key_id, u.user_id for no key update
  ),
  merged as materialized (
    select held.api_key_id, held.user_id, held.profile as before,
           (select coalesce(jsonb_object_agg(key, value), '{}')
              from jsonb_each(held.profile || item.profile) where value <> 'null') as after
      from item join held on held.api_key_id = item.api_key_id and held.user_id = item.user_id
  ),
  judged as materialized (select *, ${FITS('after')} as fits from merged),
  written as (
    update users u set profile = j.after from judged j
     where j.fits and j.before <> j.after and u.api_key_id = j.api_key_id and u.user_id = j.user_id
  )
  select user_id as "userId", before, after,
         case when not fits then 'too_large' when before <> after then 'updated' else 'unchanged' end as outcome
    from judged`,
)

/** A page of the profiles of API key `$1` in order of user id, after `$2`, at most `$3`. */
export const LIST_PROFILES = statement<{ userId: string; profile: Record<string, unknown> }>(
  'profiles.list',
  /* sql */ `
  select user_id as "userId", profile from users
   where api_key_id = $1 and user_id > coalesce($2::text, '')
   order by user_id limit $3::int`,
)

/** Which of the named users have a record; held so that none is added or removed before the transaction ends. */
export const LOCK_PROFILES = setStatement<{ apiKeyId: string; userId: string }, { userId: string }>(
  'users.lock',
  { apiKeyId: 'text', userId: 'text' },
  /* sql */ `
  select u.user_id as "userId" from users u
   where (u.api_key_id, u.user_id) in (select api_key_id, user_id from $input)
   order by u.api_key_id, u.user_id for no key update`,
)

export interface UserEventRow extends OrganizationRow {
  type: 'user.added' | 'user.updated'
  userId: string
  actor: Actor
  before: object | null
  after: object
}

/** Writes events of users into the stream of the organization that the call named. Runs under its lock. */
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

/** Changes the role of live grants, keeping their expiry; answers the users who have one. Runs under the organization's lock. */
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
    select item.*, g.resource_key, g.role as old_role, g.expires_at
      from $input
      join resources r on r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id
      join grants g on g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.user_id = item.user_id
     where g.expires_at is null or g.expires_at > coalesce($now, clock_timestamp())
  ),
  changed as (
    update grants g set role = held.role from held
     where held.role <> held.old_role and g.organization_key = held.organization_key
       and g.resource_key = held.resource_key and g.user_id = held.user_id
    returning held.*
  ),
  event as (
    select organization_key, ord as position, 'permission.added' as type, kind as resource_kind, resource_id, user_id, actor,
           jsonb_build_object('accessRole', old_role, 'expiresAt', extract(epoch from expires_at)::bigint) as before,
           jsonb_build_object('accessRole', role, 'expiresAt', extract(epoch from expires_at)::bigint) as after
      from changed
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
 * Takes users, each at most once, out of an organization: all their grants in it and their places in its groups; answers
 * those who had any. One event for each user, with counts. Runs under the organization's lock.
 */
export const DELETE_USERS = setStatement<UserName, { userId: string }>(
  'users.delete',
  { organizationKey: 'uuid', userId: 'text', actor: 'jsonb' },
  /* sql */ `
  with named as materialized (select * from $input),
  removed as (
    delete from grants g using named n
     where g.organization_key = n.organization_key and g.user_id = n.user_id
    returning n.ord, g.kind, g.role, g.expires_at
  ),
  left_groups as (
    delete from user_group_members m using named n
     where m.organization_key = n.organization_key and m.user_id = n.user_id
    returning n.ord
  ),
  granted as materialized (
    select ord, count(*) as permissions, max(role::text) filter (where kind = 'organization') as role,
           max(expires_at) filter (where kind = 'organization') as expires_at
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

/** Takes the grants of users, each at most once, on one folder or document away; answers those who had one. Runs under the organization's lock. */
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
     where g.organization_key = item.organization_key and g.resource_key = r.resource_key and g.user_id = item.user_id
    returning item.*, g.role, g.expires_at,
              g.expires_at <= (select now from clock) and g.expiry_event_at is null as expiry_unreported
  ),
  ${REMOVAL_EVENTS},
  ${RECORD_EVENTS}
  select user_id as "userId" from removed order by ord`,
)
