/** Every SQL text of auth tokens, and the check of credentials that stands before every call. */
import type { Scope } from '#contract/operation.ts'
import type { AccessType } from '#contract/permissions.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { RequestRow } from '#tenancy/organization-writes.ts'

export interface CredentialsRow {
  apiKeyId: string
  tokenHash: Buffer
}

export interface CredentialsAnswer extends RequestRow {
  tokenName: string
  scopes: Scope[]
  workspaceId: string
  defaultAccessType: AccessType
  requireKnownResources: boolean
  disabled: boolean
}

/** Answers a row for each pair of key and token that is valid now, and none for the others. Never cached: a reset counts with the next request. */
export const CHECK_CREDENTIALS = setStatement<CredentialsRow & RequestRow, CredentialsAnswer>(
  'auth-tokens.check',
  { req: 'int', apiKeyId: 'text', tokenHash: 'bytea' },
  /* sql */ `
  select item.req, t.name as "tokenName", t.scopes, k.workspace_id as "workspaceId", k.default_access_type as "defaultAccessType",
         k.require_known_resources as "requireKnownResources", k.disabled_at is not null as disabled
    from $input
    join auth_tokens t on t.token_hash = item.token_hash and t.api_key_id = item.api_key_id
    join api_keys k on k.api_key_id = t.api_key_id
   where t.revoked_at is null and (t.expires_at is null or t.expires_at > coalesce($now, clock_timestamp()))`,
)

/** The key of a workspace, locked against a concurrent reset; no row when it has none of that name. */
export const LOCK_API_KEY = statement<{ apiKeyId: string }>(
  'auth-tokens.lock-key',
  /* sql */ `
  select api_key_id as "apiKeyId" from api_keys where api_key_id = $2 and workspace_id = $1 for no key update`,
)

export const GET_API_KEY = statement<{ apiKeyId: string }>(
  'auth-tokens.get-key',
  'select api_key_id as "apiKeyId" from api_keys where api_key_id = $2 and workspace_id = $1',
)

export const GET_AUTH_TOKENS = statement<{ hash: Buffer; name: string; sealed: Buffer }>(
  'auth-tokens.get',
  /* sql */ `
  select token_hash as hash, name, token_sealed as sealed from auth_tokens
   where api_key_id = $1 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
   order by created_at, token_hash`,
)

/** Ends every valid token of a key, `$5` seconds from now, and adds the new one. */
export const RESET_AUTH_TOKEN = statement<never>(
  'auth-tokens.reset',
  /* sql */ `
  with ended as (
    update auth_tokens
       set expires_at = least(expires_at, clock_timestamp() + make_interval(secs => $5::int)),
           revoked_at = case when $5::int = 0 then clock_timestamp() end
     where api_key_id = $1 and revoked_at is null
  )
  insert into auth_tokens (token_hash, api_key_id, name, token_sealed) values ($2::bytea, $1, $3, $4::bytea)`,
)
