/** Revokes all access of users: starts the jobs and reports their progress (rules/resources.md#leaving). */
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { getUserAccessRevocation, revokeUserAccess, UserAccessRevocation } from '#contract/users/user-access.ts'
import { revokeTokensOf } from '#features/user-tokens/shared.ts'
import { setUsersDisabled } from '#features/users/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { startWorker, type WorkerDeps } from '#platform/jobs/worker.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import { credentialsInvalid, invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { isUuid } from '#tenancy/callers/keys.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { countOrganizations, progressOf } from '#tenancy/user-jobs/job.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import { completeRevocation } from './job.ts'
import { createPreview } from './preview.ts'
import { ADD_REVOCATION, GET_REVOCATION, REVOCATION_JOBS } from './revocation-statements.ts'

type Revoked = ResultOf<typeof revokeUserAccess>

export function startUserAccess(deps: WorkerDeps & { pageTokens: PageTokens }) {
  const { db } = deps
  const worker = startWorker(deps, REVOCATION_JOBS, (job) => completeRevocation(db, job))
  const preview = createPreview(deps)

  return {
    async revoke(
      caller: Caller,
      { dryRun = false, disable = false, pageToken, ...data }: DataOf<typeof revokeUserAccess>,
    ): Promise<Paged<Revoked>> {
      const userIds = [...new Set(data.userIds)]
      if (dryRun) return preview(caller, userIds, pageToken)
      if (pageToken !== undefined)
        throw invalidArgument([{ field: 'pageToken', message: 'pageToken must not be given without dryRun: true' }])
      const started = await start(caller, userIds, disable)
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

  /**
   * Adds the job, revokes the tokens and may disable the users, in one transaction. Events come last, because all
   * sign-ins share their stream.
   */
  function start(caller: Caller, userIds: readonly string[], disable: boolean): Promise<Revoked> {
    const { apiKeyId, actor } = caller
    const work = async (session: Session) => {
      const tasksCount = Math.max(1, await countOrganizations(session, caller))
      const [added] = await session.run(ADD_REVOCATION, [apiKeyId, userIds, JSON.stringify(actor), tasksCount])
      const events = await revokeTokensOf(session, caller, userIds)
      if (disable) await setUsersDisabled(session, caller, userIds, true)
      if (events.length > 0) await recordStreamEvents(session, events)
      return { jobId: added?.jobId ?? '', tasksCount }
    }
    return changeApiKey(db, caller, apiKeyId, work, credentialsInvalid)
  }
}
