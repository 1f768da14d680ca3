/** Revokes all access of users, organization by organization (rules/resources.md#leaving). */
import type { Db, Session } from '#platform/db/db.ts'
import type { JobResult } from '#platform/jobs/worker.ts'
import { type LockedUser, runUserJob, type UserJobWork } from '#tenancy/user-jobs/job.ts'
import { ROWS_MAX, type UserJob, type UserJobRow } from '#tenancy/user-jobs/statements.ts'
import { LEAVE_USER_GROUPS, REVOKE_GRANTS } from './removal-statements.ts'
import {
  COUNT_REMOVED,
  FIND_HELD,
  FINISH_REVOCATION,
  LOCK_REVOCATION,
  REVOCATION_JOBS,
} from './revocation-statements.ts'

const REVOCATION: UserJobWork<UserJobRow> = {
  jobs: REVOCATION_JOBS,
  lock: LOCK_REVOCATION,
  finish: FINISH_REVOCATION,
  next: (session, { apiKeyId }, { userIds, passedOrganizationId }, count) =>
    session.run(FIND_HELD, [apiKeyId, passedOrganizationId, userIds, count]),
  change: revokeInOrganizations,
  // The tokens were revoked when the job was added, and the profiles stay.
  conclude: async () => true,
}

/** Works on a revocation for one turn. */
export const completeRevocation = (db: Db, job: UserJob): Promise<JobResult> => runUserJob(db, job, REVOCATION)

async function revokeInOrganizations(
  session: Session,
  { apiKeyId, jobId }: UserJob,
  { actor }: UserJobRow,
  locked: readonly LockedUser[],
): Promise<boolean> {
  const users = locked.map(({ organizationKey, userId }) => ({ organizationKey, userId, actor }))
  const [revoked] = await session.runSet(REVOKE_GRANTS, users)
  const [left] = await session.runSet(LEAVE_USER_GROUPS, users)
  const { rows = 0, grants = 0, temporaryGrants = 0 } = revoked ?? {}
  const { userGroups = 0 } = left ?? {}
  await session.run(COUNT_REMOVED, [apiKeyId, jobId, grants, temporaryGrants, userGroups])
  return rows < ROWS_MAX && userGroups < ROWS_MAX
}
