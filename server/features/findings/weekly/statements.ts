/** The SQL of the weekly mail of findings. A row is an operator who wants it, and the job that sends it (ADR 0029). */
import type { OperatorRole } from '#contract/workspace/operator-roles.ts'
import { statement } from '#platform/db/statement.ts'
import { leasedRows } from '#platform/jobs/leased-rows.ts'

export interface WeeklyJob {
  workspaceId: string
  operatorId: string
}

export const WEEKLY_JOBS = leasedRows<WeeklyJob>({
  name: 'findings-mails',
  table: 'findings_mails',
  key: { workspaceId: 'workspace_id', operatorId: 'operator_id' },
  retrySeconds: { first: 60, longest: 3_600 },
})

/** SQL: the Monday of this week, and the next one in the morning. A week begins in UTC. */
const THIS_WEEK = `date_trunc('week', clock_timestamp() at time zone 'UTC')::date`
const NEXT_WEEK = `(date_trunc('week', clock_timestamp() at time zone 'UTC') + interval '7 days 8 hours') at time zone 'UTC'`

/** Begins the mails of an operator, from the next week on. Runs under the lock of the workspace. */
export const SUBSCRIBE = statement<never>(
  'findings-mails.subscribe',
  /* sql */ `
  insert into findings_mails (workspace_id, operator_id, due_at) values ($1, $2::uuid, ${NEXT_WEEK})
  on conflict (workspace_id, operator_id) do update set finished_at = null, claimed_at = null, claims = 0, due_at = excluded.due_at
   where findings_mails.finished_at is not null`,
)

/** Ends the mails of an operator. Runs under the lock of the workspace. */
export const UNSUBSCRIBE = statement<never>(
  'findings-mails.unsubscribe',
  /* sql */ `
  update findings_mails set finished_at = clock_timestamp()
   where workspace_id = $1 and operator_id = $2::uuid and finished_at is null`,
)

export interface Subscriber {
  email: string
  name: string
  role: OperatorRole
  workspaceName: string
  isOn: boolean
  /** Whether they were ever in the console or on the command line: others may have invited the address. */
  hasSignedIn: boolean
}

/** Returns an operator who wants the mails, or did. */
export const GET_SUBSCRIBER = statement<Subscriber>(
  'findings-mails.get',
  /* sql */ `
  select o.email, o.name, o.role, w.name as "workspaceName", m.finished_at is null as "isOn", o.last_seen_at is not null as "hasSignedIn"
    from findings_mails m
    join operators o on o.workspace_id = m.workspace_id and o.operator_id = m.operator_id
    join workspaces w on w.workspace_id = m.workspace_id
   where m.workspace_id = $1 and m.operator_id = $2::uuid`,
)

/** Waits for the next week without a mail in this one. Each week counts its own claims, because pauses double with them. */
export const SKIP_WEEK = statement<never>(
  'findings-mails.skip-week',
  /* sql */ `
  update findings_mails set due_at = ${NEXT_WEEK}, claimed_at = null, claims = 0
   where workspace_id = $1 and operator_id = $2::uuid`,
)

/**
 * Takes the mail of this week, right before a server may accept it: returns a row to only one caller a week, and only
 * while the operator wants the mail and may see its content. The transaction holds the workspace, so the role of the
 * operator does not change in the meantime.
 */
export const TAKE_WEEK = statement<{ operatorId: string }>(
  'findings-mails.take-week',
  /* sql */ `
  update findings_mails m set week = ${THIS_WEEK}, due_at = ${NEXT_WEEK}, claimed_at = null, claims = 0
    from operators o
   where m.workspace_id = $1 and m.operator_id = $2::uuid and m.finished_at is null and m.week is distinct from ${THIS_WEEK}
     and o.workspace_id = m.workspace_id and o.operator_id = m.operator_id and o.role in ('owner', 'admin') and o.email = $3
     and o.last_seen_at is not null
  returning m.operator_id as "operatorId"`,
)
