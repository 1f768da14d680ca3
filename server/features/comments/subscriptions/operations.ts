/** Sets who follows threads or whole documents, and who has muted them (rules/comments.md#following). */
import type { setSubscriptions } from '#contract/comments/subscriptions.ts'
import type { BatchResult } from '#contract/core/envelope.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { followDocument, muteDocument } from '#features/notifications/shared.ts'
import type { Kernel } from '#kernel'
import { type AnyCaller, isUser, requestedUser } from '#tenancy/callers/own-user.ts'
import { threadResults } from '../records.ts'
import { changeDocument, visibleThreads } from '../users/access.ts'
import { SET_SUBSCRIPTIONS } from './statements.ts'

export const createSetSubscriptions =
  ({ db }: Kernel) =>
  async (caller: AnyCaller, data: DataOf<typeof setSubscriptions>): Promise<BatchResult> => {
    const { documentId, annotationIds, subscription } = data
    const userId = requestedUser(caller, data.userId, 'userId')
    return changeDocument(db, caller, data, 'reader', async (session, document) => {
      const { key, resourceKey } = document
      const message = 'Subscription set successfully.'
      if (annotationIds === undefined) {
        const set = subscription === 'subscribed' ? followDocument : muteDocument
        await set(session, { organizationKey: key, resourceKey, userId })
        return { [documentId]: { success: true, id: documentId, message } }
      }
      const asked = [...new Set(annotationIds)]
      const visible = isUser(caller) ? [...(await visibleThreads(session, caller, document, asked)).keys()] : asked
      const set = [key, resourceKey, visible, userId, subscription, JSON.stringify(caller.actor)]
      const rows = await session.run(SET_SUBSCRIPTIONS, set)
      const found = new Set(rows.map(({ annotationId }) => annotationId))
      return threadResults(asked, found, message)
    })
  }
