/** SQL of the jobs that revoke all access of users: adding them, working on them, and their status. */
import { statement } from '#platform/db/statement.ts'
import {
  findKnowing,
  type KnowingRow,
  PROGRESS,
  type ProgressRow,
  type UserJobRow,
  userJobs,
} from '#tenancy/user-jobs/statements.ts'

export const REVOCATION_JOBS = userJobs('user-access-revocations', 'user_access_revocations')

/** `$4` is the number of tasks. */
export const ADD_REVOCATION = statement<{ jobId: string }>(
  'user-access.add-revocation',
  /* sql */ `
  insert into user_access_revocations (api_key_id, job_id, user_ids, actor, tasks_count)
  values ($1, gen_random_uuid(), $2, $3::jsonb, $4)
  returning job_id as "jobId"`,
)

export const LOCK_REVOCATION = statement<UserJobRow>(
  'user-access.lock-revocation',
  /* sql */ `
  select user_ids as "userIds", passed_organization_id as "passedOrganizationId", actor
    from user_access_revocations
   where api_key_id = $1 and job_id = $2 and finished_at is null for update`,
)

export const FIND_HELD = statement<KnowingRow>('user-access.find-held', findKnowing(['grants', 'user_group_members']))

/** Adds to the counts of the job: `$3` grants removed, `$4` of them temporary, and `$5` group memberships. */
export const COUNT_REMOVED = statement<never>(
  'user-access.count-removed',
  /* sql */ `
  update user_access_revocations
     set removed_grants = removed_grants + $3::int, removed_temporary_grants = removed_temporary_grants + $4::int,
         removed_user_groups = removed_user_groups + $5::int
   where api_key_id = $1 and job_id = $2`,
)

/** Finishes the job, and forgets its users. */
export const FINISH_REVOCATION = statement<never>(
  'user-access.finish-revocation',
  /* sql */ `
  update user_access_revocations
     set tasks_done = tasks_count, last_task_completed_at = clock_timestamp(), finished_at = clock_timestamp(),
         user_ids = '{}', passed_organization_id = ''
   where api_key_id = $1 and job_id = $2`,
)

export interface RevocationStatusRow extends ProgressRow {
  grants: number
  temporaryGrants: number
  userGroups: number
}

export const GET_REVOCATION = statement<RevocationStatusRow>(
  'user-access-revocations.get',
  /* sql */ `
  select ${PROGRESS},
         removed_grants as grants, removed_temporary_grants as "temporaryGrants", removed_user_groups as "userGroups"
    from user_access_revocations where api_key_id = $1 and job_id = $2::uuid`,
)
