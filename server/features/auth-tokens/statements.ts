/** The SQL statements of auth tokens, including the check of credentials that precedes every call. */

import type { AccessRole, AccessType } from '#contract/access/permissions.ts'
import type { Scope } from '#contract/core/operation.ts'
import type { KeyType } from '#contract/keys/api-keys.ts'
import { NOW, setStatement, statement } from '#platform/db/statement.ts'
import { isWithin } from '#platform/times.ts'
import { TOKEN_VALID, type TokenRow } from '#tenancy/callers/token-records.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'

export interface CredentialsRow {
  apiKeyId: string
  tokenHash: Buffer
}

/** The settings of the API key that a caller carries. */
interface KeyProperties {
  defaultAccessType: AccessType
  defaultAccessRole: AccessRole
  hasCommenter: boolean
  hasDisabledUsers: boolean
  requireKnownResources: boolean
  expiringSoonSeconds: number
  disabled: boolean
}

export interface CheckedCredentials extends RequestRow, KeyProperties {
  /** Whether the time of the last use is older than a minute. */
  isUnrecorded: boolean
  tokenName: string
  scopes: Scope[]
  workspaceId: string
}

const UNRECORDED = `${isWithin('t.last_used_at', `interval '1 minute'`, NOW)} is not true`

/** Returns a row for each pair of key and token that is valid now. Never cached: a reset takes effect with the next request. */
export const CHECK_CREDENTIALS = setStatement<CredentialsRow & RequestRow, CheckedCredentials>(
  'auth-tokens.check',
  { req: 'int', apiKeyId: 'text', tokenHash: 'bytea' },
  /* sql */ `
  select item.req, t.name as "tokenName", t.scopes, k.workspace_id as "workspaceId", k.default_access_type as "defaultAccessType",
         k.default_access_role as "defaultAccessRole", k.has_commenter as "hasCommenter", k.has_disabled_users as "hasDisabledUsers",
         k.require_known_resources as "requireKnownResources", k.expiring_soon_seconds as "expiringSoonSeconds", k.disabled_at is not null as disabled,
         ${UNRECORDED} as "isUnrecorded"
    from $input
    join auth_tokens t on t.token_hash = item.token_hash and t.api_key_id = item.api_key_id
    join api_keys k on k.api_key_id = t.api_key_id
   where ${TOKEN_VALID}`,
)

/**
 * Records the time of use, unless another call has within the last minute. A token that is locked is skipped: its key is being
 * deleted or its tokens replaced, and a call must not wait for that.
 */
export const RECORD_USE = setStatement<{ tokenHash: Buffer }, never>(
  'auth-tokens.record-use',
  { tokenHash: 'bytea' },
  /* sql */ `
  with used as materialized (
    select t.token_hash from $input
     cross join lateral (
       select t.token_hash from auth_tokens t
        where t.token_hash = item.token_hash and ${UNRECORDED} for no key update skip locked
     ) t
  )
  update auth_tokens t set last_used_at = ${NOW} from used where t.token_hash = used.token_hash`,
)

export const GET_API_KEY = statement<{ apiKeyId: string }>(
  'auth-tokens.get-key',
  'select api_key_id as "apiKeyId" from api_keys where api_key_id = $2 and workspace_id = $1',
)

/** Returns the type and the caller properties of API key `$2` of workspace `$1`. */
export const GET_KEY_OF_WORKSPACE = statement<KeyProperties & { type: KeyType }>(
  'auth-tokens.get-key-of-workspace',
  /* sql */ `
  select type, default_access_type as "defaultAccessType", default_access_role as "defaultAccessRole",
         has_commenter as "hasCommenter", has_disabled_users as "hasDisabledUsers", require_known_resources as "requireKnownResources",
         expiring_soon_seconds as "expiringSoonSeconds", disabled_at is not null as disabled
    from api_keys where api_key_id = $2 and workspace_id = $1`,
)

export interface AuthTokenRow extends TokenRow {
  hash: Buffer
  sealed: Buffer
  scopes: Scope[]
}

/** Lists the valid tokens of a key, oldest first. */
export const GET_AUTH_TOKENS = setStatement<{ apiKeyId: string }, AuthTokenRow>(
  'auth-tokens.get',
  { apiKeyId: 'text' },
  /* sql */ `
  select t.auth_token_id as id, t.token_hash as hash, t.name, t.token_sealed as sealed, t.scopes,
         t.created_at as "createdAt", t.expires_at as "expiresAt", t.last_used_at as "lastUsedAt", t.origin
    from $input join auth_tokens t on t.api_key_id = item.api_key_id
   where ${TOKEN_VALID}
   order by t.created_at, t.token_hash`,
)

/** Counts the valid tokens of a key. Runs under its lock. */
export const COUNT_AUTH_TOKENS = setStatement<{ apiKeyId: string }, { count: number }>(
  'auth-tokens.count',
  { apiKeyId: 'text' },
  /* sql */ `
  select count(*) as count from $input join auth_tokens t on t.api_key_id = item.api_key_id where ${TOKEN_VALID}`,
)

export const INSERT_AUTH_TOKEN = statement<Omit<AuthTokenRow, 'hash' | 'sealed'>>(
  'auth-tokens.create',
  /* sql */ `
  insert into auth_tokens (token_hash, api_key_id, name, token_sealed, scopes, expires_at, origin)
  values ($1::bytea, $2, $3, $4::bytea, $5::text[], $6::timestamptz, $7::jsonb)
  returning auth_token_id as id, name, scopes, created_at as "createdAt", expires_at as "expiresAt",
            last_used_at as "lastUsedAt", origin`,
)

/** Expires every valid token of a key after the grace period, or revokes them if it is 0. Runs under the lock of the key. */
export const RESET_AUTH_TOKENS = setStatement<{ apiKeyId: string; gracePeriodSeconds: number }, never>(
  'auth-tokens.reset',
  { apiKeyId: 'text', gracePeriodSeconds: 'int' },
  /* sql */ `
  update auth_tokens t
     set expires_at = least(t.expires_at, ended.at), revoked_at = case when ended.grace_period_seconds = 0 then ended.at end
    from (select item.*, ${NOW} + make_interval(secs => grace_period_seconds) as at from $input) ended
   where t.api_key_id = ended.api_key_id and t.revoked_at is null`,
)

/** Revokes the named token if it is valid. Returns the token, and whether it was valid. Runs under the lock of its key. */
export const REVOKE_AUTH_TOKEN = setStatement<
  { apiKeyId: string; authTokenId: string },
  { id: string; name: string; wasValid: boolean }
>(
  'auth-tokens.revoke',
  { apiKeyId: 'text', authTokenId: 'text' },
  /* sql */ `
  with named as materialized (
    select t.token_hash, t.auth_token_id, t.name, ${TOKEN_VALID} as was_valid
      from $input
      join auth_tokens t on t.api_key_id = item.api_key_id and t.auth_token_id::text = item.auth_token_id
  ),
  revoked as (
    update auth_tokens t set revoked_at = ${NOW}
      from named where named.was_valid and t.token_hash = named.token_hash
  )
  select auth_token_id as id, name, was_valid as "wasValid" from named`,
)
