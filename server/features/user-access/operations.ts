/** Revokes all access of users: starts the jobs and reports their progress (rules/resources.md#leaving). */
import type { DataOf, ResultOf } from '#contract/operation.ts'
import type { getUserAccessRevocation, revokeUserAccess, UserAccessRevocation } from '#contract/user-access.ts'
import { revokeTokensOf } from '#features/user-tokens/shared.ts'
import type { Paged, PageTokens } from '#platform/page-token.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import { startWorker, type WorkerDeps } from '#platform/worker.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { isUuid } from '#tenancy/callers/keys.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { countOrganizations, progressOf } from '#tenancy/user-jobs/job.ts'
import { changeOrganizations } from '#tenancy/writes/organization.ts'
import { runRevocation } from './job.ts'
import { createPreview } from './preview.ts'
import { ADD_REVOCATION, GET_REVOCATION, REVOCATION_JOBS } from './revocation-statements.ts'

type Revoked = ResultOf<typeof revokeUserAccess>

export type UserAccess = ReturnType<typeof startUserAccess>

/** Starts the worker that revokes the access of users. */
export function startUserAccess(deps: WorkerDeps & { pageTokens: PageTokens }) {
  const { db } = deps
  const worker = startWorker(deps, REVOCATION_JOBS, (job) => runRevocation(db, job))
  const preview = createPreview(deps)

  return {
    async revoke(
      caller: Caller,
      { dryRun = false, pageToken, ...data }: DataOf<typeof revokeUserAccess>,
    ): Promise<Paged<Revoked>> {
      const userIds = [...new Set(data.userIds)]
      if (dryRun) return preview(caller, userIds, pageToken)
      if (pageToken !== undefined)
        throw invalidArgument([{ field: 'pageToken', message: 'pageToken must not be given without dryRun: true' }])
      const started = await start(caller, userIds)
      worker.wake()
      return { data: started }
    },

    async getRevocation(
      caller: Caller,
      { jobId }: DataOf<typeof getUserAccessRevocation>,
    ): Promise<UserAccessRevocation> {
      const [row] = isUuid(jobId) ? await db.run(GET_REVOCATION, [caller.apiKeyId, jobId]) : []
      if (row === undefined)
        throw new StatusError('NOT_FOUND', 'user_access_revocation_does_not_exist', 'The API key has no such job.')
      const { grants, temporaryGrants, userGroups } = row
      return { jobId, ...progressOf(row), removed: { grants, temporaryGrants, userGroups } }
    },

    worker,
  }

  /** Adds the job and revokes the tokens in one transaction. The row of the job locks the API key before the users are locked. */
  function start(caller: Caller, userIds: readonly string[]): Promise<Revoked> {
    const { apiKeyId, actor } = caller
    return changeOrganizations(db, caller, [], async (session) => {
      const tasksCount = Math.max(1, await countOrganizations(session, caller))
      const [added] = await session.run(ADD_REVOCATION, [apiKeyId, userIds, JSON.stringify(actor), tasksCount])
      const events = await revokeTokensOf(session, caller, userIds)
      if (events.length > 0) await recordStreamEvents(session, events)
      return { jobId: added?.jobId ?? '', tasksCount }
    })
  }
}
