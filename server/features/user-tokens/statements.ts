/** The SQL statements of user tokens: the values they contain, their check and their revocation. */
import type { JWK } from 'jose'
import type { AccessRole, AccessType } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { NEXT_TOKENS_SINCE } from '#features/users/shared.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { userDisabled } from '#tenancy/disabled-users.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'

/**
 * Returns the times for a new token, and whether the user is disabled. Runs while the user row is locked: a concurrent revocation
 * either has committed and is visible here, or waits and then revokes the new token.
 */
export const GET_TOKEN_TIMES = statement<{
  now: Date
  tokensSince: Date
  lifetimeSeconds: number
  requireAutoOrgUser: boolean
  userDisabled: boolean
  /** Whether an erasure of the user is unfinished: it revoked the tokens from before, and there must be no new ones. */
  isBeingErased: boolean
}>(
  'user-tokens.times',
  /* sql */ `
  select coalesce($now, clock_timestamp()) as now, u.tokens_since as "tokensSince",
         k.user_token_lifetime_seconds as "lifetimeSeconds",
         k.require_auto_org_user as "requireAutoOrgUser", k.has_disabled_users and ${userDisabled('u.api_key_id', 'u.user_id')} as "userDisabled",
         is_being_erased(u.api_key_id, null, u.user_id) as "isBeingErased"
    from users u join api_keys k on k.api_key_id = u.api_key_id
   where u.api_key_id = $1 and u.user_id = $2`,
)

/**
 * Revokes all tokens of users, each at most once, locked in order of user id; returns those with a profile, without which nobody has
 * a token.
 */
export const REVOKE_TOKENS = setStatement<
  { apiKeyId: ApiKeyId; userId: string },
  { userId: string; tokensSince: Date }
>(
  'user-tokens.revoke',
  { apiKeyId: 'text', userId: 'text' },
  /* sql */ `
  with held as materialized (
    select u.api_key_id, u.user_id from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from $input)
     order by u.api_key_id, u.user_id for no key update
  )
  update users u set tokens_since = ${NEXT_TOKENS_SINCE}
    from held where u.api_key_id = held.api_key_id and u.user_id = held.user_id
  returning u.user_id as "userId", u.tokens_since as "tokensSince"`,
)

/** Claims read from a token that is not verified yet. */
export interface ClaimedRow {
  apiKeyId: string
  kid: string
  userId: string
}

export interface CheckedUserToken extends RequestRow {
  workspaceId: string
  defaultAccessType: AccessType
  defaultAccessRole: AccessRole
  hasCommenter: boolean
  hasDisabledUsers: boolean
  disabled: boolean
  allowedDomains: string[]
  /** Null if the API key has no such key pair, or it has expired. */
  publicJwk: JWK | null
  /** Null if the API key has no such user. */
  tokensSince: Date | null
  userDisabled: boolean
  /** Changes with the row of the API key; null if that uses no permission provider. */
  providerVersion: string | null
  now: Date
}

/**
 * Returns the stored values that a user token is checked against: a row for each API key that exists. Never cached:
 * revocation and key rotation take effect with the next request.
 */
export const CHECK_USER_TOKEN = setStatement<ClaimedRow & RequestRow, CheckedUserToken>(
  'user-tokens.check',
  { req: 'int', apiKeyId: 'text', kid: 'text', userId: 'text' },
  /* sql */ `
  select item.req, k.workspace_id as "workspaceId", k.default_access_type as "defaultAccessType",
         k.default_access_role as "defaultAccessRole", k.has_commenter as "hasCommenter", k.has_disabled_users as "hasDisabledUsers", k.disabled_at is not null as disabled,
         k.allowed_domains as "allowedDomains", case when k.use_permission_provider then k.xmin::text end as "providerVersion", s.public_jwk as "publicJwk", u.tokens_since as "tokensSince",
         k.has_disabled_users and ${userDisabled('item.api_key_id', 'item.user_id')} as "userDisabled", coalesce($now, clock_timestamp()) as now
    from $input
    join api_keys k on k.api_key_id = item.api_key_id
    left join signing_keys s on s.api_key_id = item.api_key_id and s.kid = item.kid
                            and (s.retired_at is null or s.retired_at > coalesce($now, clock_timestamp()))
    left join users u on u.api_key_id = item.api_key_id and u.user_id = item.user_id`,
)
