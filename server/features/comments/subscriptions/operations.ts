/** Sets who follows threads, and who has muted them (rules/comments.md#following). */
import type { setSubscriptions } from '#contract/comments/subscriptions.ts'
import type { BatchResult } from '#contract/core/envelope.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Kernel } from '#kernel'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireResource } from '#tenancy/existence.ts'
import { changeOrganization } from '#tenancy/writes/organization.ts'
import { threadResults } from '../results.ts'
import { SET_SUBSCRIPTIONS } from './statements.ts'

export const createSetSubscriptions =
  ({ db }: Kernel) =>
  (caller: Caller, data: DataOf<typeof setSubscriptions>): Promise<BatchResult> => {
    const { organizationId, documentId, userId, annotationIds, subscription } = data
    const asked = [...new Set(annotationIds)]
    const key = organizationKey(caller, organizationId)
    return changeOrganization(db, caller, key, async (session) => {
      const resourceKey = await requireResource(session, key, { type: 'document', id: documentId })
      const set = [key, resourceKey, asked, userId, subscription, JSON.stringify(caller.actor)]
      const rows = await session.run(SET_SUBSCRIPTIONS, set)
      const found = new Set(rows.map(({ annotationId }) => annotationId))
      return threadResults(asked, found, 'Subscription set successfully.')
    })
  }
