/** Marks threads as seen by users, and counts those with something unread (rules/comments.md#seen). */
import type { countThreads, readThreads } from '#contract/comments/seen.ts'
import type { BatchResult } from '#contract/core/envelope.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { Kernel } from '#kernel'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireOrganization, requireResource } from '#tenancy/existence.ts'
import { changeOrganization } from '#tenancy/writes/organization.ts'
import { threadResults } from '../results.ts'
import { COUNT_THREADS, SEE_THREADS } from './statements.ts'

export function createSeen({ db }: Kernel) {
  return {
    async count(caller: Caller, data: DataOf<typeof countThreads>): Promise<ResultOf<typeof countThreads>> {
      const { organizationId, documentIds, userId, statusIds = null } = data
      const key = organizationKey(caller, organizationId)
      await requireOrganization(db, key)
      const rows = await db.run(COUNT_THREADS, [key, [...new Set(documentIds)], userId, statusIds])
      return Object.fromEntries(rows.map(({ documentId, ...counts }) => [documentId, counts]))
    },

    read(caller: Caller, data: DataOf<typeof readThreads>): Promise<BatchResult> {
      const { organizationId, documentId, userId, annotationIds, commentId = null } = data
      const asked = [...new Set(annotationIds)]
      if (commentId !== null && asked.length > 1)
        throw invalidArgument([{ field: 'commentId', message: 'commentId is given for one thread only' }])
      const key = organizationKey(caller, organizationId)
      return changeOrganization(db, caller, key, async (session) => {
        const resourceKey = await requireResource(session, key, { type: 'document', id: documentId })
        const rows = await session.run(SEE_THREADS, [key, resourceKey, asked, userId, commentId])
        const seen = new Set(rows.map(({ annotationId }) => annotationId))
        const missing = commentId === null ? undefined : 'There is no such comment.'
        return threadResults(asked, seen, 'Comment annotation marked as seen successfully.', missing)
      })
    },
  }
}
