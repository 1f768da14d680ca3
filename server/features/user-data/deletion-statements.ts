/** SQL of the jobs that erase users: adding them, working on them, and their status. */
import type { ApiKeyId, OrganizationKey } from '#contract/ids.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { leasedRows } from '#platform/leased-rows.ts'
import type { Actor } from '#tenancy/callers/caller.ts'

export interface DeletionJob {
  apiKeyId: ApiKeyId
  jobId: string
}

const LEASE = `interval '10 seconds'`

export const DELETION_JOBS = leasedRows<DeletionJob>({
  name: 'user-data-deletions',
  table: 'user_data_deletions',
  key: { apiKeyId: 'api_key_id', jobId: 'job_id' },
  lease: LEASE,
  retrySeconds: { first: 1, longest: 10 },
})

export const COUNT_ORGANIZATIONS = statement<{ count: number }>(
  'user-data.count-organizations',
  'select count(*)::int as count from organizations where api_key_id = $1',
)

/** Returns which of the named organizations of an API key exist. */
export const FIND_NAMED = setStatement<{ organizationKey: OrganizationKey }, { organizationId: string }>(
  'user-data.find-named',
  { organizationKey: 'uuid' },
  /* sql */ `
  select o.organization_id as "organizationId" from $input
    join organizations o on o.organization_key = item.organization_key and o.added_at is not null`,
)

/** `$3` are the organizations, null for all; `$5` is the number of tasks. */
export const ADD_DELETION = statement<{ jobId: string }>(
  'user-data.add-deletion',
  /* sql */ `
  insert into user_data_deletions (api_key_id, job_id, user_ids, organization_ids, actor, tasks_count, salt)
  values ($1, gen_random_uuid(), $2, $3, $4::jsonb, $5, gen_random_uuid())
  returning job_id as "jobId"`,
)

export interface DeletionRow {
  userIds: string[]
  /** Null: all of the API key, and the profiles. */
  organizationIds: string[] | null
  /** The last organization that the job has finished; '' before the first. */
  passedOrganizationId: string
  salt: string
  actor: Actor
  workspaceId: string
}

/** Locks an unfinished job until the transaction ends: of two workers one waits, and continues after the other. */
export const LOCK_DELETION = statement<DeletionRow>(
  'user-data.lock-deletion',
  /* sql */ `
  select d.user_ids as "userIds", d.organization_ids as "organizationIds", d.passed_organization_id as "passedOrganizationId",
         d.salt, d.actor, k.workspace_id as "workspaceId"
    from user_data_deletions d join api_keys k on k.api_key_id = d.api_key_id
   where d.api_key_id = $1 and d.job_id = $2 and d.finished_at is null for update of d`,
)

/** Records that `$4` more organizations, up to id `$3`, are finished. */
export const PASS_ORGANIZATIONS = statement<never>(
  'user-data.pass-organizations',
  /* sql */ `
  update user_data_deletions
     set passed_organization_id = $3, tasks_done = tasks_done + $4::int, last_task_completed_at = clock_timestamp(),
         due_at = clock_timestamp() + ${LEASE}
   where api_key_id = $1 and job_id = $2`,
)

/** Renews the lease in the middle of a task. */
export const RENEW_LEASE = statement<never>(
  'user-data.renew-lease',
  `update user_data_deletions set due_at = clock_timestamp() + ${LEASE} where api_key_id = $1 and job_id = $2`,
)

/** Finishes the job, and forgets the users that it erased. */
export const FINISH_DELETION = statement<never>(
  'user-data.finish-deletion',
  /* sql */ `
  update user_data_deletions
     set tasks_done = tasks_count, last_task_completed_at = clock_timestamp(), finished_at = clock_timestamp(),
         user_ids = '{}', organization_ids = null, salt = null, passed_organization_id = ''
   where api_key_id = $1 and job_id = $2`,
)

export interface DeletionStatusRow {
  tasksCount: number
  tasksDone: number
  createdAt: Date
  lastTaskCompletedAt: Date | null
  finishedAt: Date | null
}

export const GET_DELETION = statement<DeletionStatusRow>(
  'user-data-deletions.get',
  /* sql */ `
  select tasks_count as "tasksCount", tasks_done as "tasksDone", created_at as "createdAt",
         last_task_completed_at as "lastTaskCompletedAt", finished_at as "finishedAt"
    from user_data_deletions where api_key_id = $1 and job_id = $2::uuid`,
)
