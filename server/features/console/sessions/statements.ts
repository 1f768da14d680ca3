/** The SQL statements of console sessions. */

import type { OperatorRole } from '#contract/workspace/operator-roles.ts'
import { NOW, statement } from '#platform/db/statement.ts'
import { deletionOfOld } from '#platform/jobs/old-rows.ts'
import { isWithin } from '#platform/times.ts'
import { TOKEN_VALID } from '#tenancy/callers/token-records.ts'

/** After this time without a call, the session of an operator has expired. */
const IDLE = `interval '12 hours'`

/** For this long after signing in, an operator need not prove again who they are. */
const FRESH = `interval '10 minutes'`

const MINUTE = `interval '1 minute'`

/** SQL: when the session `s` ends if it is used no more. */
export const ENDS_AT = `case when s.operator_id is null then s.expires_at else least(s.expires_at, s.last_seen_at + ${IDLE}) end`

/** Inserts a session that expires in `$7` hours. Exactly one of `$2` and `$3` is set, and one of `$4` and `$5`. */
export const INSERT_SESSION = statement<never>(
  'console-sessions.insert',
  /* sql */ `
  insert into console_sessions (session_hash, workspace_id, api_key_id, token_hash, operator_id, user_agent, address,
                                created_at, last_seen_at, authenticated_at, expires_at)
  select $1::bytea, $2::text, $3::text, $4::bytea, $5::uuid, $6::text, $8::text, clock.now, clock.now, clock.now,
         clock.now + $7::int * interval '1 hour'
    from (select ${NOW} as now) clock`,
)

/** Either `workspaceId` or `apiKeyId` is set, and either `tokenHash` or the operator. */
export interface SessionRow {
  workspaceId: string | null
  apiKeyId: string | null
  tokenHash: Buffer | null
  operatorId: string | null
  operatorName: string | null
  operatorEmail: string | null
  operatorRole: OperatorRole | null
  isFresh: boolean
  /** Whether the time of the last call is older than a minute. */
  isUnrecorded: boolean
}

/**
 * Returns a session that is valid now, with the operator as stored now. `$2`: whether it is one of a command line;
 * otherwise of a browser.
 */
export const GET_SESSION = statement<SessionRow>(
  'console-sessions.get',
  /* sql */ `
  select s.workspace_id as "workspaceId", s.api_key_id as "apiKeyId", s.token_hash as "tokenHash",
         o.operator_id as "operatorId", o.name as "operatorName", o.email as "operatorEmail", o.role as "operatorRole",
         ${isWithin('s.authenticated_at', FRESH, NOW)} as "isFresh",
         not ${isWithin('s.last_seen_at', MINUTE, NOW)} as "isUnrecorded"
    from console_sessions s
    left join operators o on o.workspace_id = s.workspace_id and o.operator_id = s.operator_id
   where s.session_hash = $1::bytea and (s.machine is not null) = $2::boolean and ${ENDS_AT} > ${NOW}`,
)

export const GET_WORKSPACE_NAME = statement<{ name: string }>(
  'console-sessions.get-workspace-name',
  'select name from workspaces where workspace_id = $1',
)

/** Records the time of a call, at most once a minute. */
export const RECORD_SESSION_USE = statement<never>(
  'console-sessions.record-use',
  /* sql */ `
  update console_sessions set last_seen_at = ${NOW}
   where session_hash = $1::bytea and not ${isWithin('last_seen_at', MINUTE, NOW)}`,
)

/** The operator of a session has just proved again who they are. Returns no row if the session has ended meanwhile. */
export const CONFIRM_SESSION = statement<{ confirmed: true }>(
  'console-sessions.confirm',
  `update console_sessions set authenticated_at = ${NOW} where session_hash = $1::bytea returning true as confirmed`,
)

/**
 * Records that operator `$2` of workspace `$1` has proved their address, and returns a row the first time. Until then
 * the inviter may have used the link, so the sessions, passkeys and unused links of an invited operator end, and so do
 * approved command lines. Runs under the lock of the workspace.
 */
export const CONFIRM_ADDRESS = statement<{ endedSessions: number; removedPasskeys: number }>(
  'console-sessions.confirm-address',
  /* sql */ `
  with confirmed as (
    update operators set address_confirmed_at = ${NOW}
     where workspace_id = $1 and operator_id = $2::uuid and address_confirmed_at is null
    returning invited_by is not null as was_invited
  ),
  ended as (
    delete from console_sessions where workspace_id = $1 and operator_id = $2::uuid and (select was_invited from confirmed) returning 1
  ),
  withdrawn as (
    delete from device_authorizations where workspace_id = $1 and operator_id = $2::uuid and (select was_invited from confirmed)
  ),
  void as (
    delete from login_links
     where workspace_id = $1 and operator_id = $2::uuid and not is_mailed and used_at is null and exists (select from confirmed)
  ),
  removed as (
    delete from passkeys where workspace_id = $1 and operator_id = $2::uuid and (select was_invited from confirmed) returning 1
  )
  select (select count(*) from ended) as "endedSessions", (select count(*) from removed) as "removedPasskeys" from confirmed`,
)

/** Returns a row if the session has not been ended, and locks it: a call that ends the session waits until this transaction is over. */
export const HOLD_SESSION = statement<object>(
  'console-sessions.hold',
  'select from console_sessions where session_hash = $1::bytea for key share',
)

export const DELETE_SESSION = statement<{ ended: true }>(
  'console-sessions.delete',
  'delete from console_sessions where session_hash = $1::bytea returning true as ended',
)

export interface ListedSessionRow {
  id: string
  operatorId: string | null
  operatorName: string | null
  tokenName: string | null
  /** The machine of a command line; null for a browser. */
  machine: string | null
  userAgent: string
  address: string
  createdAt: Date
  lastSeenAt: Date
  endsAt: Date
  isCurrent: boolean
}

/** The maximum of a list, because the holder of a token can start any number of sessions. */
const LISTED_MAX = 1_000

/**
 * Lists the sessions of workspace `$1` that are valid now, or only the sessions of operator `$2`, ordered by their last call,
 * latest first. `$3` is the caller's own.
 */
export const LIST_SESSIONS = statement<ListedSessionRow>(
  'console-sessions.list',
  /* sql */ `
  select s.session_id as id, s.operator_id as "operatorId", o.name as "operatorName", t.name as "tokenName",
         s.machine, s.user_agent as "userAgent", s.address, s.created_at as "createdAt", s.last_seen_at as "lastSeenAt",
         ${ENDS_AT} as "endsAt", s.session_hash = $3::bytea as "isCurrent"
    from console_sessions s
    left join operators o on o.workspace_id = s.workspace_id and o.operator_id = s.operator_id
    left join workspace_tokens t on t.token_hash = s.token_hash and ${TOKEN_VALID}
   where s.workspace_id = $1 and ($2::uuid is null or s.operator_id = $2::uuid) and ${ENDS_AT} > ${NOW}
     and num_nonnulls(o.operator_id, t.token_hash) = 1
   order by s.last_seen_at desc, s.session_id limit ${LISTED_MAX}`,
)

/**
 * Deletes session `$2` of workspace `$1`, if it belongs to operator `$3` or `$3` is null. Also withdraws sign-ins that
 * the operator has approved and no machine has redeemed yet: they would become sessions that nobody saw in the list.
 */
export const DELETE_LISTED_SESSION = statement<{ operatorId: string | null }>(
  'console-sessions.delete-listed',
  /* sql */ `
  with ended as (
    delete from console_sessions
     where workspace_id = $1 and session_id::text = $2 and ($3::uuid is null or operator_id = $3::uuid)
    returning workspace_id, operator_id
  ),
  withdrawn as (
    delete from device_authorizations d using ended
     where d.workspace_id = ended.workspace_id and d.operator_id = ended.operator_id
  )
  select operator_id as "operatorId" from ended`,
)

export const DELETE_EXPIRED_SESSIONS = deletionOfOld('console-sessions.delete-expired', {
  table: 'console_sessions',
  column: 'expires_at',
})
