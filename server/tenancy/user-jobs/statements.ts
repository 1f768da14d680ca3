/** SQL of the durable jobs about users of an API key: their progress, and the organizations that they go through. */
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import { type Statement, statement } from '#platform/db/statement.ts'
import { LEASE, type LeasedRows, leasedRows } from '#platform/jobs/leased-rows.ts'
import type { Actor } from '../callers/caller.ts'
import { namingColumns, type TableName } from '../tables.ts'

export interface UserJob {
  apiKeyId: ApiKeyId
  jobId: string
}

/** The columns of its row that a transaction of a job reads. */
export interface UserJobRow {
  userIds: string[]
  /** The last organization that the job has finished; '' before the first. */
  passedOrganizationId: string
  actor: Actor
}

export interface UserJobs extends LeasedRows<UserJob> {
  /** Records that `$4` more organizations, up to id `$3`, are finished. */
  readonly pass: Statement<never>
  /** Renews the lease in the transaction of a batch that does not finish a task. */
  readonly extend: Statement<never>
}

/** Returns the statements of a table of jobs, each named after the queue. */
export const userJobs = (name: string, table: TableName): UserJobs => ({
  ...leasedRows<UserJob>({
    name,
    table,
    key: { apiKeyId: 'api_key_id', jobId: 'job_id' },
    retrySeconds: { first: 1, longest: 10 },
  }),
  pass: statement(
    `${name}.pass`,
    /* sql */ `
  update ${table}
     set passed_organization_id = $3, tasks_done = tasks_done + $4::int, last_task_completed_at = clock_timestamp(),
         due_at = clock_timestamp() + ${LEASE}
   where api_key_id = $1 and job_id = $2`,
  ),
  extend: statement(
    `${name}.extend`,
    `update ${table} set due_at = clock_timestamp() + ${LEASE} where api_key_id = $1 and job_id = $2`,
  ),
})

export const COUNT_ORGANIZATIONS = statement<{ count: number }>(
  'user-jobs.count-organizations',
  'select count(*)::int as count from organizations where api_key_id = $1',
)

export interface ProgressRow {
  tasksCount: number
  tasksDone: number
  createdAt: Date
  lastTaskCompletedAt: Date | null
  finishedAt: Date | null
}

/** The columns of `ProgressRow`. */
export const PROGRESS = /* sql */ `tasks_count as "tasksCount", tasks_done as "tasksDone", created_at as "createdAt",
         last_task_completed_at as "lastTaskCompletedAt", finished_at as "finishedAt"`

/** `findKnowing` counts no more rows of a user in a table of an organization, and a transaction changes about as many. */
export const ROWS_MAX = 2_000

export interface KnowingRow {
  organizationKey: OrganizationKey
  organizationId: string
  /** The users with rows in one of the tables. */
  userIds: string[]
  /** The number of these rows; of each user and table at most `ROWS_MAX` are counted. */
  rows: number
}

/**
 * Returns SQL that finds the next organizations of API key `$1` after id `$2`, in id order, at most `$4`, and the users among
 * `$3` that each has rows about in `tables`: one index probe of each column that names users for each pair.
 */
export function findKnowing(tables: readonly TableName[], which = 'true'): string {
  const rowsOfUser = tables.flatMap((table) =>
    namingColumns(table).map(
      (column) => /* sql */ `(select count(*) from (select from ${table} t
                                where t.${table === 'events' ? 'stream' : 'organization_key'} = o.organization_key
                                  and t.${column} = asked.user_id limit ${ROWS_MAX}) in_${table})`,
    ),
  )
  return /* sql */ `
  with organization as materialized (
    select organization_key, organization_id from organizations
     where api_key_id = $1 and organization_id > $2 and ${which}
     order by organization_id limit $4::int
  )
  select o.organization_key as "organizationKey", o.organization_id as "organizationId", known."userIds", known.rows
    from organization o cross join lateral (
      select coalesce(array_agg(held.user_id) filter (where held.rows > 0), '{}') as "userIds", sum(held.rows)::int as rows
        from (select asked.user_id,
                     ${rowsOfUser.join('\n                   + ')} as rows
                from unnest($3::text[]) as asked (user_id)) held
    ) known
   order by o.organization_id`
}
