/** The SQL statements of the settings of an API key. */

import type { AccessRole, AccessType } from '#contract/access/permissions.ts'
import type { UserSharing } from '#contract/access/sharing.ts'
import type { KeyType } from '#contract/keys/api-keys.ts'
import { statement } from '#platform/db/statement.ts'
import type { Opened } from '#tenancy/public-access.ts'

export interface KeyConfigRow {
  ownerEmail: string
  type: KeyType
  plan: { planInfo?: { type?: string } }
  defaultDocumentAccessType: AccessType
  defaultAccessRole: AccessRole
  hasCommenter: boolean
  requireKnownResources: boolean
  requireAutoOrgUser: boolean
  enablePrivateComments: boolean
  userTokenLifetimeSeconds: number
  expiringSoonSeconds: number
  userSharing: UserSharing
}

/** Returns no row if the key is not one of workspace `$2`. */
export const GET_KEY_CONFIG = statement<KeyConfigRow>(
  'key-config.get',
  /* sql */ `
  select owner_email as "ownerEmail", type, plan, default_access_type as "defaultDocumentAccessType",
         default_access_role as "defaultAccessRole", has_commenter as "hasCommenter", require_known_resources as "requireKnownResources",
         require_auto_org_user as "requireAutoOrgUser", private_comments_enabled as "enablePrivateComments",
         user_token_lifetime_seconds as "userTokenLifetimeSeconds", expiring_soon_seconds as "expiringSoonSeconds",
         user_sharing as "userSharing"
    from api_keys where api_key_id = $1 and workspace_id = $2`,
)

/** Runs under the lock of the key. */
export const SET_KEY_CONFIG = statement<never>(
  'key-config.update',
  /* sql */ `
  update api_keys
     set default_access_type = $2::access_type, default_access_role = $3::access_role, require_known_resources = $4,
         user_token_lifetime_seconds = $5, expiring_soon_seconds = $6, require_auto_org_user = $7,
         private_comments_enabled = $8, has_commenter = $9, user_sharing = $10
   where api_key_id = $1`,
)

/**
 * Counts the documents that follow the default access type of a key. It examines `$2` organizations and `$2` documents, and says whether
 * there may be more.
 */
export const COUNT_BY_DEFAULT = statement<Opened>(
  'key-config.count-by-default',
  /* sql */ `
  with examined_organization as materialized (select organization_key from organizations where api_key_id = $1 limit $2::int)
  select count(*) filter (where own_access_type is null and boundary_access_type is null)::int as documents,
         count(*) = $2::int or (select count(*) from examined_organization) = $2::int as "isCut"
    from (
      select d.own_access_type, f.boundary_access_type
        from examined_organization o
       cross join lateral (
          select r.own_access_type, r.folder_key from resources r
           where r.organization_key = o.organization_key and r.kind = 'document' and r.added_at is not null limit $2::int
       ) d
        left join lateral (
          select f.boundary_access_type from resources f
           where f.organization_key = o.organization_key and f.resource_key = d.folder_key limit 1
        ) f on true
       limit $2::int
    ) examined`,
)

/** The condition of the index of grants that have the role: neither of the others. */
const IS_COMMENTER = `g.standing_role not in ('viewer', 'editor') or g.temporary_role not in ('viewer', 'editor')`

/**
 * Counts the rows that have the role `commenter`: grants, including expired ones, and pending invitations. Runs under
 * the lock of the key, which waits for transactions that give the role (`holdCommenter`), so no row is missed.
 */
export const COUNT_COMMENTERS = statement<{ grants: number; invitations: number }>(
  'key-config.count-commenters',
  /* sql */ `
  select coalesce(sum(of_grants.count), 0)::int as grants, coalesce(sum(of_invitations.count), 0)::int as invitations
    from organizations o
   cross join lateral (
      select count(*) from grants g where g.organization_key = o.organization_key and (${IS_COMMENTER})
   ) of_grants
   cross join lateral (
      select count(*) from invitations i
       where i.organization_key = o.organization_key and i.status = 'PENDING' and i.access_role = 'commenter'
   ) of_invitations
   where o.api_key_id = $1`,
)
