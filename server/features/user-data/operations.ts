/** Starts erasures of users and reports their progress; `job.ts` carries them out (rules/resources.md#erasure). */
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { deleteUserData, getUserDataDeletion, UserDataDeletion } from '#contract/users/user-data.ts'
import { revokeTokensOf } from '#features/user-tokens/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { startWorker, type WorkerDeps } from '#platform/jobs/worker.ts'
import type { PageTokens } from '#platform/secrets/page-token.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { isUuid, organizationKey } from '#tenancy/callers/keys.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { inviteeOf } from '#tenancy/principals.ts'
import { countOrganizations, progressOf } from '#tenancy/user-jobs/job.ts'
import type { ProgressRow } from '#tenancy/user-jobs/statements.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import { ADD_DELETION, DELETION_JOBS, FIND_NAMED, GET_DELETION } from './deletion-statements.ts'
import { FIND_ADDRESSES } from './erasure-statements.ts'
import { runDeletion } from './job.ts'
import { createReading } from './reading.ts'

export function startUserData(deps: WorkerDeps & { pageTokens: PageTokens }) {
  const { db } = deps
  const worker = startWorker(deps, DELETION_JOBS, (job) => runDeletion(db, job))

  return {
    async delete(caller: Caller, data: DataOf<typeof deleteUserData>): Promise<ResultOf<typeof deleteUserData>> {
      const { apiKeyId, actor } = caller
      const userIds = [...new Set(data.userIds)]
      const organizationIds = data.organizationIds === undefined ? null : [...new Set(data.organizationIds)]
      // An erasure everywhere ends the tokens of the users; one in some organizations leaves them the others.
      const isEverywhere = organizationIds === null
      const work = async (session: Session) => {
        const events = isEverywhere ? await revokeTokensOf(session, caller, userIds) : []
        const tasksCount =
          organizationIds === null
            ? 1 + (await countOrganizations(session, caller))
            : await countNamed(session, caller, organizationIds)
        // The job also erases what names the users by their addresses: invitations, their events and mails.
        const found = await session.run(FIND_ADDRESSES, [apiKeyId, userIds])
        const named = [...userIds, ...new Set(found.map(({ email }) => inviteeOf(email)))]
        const values = [apiKeyId, named, organizationIds, JSON.stringify(actor), tasksCount]
        const [added] = await session.run(ADD_DELETION, values)
        if (events.length > 0) await recordStreamEvents(session, events)
        return { jobId: added?.jobId ?? '', tasksCount }
      }
      const started = await changeApiKey(db, caller, apiKeyId, work, credentialsInvalid)
      worker.wake()
      return started
    },

    async getDeletion(caller: Caller, { jobId }: DataOf<typeof getUserDataDeletion>): Promise<UserDataDeletion> {
      const [row] = isUuid(jobId) ? await db.run(GET_DELETION, [caller.apiKeyId, jobId]) : []
      if (row === undefined)
        throw new StatusError('NOT_FOUND', 'user_data_deletion_does_not_exist', 'The API key has no such job.')
      return deletionOf(jobId, row)
    },

    ...createReading(deps),
    worker,
  }
}

/** Refuses unless all exist: a caller who misspelt one would believe that the user was erased there. */
async function countNamed(session: Session, caller: Caller, ids: readonly string[]): Promise<number> {
  const rows = ids.map((id) => ({ organizationKey: organizationKey(caller, id) }))
  const found = new Set((await session.runSet(FIND_NAMED, rows)).map(({ organizationId }) => organizationId))
  const missing = ids.filter((id) => !found.has(id))
  if (missing.length === 0) return ids.length
  const message = `The organization "${missing[0]}" does not exist.`
  throw new StatusError('NOT_FOUND', 'organization_does_not_exist', message, {
    details: { organizationIds: missing },
  })
}

function deletionOf(jobId: string, row: ProgressRow): UserDataDeletion {
  return {
    jobId,
    isDeleteCompleted: row.finishedAt !== null,
    lastTaskCompletedTime: row.lastTaskCompletedAt?.getTime() ?? null,
    ...progressOf(row),
  }
}
