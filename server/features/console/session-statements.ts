/** The SQL statements of console sessions. */
import type { AccessRole, AccessType } from '#contract/permissions.ts'
import { statement } from '#platform/db/statement.ts'

/** Exactly one of the ids is set. */
export interface SessionRow {
  workspaceId: string | null
  apiKeyId: string | null
  tokenHash: Buffer
}

/** Inserts a session that expires in `$5` hours. */
export const INSERT_SESSION = statement<{ expiresAt: Date }>(
  'console-sessions.insert',
  /* sql */ `
  insert into console_sessions (session_hash, workspace_id, api_key_id, token_hash, expires_at)
  values ($1::bytea, $2, $3, $4::bytea, coalesce($now, clock_timestamp()) + $5::int * interval '1 hour')
  returning expires_at as "expiresAt"`,
)

export const GET_SESSION = statement<SessionRow>(
  'console-sessions.get',
  /* sql */ `
  select workspace_id as "workspaceId", api_key_id as "apiKeyId", token_hash as "tokenHash"
    from console_sessions
   where session_hash = $1::bytea and expires_at > coalesce($now, clock_timestamp())`,
)

export const DELETE_SESSION = statement<never>(
  'console-sessions.delete',
  'delete from console_sessions where session_hash = $1::bytea',
)

export const DELETE_EXPIRED_SESSIONS = statement<{ count: number }>(
  'console-sessions.delete-expired',
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  expired as (
    select ctid from console_sessions
     where expires_at <= (select now from clock) order by expires_at limit 1000 for update skip locked
  ),
  deleted as (
    delete from console_sessions s using expired where s.ctid = expired.ctid returning 1
  )
  select count(*) as count from deleted`,
)

export interface WorkspaceKeyRow {
  defaultAccessType: AccessType
  defaultAccessRole: AccessRole
  hasDisabledUsers: boolean
  requireKnownResources: boolean
  expiringSoonSeconds: number
  disabled: boolean
}

/** Returns the caller properties of API key `$2` of workspace `$1`. */
export const GET_WORKSPACE_KEY = statement<WorkspaceKeyRow>(
  'console-sessions.get-key',
  /* sql */ `
  select default_access_type as "defaultAccessType", default_access_role as "defaultAccessRole",
         has_disabled_users as "hasDisabledUsers", require_known_resources as "requireKnownResources",
         expiring_soon_seconds as "expiringSoonSeconds", disabled_at is not null as disabled
    from api_keys where api_key_id = $2 and workspace_id = $1`,
)
