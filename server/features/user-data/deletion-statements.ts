/** SQL of the jobs that erase users: adding them, working on them, and their status. */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { PROGRESS, type ProgressRow, type UserJobRow, userJobs } from '#tenancy/user-jobs/statements.ts'

export const DELETION_JOBS = userJobs('user-data-deletions', 'user_data_deletions')

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

/**
 * Records which transactions may have begun without seeing the job: all transactions below the next number. Runs in a
 * transaction of its own, after the job was committed.
 */
export const SET_HORIZON = statement<never>(
  'user-data.set-horizon',
  /* sql */ `
  update user_data_deletions set waits_for = pg_snapshot_xmax(pg_current_snapshot())
   where api_key_id = $1 and job_id = $2 and waits_for is null and finished_at is null`,
)

/**
 * Begins a pass through the organizations, unless one is under way, and returns whether all transactions that may not
 * have seen the job have ended. If so, nothing more is stored about its users, and the pass finds everything.
 */
export const BEGIN_PASS = statement<{ isSettled: boolean; isFirst: boolean }>(
  'user-data.begin-pass',
  /* sql */ `
  update user_data_deletions
     set is_settled = is_settled or passed_organization_id = '' and pg_snapshot_xmin(pg_current_snapshot()) >= waits_for
   where api_key_id = $1 and job_id = $2 and finished_at is null
  returning is_settled or passed_organization_id <> '' as "isSettled", last_task_completed_at is null as "isFirst"`,
)

/** Makes the job go through the organizations again. */
export const REPEAT_PASS = statement<never>(
  'user-data.repeat-pass',
  `update user_data_deletions set passed_organization_id = '' where api_key_id = $1 and job_id = $2`,
)

export interface DeletionRow extends UserJobRow {
  /** Null: all of the API key, and the profiles. */
  organizationIds: string[] | null
  salt: string
  /** Whether this pass through the organizations finds everything. */
  isSettled: boolean
  workspaceId: string
}

export const LOCK_DELETION = statement<DeletionRow>(
  'user-data.lock-deletion',
  /* sql */ `
  select d.user_ids as "userIds", d.organization_ids as "organizationIds", d.passed_organization_id as "passedOrganizationId",
         d.is_settled as "isSettled", d.salt, d.actor, k.workspace_id as "workspaceId"
    from user_data_deletions d join api_keys k on k.api_key_id = d.api_key_id
   where d.api_key_id = $1 and d.job_id = $2 and d.finished_at is null for update of d`,
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

export const GET_DELETION = statement<ProgressRow>(
  'user-data-deletions.get',
  /* sql */ `
  select ${PROGRESS}
    from user_data_deletions where api_key_id = $1 and job_id = $2::uuid`,
)
