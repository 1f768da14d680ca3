/** The SQL statements of operators. Changes run under the lock of the workspace. */

import type { OperatorRole } from '#contract/workspace/operator-roles.ts'
import { NOW, statement } from '#platform/db/statement.ts'
import { isWithin } from '#platform/times.ts'
import { foldedInSql } from '#tenancy/addresses.ts'

export interface OperatorRow {
  id: string
  email: string
  name: string
  role: OperatorRole
  invitedBy: string | null
  createdAt: Date
  lastSeenAt: Date | null
  /** When the latest link that is valid now expires. */
  linkExpiresAt: Date | null
  /** Whether they get the findings by mail, once a week. */
  weeklyFindings: boolean
}

const COLUMNS = /* sql */ `
  o.operator_id as id, o.email, o.name, o.role, o.invited_by as "invitedBy", o.created_at as "createdAt",
  o.last_seen_at as "lastSeenAt",
  (select max(l.expires_at) from login_links l
    where l.workspace_id = o.workspace_id and l.operator_id = o.operator_id
      and l.used_at is null and l.expires_at > ${NOW}) as "linkExpiresAt",
  exists (select from findings_mails m
           where m.workspace_id = o.workspace_id and m.operator_id = o.operator_id and m.finished_at is null) as "weeklyFindings"`

/** Lists the operators of a workspace, oldest first. */
export const GET_OPERATORS = statement<OperatorRow>(
  'operators.get',
  `select ${COLUMNS} from operators o where o.workspace_id = $1 order by o.created_at, o.operator_id`,
)

export const GET_OPERATOR = statement<OperatorRow>(
  'operators.get-one',
  `select ${COLUMNS} from operators o where o.workspace_id = $1 and o.operator_id::text = $2`,
)

export const FIND_BY_EMAIL = statement<OperatorRow>(
  'operators.find-by-email',
  `select ${COLUMNS} from operators o where o.workspace_id = $1 and ${foldedInSql('o.email')} = ${foldedInSql('$2::text')}`,
)

/** Counts the operators of a workspace, and its owners. */
export const COUNT_OPERATORS = statement<{ all: number; owners: number }>(
  'operators.count',
  /* sql */ `
  select count(*) as "all", count(*) filter (where role = 'owner') as owners from operators where workspace_id = $1`,
)

export const INSERT_OPERATOR = statement<{ id: string }>(
  'operators.insert',
  /* sql */ `
  insert into operators (workspace_id, email, name, role, invited_by) values ($1, $2, $3, $4, $5)
  returning operator_id as id`,
)

/** Sets the name and the role of an operator, and who invited them. */
export const UPDATE_OPERATOR = statement<never>(
  'operators.update',
  'update operators set name = $3, role = $4, invited_by = $5 where workspace_id = $1 and operator_id = $2::uuid',
)

/** Deletes an operator; foreign keys delete their links and sessions. */
export const DELETE_OPERATOR = statement<never>(
  'operators.remove',
  'delete from operators where workspace_id = $1 and operator_id = $2::uuid',
)

/** Records the time of an operator's last call, unless another call has within the last minute. */
export const RECORD_SEEN = statement<never>(
  'operators.record-seen',
  /* sql */ `
  update operators set last_seen_at = ${NOW}
   where workspace_id = $1 and operator_id = $2::uuid
     and ${isWithin('last_seen_at', `interval '1 minute'`, NOW)} is not true`,
)
