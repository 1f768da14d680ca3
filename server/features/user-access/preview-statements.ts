/** SQL of the preview of a revocation: the organizations of an API key, and what users hold in them. */

import type { AccessRole, ResourceType } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { joinEach } from '#tenancy/grants.ts'

export interface OrganizationPageRow {
  organizationKey: string
  organizationId: string
  /** Whether a folder or document inside has its own access type `public`. */
  isPublic: boolean
}

/** Returns the next organizations of API key `$1` after id `$2`, in id order, at most `$3`. */
export const LIST_ORGANIZATIONS = statement<OrganizationPageRow>(
  'user-access.list-organizations',
  /* sql */ `
  select o.organization_key as "organizationKey", o.organization_id as "organizationId", open.is_public is not null as "isPublic"
    from (select organization_key, organization_id from organizations
           where api_key_id = $1 and organization_id > $2 order by organization_id limit $3::int) o
    left join lateral (
      select true as is_public from resources r
       where r.organization_key = o.organization_key and r.own_access_type = 'public' limit 1
    ) open on true
   order by o.organization_id`,
)

export interface Pair {
  organizationKey: string
  organizationId: string
  userId: string
}

export interface HeldRow {
  organizationKey: string
  organizationId: string
  userId: string
  /** Resources with grants of the user. */
  resources: number
  grants: number
  temporaryGrants: number
  userGroups: number
}

/** Counts what users hold in organizations, each up to a limit; returns the pairs with anything, in their order. */
export const COUNT_HELD = setStatement<Pair, HeldRow>(
  'user-access.count-held',
  { organizationKey: 'uuid', organizationId: 'text', userId: 'text' },
  /* sql */ `
  select item.organization_key as "organizationKey", item.organization_id as "organizationId", item.user_id as "userId",
         held.resources, held.grants, held.temporary as "temporaryGrants", grouped.user_groups as "userGroups"
    from $input
   cross join lateral (
      select count(*)::int as resources, (count(g.standing_role) + count(g.temporary_role))::int as grants,
             count(g.temporary_role)::int as temporary
        from (select g.standing_role, g.temporary_role from grants g
               where g.organization_key = item.organization_key and g.principal = item.user_id
               limit ${LIMITS.revokedItemsCountedMax}) g
   ) held
   cross join lateral (
      select count(*)::int as user_groups
        from (select from user_group_members m
               where m.organization_key = item.organization_key and m.user_id = item.user_id
               limit ${LIMITS.revokedItemsCountedMax}) m
   ) grouped
   where held.resources > 0 or grouped.user_groups > 0
   order by item.ord`,
)

export const FIND_DISABLED = setStatement<{ apiKeyId: string; userId: string }, { userId: string }>(
  'user-access.find-disabled',
  { apiKeyId: 'text', userId: 'text' },
  /* sql */ `
  select d.user_id as "userId" from $input
   cross join lateral (
      select d.user_id from disabled_users d where d.api_key_id = item.api_key_id and d.user_id = item.user_id limit 1
   ) d`,
)

export interface FirstGrantRow {
  organizationId: string
  userId: string
  type: ResourceType
  id: string
  accessRole: AccessRole
  expiresAt: Date | null
}

/** Returns the first grants of each pair, those on the organization before those on folders and on documents. */
export const FIRST_GRANTS = setStatement<Pair, FirstGrantRow>(
  'user-access.first-grants',
  { organizationKey: 'uuid', organizationId: 'text', userId: 'text' },
  /* sql */ `
  select item.organization_id as "organizationId", item.user_id as "userId", held.type, held.id, held.role as "accessRole",
         held.expires_at as "expiresAt"
    from $input
   cross join lateral (
      select g.kind as type, g.resource_key, r.id, each_grant.is_temporary, each_grant.role, each_grant.expires_at
        from grants g
       cross join lateral (
          select r.id from resources r where r.organization_key = g.organization_key and r.resource_key = g.resource_key limit 1
       ) r${joinEach('g')}
       where g.organization_key = item.organization_key and g.principal = item.user_id
       order by g.kind, g.resource_key, each_grant.is_temporary limit ${LIMITS.revokedItemsShownMax}
   ) held
   order by item.ord, held.type, held.resource_key, held.is_temporary`,
)

export interface FirstUserGroupRow {
  organizationId: string
  userId: string
  groupId: string
  groupName: string | null
}

/** Returns the first user groups of each pair. */
export const FIRST_USER_GROUPS = setStatement<Pair, FirstUserGroupRow>(
  'user-access.first-user-groups',
  { organizationKey: 'uuid', organizationId: 'text', userId: 'text' },
  /* sql */ `
  select item.organization_id as "organizationId", item.user_id as "userId", joined.group_id as "groupId", joined.name as "groupName"
    from $input
   cross join lateral (
      select m.group_id, t.name
        from user_group_members m
       cross join lateral (
          select t.name from user_groups t where t.organization_key = m.organization_key and t.group_id = m.group_id limit 1
       ) t
       where m.organization_key = item.organization_key and m.user_id = item.user_id
       order by m.group_id limit ${LIMITS.revokedItemsShownMax}
   ) joined
   order by item.ord, joined.group_id`,
)
