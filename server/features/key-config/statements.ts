/** The SQL statements of the settings of an API key. */

import type { AccessRole, AccessType } from '#contract/access/permissions.ts'
import type { KeyType } from '#contract/keys/api-keys.ts'
import { statement } from '#platform/db/statement.ts'

export interface KeyConfigRow {
  ownerEmail: string
  type: KeyType
  plan: { planInfo?: { type?: string } }
  defaultDocumentAccessType: AccessType
  defaultAccessRole: AccessRole
  requireKnownResources: boolean
  requireAutoOrgUser: boolean
  enablePrivateComments: boolean
  userTokenLifetimeSeconds: number
  expiringSoonSeconds: number
}

/** Returns no row if the key is not one of workspace `$2`. */
export const GET_KEY_CONFIG = statement<KeyConfigRow>(
  'key-config.get',
  /* sql */ `
  select owner_email as "ownerEmail", type, plan, default_access_type as "defaultDocumentAccessType",
         default_access_role as "defaultAccessRole", require_known_resources as "requireKnownResources",
         require_auto_org_user as "requireAutoOrgUser", private_comments_enabled as "enablePrivateComments",
         user_token_lifetime_seconds as "userTokenLifetimeSeconds", expiring_soon_seconds as "expiringSoonSeconds"
    from api_keys where api_key_id = $1 and workspace_id = $2`,
)

/** Runs under the lock of the key. */
export const SET_KEY_CONFIG = statement<never>(
  'key-config.update',
  /* sql */ `
  update api_keys
     set default_access_type = $2::access_type, default_access_role = $3::access_role, require_known_resources = $4,
         user_token_lifetime_seconds = $5, expiring_soon_seconds = $6, require_auto_org_user = $7,
         private_comments_enabled = $8
   where api_key_id = $1`,
)
