/** The SQL statements of sharing: its settings, the people and user groups that a call names or lists, and their grants on the document. */
import type { AccessRole } from '#contract/access/permissions.ts'
import type { UserSharing } from '#contract/access/sharing.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { ifLive, isLive } from '#tenancy/grants.ts'
import { BEFORE_USERS } from '#tenancy/principals.ts'

/** Reads what an API key says about sharing, and the time. */
export const FIND_SETTINGS = statement<{ userSharing: UserSharing; expiringSoonSeconds: number; now: Date }>(
  'sharing.find-settings',
  /* sql */ `
  select k.user_sharing as "userSharing", k.expiring_soon_seconds as "expiringSoonSeconds", coalesce($now, clock_timestamp()) as now
    from api_keys k where k.api_key_id = $1`,
)

/** The live grants of somebody on a document; null: there is none of the kind. */
export interface OwnGrants {
  standingRole: AccessRole | null
  temporaryRole: AccessRole | null
  expiresAt: Date | null
}

export interface PrincipalRow {
  apiKeyId: string
  organizationKey: OrganizationKey
  resourceKey: string
  principal: string
}

export interface FoundPrincipal extends OwnGrants {
  /** Whether a user has a live grant on the organization. */
  isMember: boolean
  isDisabled: boolean
  /** Whether the organization has the user group. */
  isGroup: boolean
  groupName: string | null
}

/**
 * Finds what is stored about users and user groups in an organization, and their grants on one of its documents.
 * Returns a row for each, in order.
 */
export const FIND_PRINCIPALS = setStatement<PrincipalRow, FoundPrincipal>(
  'sharing.find-principals',
  { apiKeyId: 'text', organizationKey: 'uuid', resourceKey: 'uuid', principal: 'text' },
  /* sql */ `
  select member.is_member is not null as "isMember", disabled.is_disabled is not null as "isDisabled",
         t.group_id is not null as "isGroup", t.name as "groupName",
         g.standing_role as "standingRole", g.temporary_role as "temporaryRole", g.expires_at as "expiresAt"
    from $input
    left join lateral (
      select true as is_member from grants g
       where g.organization_key = item.organization_key and g.resource_key = item.organization_key and g.principal = item.principal
         and g.kind = 'organization' and ${isLive('g')} limit 1
    ) member on true
    left join lateral (
      select true as is_disabled from disabled_users d
       where d.api_key_id = item.api_key_id and d.user_id = item.principal limit 1
    ) disabled on true
    left join lateral (
      select t.group_id, t.name from user_groups t
       where t.organization_key = item.organization_key
         and t.group_id = case when starts_with(item.principal, chr(1)) then substr(item.principal, 2) end limit 1
    ) t on true
    left join lateral (
      select g.standing_role, ${ifLive('g', 'temporary_role')}, ${ifLive('g', 'expires_at')} from grants g
       where g.organization_key = item.organization_key and g.resource_key = item.resource_key and g.principal = item.principal
         and g.kind = 'document' limit 1
    ) g on true
   order by item.ord`,
)

/**
 * Returns the next `$4` users after `$3` with a live grant of their own on resource `$2` of organization `$1`, without
 * those disabled in API key `$5`.
 */
export const LIST_HOLDERS = statement<{ userId: string; isDisabled: boolean }>(
  'sharing.list-holders',
  /* sql */ `
  select g.principal as "userId", disabled.is_disabled is not null as "isDisabled" from (
    select g.principal from grants g
     where g.organization_key = $1 and g.resource_key = $2::uuid and g.principal > greatest($3::text, ${BEFORE_USERS} collate "C")
       and ${isLive('g')}
     order by g.principal limit $4::int
  ) g
    left join lateral (
      select true as is_disabled from disabled_users d where d.api_key_id = $5 and d.user_id = g.principal limit 1
    ) disabled on true
   order by g.principal`,
)

/** Returns the next `$4` principals after `$3` that are user groups with a live grant on document `$2` of organization `$1`. */
export const LIST_HOLDING_GROUPS = statement<{ principal: string }>(
  'sharing.list-holding-groups',
  /* sql */ `
  select g.principal from grants g
   where g.organization_key = $1 and g.resource_key = $2::uuid and g.principal > $3::text and g.principal < ${BEFORE_USERS}
     and ${isLive('g')}
   order by g.principal limit $4::int`,
)

/** Returns the next `$3` user groups of organization `$1` after id `$2`. */
export const LIST_GROUPS = statement<{ groupId: string; name: string | null }>(
  'sharing.list-groups',
  /* sql */ `
  select t.group_id as "groupId", t.name from user_groups t
   where t.organization_key = $1 and t.group_id > $2::text
   order by t.group_id limit $3::int`,
)

/** Returns the first `$3` users in group `$2` of organization `$1`. */
export const LIST_GROUP_USERS = statement<{ userId: string }>(
  'sharing.list-group-users',
  /* sql */ `
  select m.user_id as "userId" from user_group_members m
   where m.organization_key = $1 and m.group_id = $2
   order by m.user_id limit $3::int`,
)

/** Returns which of the user groups `$3` of organization `$1` have user `$2`. */
export const FIND_GROUPS_OF_USER = statement<{ groupId: string }>(
  'sharing.find-groups-of-user',
  /* sql */ `
  select m.group_id as "groupId" from unnest($3::text[]) as asked (id)
   cross join lateral (
      select m.group_id from user_group_members m
       where m.organization_key = $1 and m.user_id = $2::text and m.group_id = asked.id limit 1
    ) m`,
)

export interface HeldGrants extends OwnGrants {
  principal: string
}

const HELD = /* sql */ `
    select g.principal, g.standing_role, ${ifLive('g', 'temporary_role')}, ${ifLive('g', 'expires_at')} from grants g`

/** Returns the live grants of user `$3`, and those of the user's groups, on document `$2` of organization `$1`. */
export const FIND_GRANTS_OF_USER = statement<HeldGrants>(
  'sharing.find-grants-of-user',
  /* sql */ `
  select held.principal, held.standing_role as "standingRole", held.temporary_role as "temporaryRole", held.expires_at as "expiresAt"
    from ((${HELD}
     where g.organization_key = $1 and g.resource_key = $2::uuid and g.principal = $3::text and g.kind = 'document' and ${isLive('g')}
     limit 1)
    union all${HELD}
     cross join lateral (
        select from user_group_members m
         where m.organization_key = $1 and m.user_id = $3::text and m.group_id = substr(g.principal, 2) limit 1
      ) m
     where g.organization_key = $1 and g.resource_key = $2::uuid and g.principal < ${BEFORE_USERS} and ${isLive('g')}
  ) held`,
)

/** Returns the names of folders `$2` and user groups `$3` of organization `$1` that have one. */
export const FIND_NAMES = statement<{ isGroup: boolean; id: string; name: string }>(
  'sharing.find-names',
  /* sql */ `
  select false as "isGroup", f.id, f.name from unnest($2::text[]) as asked (id)
   cross join lateral (
      select r.id, r.name from resources r
       where r.organization_key = $1 and r.kind = 'folder' and r.id = asked.id and r.name is not null limit 1
    ) f
  union all
  select true, t.group_id, t.name from unnest($3::text[]) as asked (id)
   cross join lateral (
      select t.group_id, t.name from user_groups t
       where t.organization_key = $1 and t.group_id = asked.id and t.name is not null limit 1
    ) t`,
)
