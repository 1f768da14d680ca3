/** The SQL statements of workspace tokens, including the check of them that precedes every call of a workspace. */
import { NOW, setStatement, statement } from '#platform/db/statement.ts'
import { isWithin } from '#platform/times.ts'
import { TOKEN_VALID, type TokenRow } from '#tenancy/callers/token-records.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'

export interface WorkspaceTokenKey {
  workspaceId: string
  tokenHash: Buffer
}

export interface CheckedWorkspaceToken {
  tokenId: string
  tokenName: string
  /** Whether the time of the last use is older than a minute. */
  isUnrecorded: boolean
}

const UNRECORDED = `${isWithin('t.last_used_at', `interval '1 minute'`, NOW)} is not true`

/** Returns a row for each pair of workspace and token that is valid now. Never cached: a reset takes effect with the next request. */
export const CHECK_WORKSPACE_TOKENS = setStatement<WorkspaceTokenKey & RequestRow, CheckedWorkspaceToken & RequestRow>(
  'workspace-tokens.check',
  { req: 'int', workspaceId: 'text', tokenHash: 'bytea' },
  /* sql */ `
  select item.req, t.workspace_token_id as "tokenId", t.name as "tokenName", ${UNRECORDED} as "isUnrecorded"
    from $input
    join workspace_tokens t on t.token_hash = item.token_hash and t.workspace_id = item.workspace_id
   where ${TOKEN_VALID}`,
)

/** Records the time of use, unless another call has within the last minute. */
export const RECORD_USE = setStatement<{ tokenHash: Buffer }, never>(
  'workspace-tokens.record-use',
  { tokenHash: 'bytea' },
  /* sql */ `
  update workspace_tokens t set last_used_at = ${NOW}
    from $input where t.token_hash = item.token_hash and ${UNRECORDED}`,
)

/** Lists the valid tokens of a workspace, oldest first. */
export const GET_WORKSPACE_TOKENS = setStatement<{ workspaceId: string }, TokenRow & { sealed: Buffer }>(
  'workspace-tokens.get',
  { workspaceId: 'text' },
  /* sql */ `
  select t.workspace_token_id as id, t.name, t.created_at as "createdAt", t.expires_at as "expiresAt",
         t.last_used_at as "lastUsedAt", t.origin, t.token_sealed as sealed
    from $input join workspace_tokens t on t.workspace_id = item.workspace_id
   where ${TOKEN_VALID}
   order by t.created_at, t.token_hash`,
)

/** Returns the sealed secret of a token. */
export const GET_SEALED = statement<{ sealed: Buffer }>(
  'workspace-tokens.get-sealed',
  'select token_sealed as sealed from workspace_tokens where workspace_id = $1 and workspace_token_id = $2::uuid',
)

/** Counts the valid tokens of a workspace. Runs under its lock. */
export const COUNT_WORKSPACE_TOKENS = setStatement<{ workspaceId: string }, { count: number }>(
  'workspace-tokens.count',
  { workspaceId: 'text' },
  /* sql */ `
  select count(*) as count from $input join workspace_tokens t on t.workspace_id = item.workspace_id where ${TOKEN_VALID}`,
)

export const INSERT_WORKSPACE_TOKEN = statement<TokenRow>(
  'workspace-tokens.create',
  /* sql */ `
  insert into workspace_tokens (token_hash, workspace_id, name, token_sealed, expires_at, origin)
  values ($1::bytea, $2, $3, $4::bytea, $5::timestamptz, $6::jsonb)
  returning workspace_token_id as id, name, created_at as "createdAt", expires_at as "expiresAt",
            last_used_at as "lastUsedAt", origin`,
)

/**
 * Expires every token of a workspace after the grace period, or revokes them if it is 0, and marks them as replaced
 * (`changeAccess`). Runs under the lock of the workspace.
 */
export const RESET_WORKSPACE_TOKENS = setStatement<{ workspaceId: string; gracePeriodSeconds: number }, never>(
  'workspace-tokens.reset',
  { workspaceId: 'text', gracePeriodSeconds: 'int' },
  /* sql */ `
  update workspace_tokens t
     set expires_at = least(t.expires_at, ended.at), revoked_at = case when ended.grace_period_seconds = 0 then ended.at end,
         replaced_at = coalesce(t.replaced_at, ${NOW})
    from (select item.*, ${NOW} + make_interval(secs => grace_period_seconds) as at from $input) ended
   where t.workspace_id = ended.workspace_id and t.revoked_at is null`,
)

/**
 * Ends the links to sign in that were sent and not used yet, as if they had been used: an expiry would be undone by a clock that is set
 * back. Runs under the lock of the workspace, as their use does.
 */
export const EXPIRE_LOGIN_LINKS = setStatement<{ workspaceId: string }, never>(
  'workspace-tokens.expire-login-links',
  { workspaceId: 'text' },
  /* sql */ `
  update login_links l set used_at = ${NOW}
    from $input where l.workspace_id = item.workspace_id and l.used_at is null`,
)

export interface RevokedWorkspaceToken {
  id: string
  name: string
  wasValid: boolean
  /** Whether the token was kept, because no other one without an expiry is valid. */
  isLast: boolean
}

/** Revokes the named token if it is valid and not the last without an expiry. Runs under the lock of its workspace. */
export const REVOKE_WORKSPACE_TOKEN = setStatement<{ workspaceId: string; tokenId: string }, RevokedWorkspaceToken>(
  'workspace-tokens.revoke',
  { workspaceId: 'text', tokenId: 'text' },
  /* sql */ `
  with named as materialized (
    select t.token_hash, t.workspace_token_id, t.name, ${TOKEN_VALID} as was_valid,
           t.expires_at is null and t.revoked_at is null
           and not exists (select from workspace_tokens other
                            where other.workspace_id = t.workspace_id and other.token_hash <> t.token_hash
                              and other.revoked_at is null and other.expires_at is null) as is_last
      from $input
      join workspace_tokens t on t.workspace_id = item.workspace_id and t.workspace_token_id::text = item.token_id
  ),
  revoked as (
    update workspace_tokens t set revoked_at = ${NOW}
      from named where named.was_valid and not named.is_last and t.token_hash = named.token_hash
  )
  select workspace_token_id as id, name, was_valid as "wasValid", is_last as "isLast" from named`,
)
