/** The SQL statements of signing in the command line with a device code (ADR 0047). */
import type { WorkspaceId } from '#contract/core/ids.ts'
import type { OperatorRole } from '#contract/workspace/operator-roles.ts'
import { NOW, statement } from '#platform/db/statement.ts'
import { deletionOfOld } from '#platform/jobs/old-rows.ts'
import { ENDS_AT } from '../sessions/statements.ts'

/** How long an operator can approve or refuse a code. */
export const DEVICE_CODE_SECONDS = 600

/**
 * The pause between two polls of a machine. A poll that comes too soon lengthens the pause by the same time (RFC
 * 8628).
 */
export const POLL_SECONDS = 5
const SLOW_DOWN_SECONDS = 5

/** Adds an authorization and returns a row. Returns none if another authorization has the user code. */
export const ADD_DEVICE_AUTHORIZATION = statement<{ added: true }>(
  'device-authorizations.add',
  /* sql */ `
  insert into device_authorizations (device_code_hash, user_code, machine, user_agent, address, only_workspace_id,
                                     expires_at, poll_seconds)
  values ($1::bytea, $2::text, $3::text, $4::text, $5::text, $6::text,
          ${NOW} + interval '${DEVICE_CODE_SECONDS} seconds', ${POLL_SECONDS})
  on conflict (user_code) do nothing returning true as added`,
)

export interface PollRow {
  /** Whether the previous poll was a shorter time ago than the machine has to wait. */
  isTooSoon: boolean
  pollSeconds: number
  isAnswered: boolean
  /** The workspace of the operator who approved. */
  workspaceId: WorkspaceId | null
}

/**
 * Records a poll with device code `$1`, and returns the answer of the operator; no row if the code is unknown, used
 * or expired. A previous poll may seem to be later: a little if both waited for the row, and much if the clock was set back.
 */
export const POLL_DEVICE_AUTHORIZATION = statement<PollRow>(
  'device-authorizations.poll',
  /* sql */ `
  with clock as materialized (select ${NOW} as now),
  asked as (
    select d.device_code_hash, d.answered_at, d.workspace_id,
           coalesce(abs(extract(epoch from clock.now - d.polled_at)) < d.poll_seconds, false) as too_soon
      from device_authorizations d cross join clock
     where d.device_code_hash = $1::bytea and d.expires_at > clock.now
       for update of d
  ),
  polled as (
    update device_authorizations d
       set polled_at = clock.now,
           poll_seconds = d.poll_seconds + case when asked.too_soon then ${SLOW_DOWN_SECONDS} else 0 end
      from asked cross join clock where d.device_code_hash = asked.device_code_hash
    returning d.poll_seconds
  )
  select asked.too_soon as "isTooSoon", polled.poll_seconds as "pollSeconds",
         asked.answered_at is not null as "isAnswered", asked.workspace_id as "workspaceId"
    from asked cross join polled`,
)

export const DELETE_DEVICE_AUTHORIZATION = statement<never>(
  'device-authorizations.delete',
  'delete from device_authorizations where device_code_hash = $1::bytea',
)

/** SQL: whether the operators of workspace `$2` can answer the authorization `d` with user code `$1`. */
const ANSWERABLE = /* sql */ `
  d.user_code = $1::text and d.answered_at is null and d.expires_at > ${NOW}
  and coalesce(d.only_workspace_id, $2::text) = $2::text`

export interface DeviceRow {
  machine: string
  userAgent: string
  address: string
}

/** Returns the machine of a user code; no row if the operators of the workspace cannot answer it. */
export const FIND_DEVICE_AUTHORIZATION = statement<DeviceRow>(
  'device-authorizations.find',
  `select d.machine, d.user_agent as "userAgent", d.address from device_authorizations d where ${ANSWERABLE}`,
)

/**
 * Approves as operator `$3`, whose session is `$4`, and returns a row: to one caller only. Runs under the lock of the
 * workspace, so that the operator is not removed in the meantime.
 */
export const APPROVE_DEVICE_AUTHORIZATION = statement<{ answered: true }>(
  'device-authorizations.approve',
  /* sql */ `
  update device_authorizations d
     set answered_at = ${NOW}, workspace_id = $2::text, operator_id = $3::uuid, session_expires_at = s.expires_at
    from console_sessions s
   where ${ANSWERABLE} and s.session_hash = $4::bytea and s.workspace_id = $2::text and s.operator_id = $3::uuid
  returning true as answered`,
)

/** Denies, and returns a row: to one caller only. */
export const DENY_DEVICE_AUTHORIZATION = statement<{ answered: true }>(
  'device-authorizations.deny',
  `update device_authorizations d set answered_at = ${NOW} where ${ANSWERABLE} returning true as answered`,
)

/**
 * Exchanges the approved device code `$1` for the session `$2`, and returns its operator; no row if it was used or has
 * expired. The session ends no later than the one that approved, and counts as confirmed since the approval. `$3` is
 * the address from which it is used.
 */
export const REDEEM_DEVICE_AUTHORIZATION = statement<{ operatorId: string; operatorName: string; machine: string }>(
  'device-authorizations.redeem',
  /* sql */ `
  with clock as materialized (select ${NOW} as now),
  used as (
    delete from device_authorizations d using clock
     where d.device_code_hash = $1::bytea and d.operator_id is not null and d.expires_at > clock.now
    returning d.*
  ),
  started as (
    insert into console_sessions (session_hash, workspace_id, operator_id, machine, user_agent, address, created_at,
                                  last_seen_at, authenticated_at, expires_at)
    select $2::bytea, used.workspace_id, used.operator_id, used.machine, used.user_agent, $3::text, clock.now,
           clock.now, used.answered_at, used.session_expires_at
      from used cross join clock
  )
  select used.operator_id as "operatorId", o.name as "operatorName", used.machine
    from used
   cross join lateral (
     select name from operators o where o.workspace_id = used.workspace_id and o.operator_id = used.operator_id limit 1
   ) o`,
)

export interface CommandLineRow {
  workspaceId: WorkspaceId
  workspaceName: string
  operatorId: string
  name: string
  email: string
  role: OperatorRole
  machine: string
  /** When the session ends if it is used no more, and when at the latest. */
  endsAt: Date
  expiresAt: Date
}

/** Returns who is signed in with the session `$1` of a command line, if it is valid now. */
export const GET_COMMAND_LINE = statement<CommandLineRow>(
  'console-sessions.get-command-line',
  /* sql */ `
  select s.workspace_id as "workspaceId", w.name as "workspaceName", o.operator_id as "operatorId", o.name, o.email, o.role,
         s.machine, ${ENDS_AT} as "endsAt", s.expires_at as "expiresAt"
    from console_sessions s
    join operators o on o.workspace_id = s.workspace_id and o.operator_id = s.operator_id
    join workspaces w on w.workspace_id = s.workspace_id
   where s.session_hash = $1::bytea and s.machine is not null and ${ENDS_AT} > ${NOW}`,
)

export const DELETE_EXPIRED_DEVICE_AUTHORIZATIONS = deletionOfOld('device-authorizations.delete-expired', {
  table: 'device_authorizations',
  column: 'expires_at',
})
