/** Marks threads as seen by users, and counts unread threads (rules/comments.md#seen). */
import type { countThreads, readThreads } from '#contract/comments/seen.ts'
import type { BatchResult } from '#contract/core/envelope.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import { openDocuments } from '#features/permissions/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser, requestedUser } from '#tenancy/callers/own-user.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import { threadResults } from '../records.ts'
import { changeDocument, SNAPSHOT, visibleThreads } from '../users/access.ts'
import { COUNT_THREADS, SEE_THREADS } from './statements.ts'

/** The counts of a document that does not exist, or is not open to the user. */
const NONE = { total: 0, unread: 0 }

export function createSeen({ db }: Kernel) {
  return {
    async count(caller: AnyCaller, data: DataOf<typeof countThreads>): Promise<ResultOf<typeof countThreads>> {
      const { organizationId, documentIds, statusIds = null } = data
      const userId = requestedUser(caller, data.userId, 'userId')
      const asked = [...new Set(documentIds)]
      const key = organizationKey(caller, organizationId)
      const countsOf = async (session: Session, documents: readonly string[]) => {
        const rows = await session.run(COUNT_THREADS, [key, documents, userId, statusIds])
        return Object.fromEntries(rows.map(({ documentId, ...counts }) => [documentId, counts]))
      }
      if (isUser(caller))
        return db.transaction(async (session) => {
          const open = [...(await openDocuments(session, caller, organizationId, asked)).keys()]
          return { ...Object.fromEntries(asked.map((id) => [id, NONE])), ...(await countsOf(session, open)) }
        }, SNAPSHOT)
      await requireOrganization(db, key)
      return countsOf(db, asked)
    },

    async read(caller: AnyCaller, data: DataOf<typeof readThreads>): Promise<BatchResult> {
      const { annotationIds, commentId = null } = data
      const userId = requestedUser(caller, data.userId, 'userId')
      const asked = [...new Set(annotationIds)]
      if (commentId !== null && asked.length > 1)
        throw invalidArgument([{ field: 'commentId', message: 'commentId is given for one thread only' }])
      return changeDocument(db, caller, data, 'reader', async (session, document) => {
        const { key, resourceKey } = document
        const visible = isUser(caller) ? [...(await visibleThreads(session, caller, document, asked)).keys()] : asked
        const rows = await session.run(SEE_THREADS, [key, resourceKey, visible, userId, commentId])
        const seen = new Set(rows.map(({ annotationId }) => annotationId))
        const missing = commentId === null ? undefined : 'There is no such comment.'
        return threadResults(asked, seen, 'Comment annotation marked as seen successfully.', { missing })
      })
    },
  }
}
