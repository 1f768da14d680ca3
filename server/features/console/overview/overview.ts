/** The data of an API key that the console's overview shows in addition to the operations of the contract. */
import type { AccessRole, AccessType } from '#contract/access/permissions.ts'
import { summarizeWebhooks, type WebhookSummary } from '#features/webhooks/shared.ts'
import type { Db } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { COUNT_DELIVERIES, COUNT_JOBS, COUNT_OVERVIEW, COUNTED_MAX, type CountsRow } from './statements.ts'

export interface Overview {
  /** Each at most `countedMax` + 1, which means that there are more. */
  counts: CountsRow
  defaultAccessType: AccessType
  defaultAccessRole: AccessRole
  countedMax: number
  deliveries: { waiting: number; overdueSeconds: number }
  webhooks: WebhookSummary
  jobs: { unfinished: number; overdueSeconds: number }
  /** The duration of the database queries. */
  databaseMs: number
}

export const createOverview =
  (db: Db) =>
  async ({ apiKeyId, defaultAccessType, defaultAccessRole }: Caller): Promise<Overview> => {
    const startedAt = performance.now()
    const [counts] = await db.run(COUNT_OVERVIEW, [apiKeyId])
    const [deliveries] = await db.run(COUNT_DELIVERIES, [apiKeyId])
    const webhooks = await summarizeWebhooks(db, apiKeyId)
    const [jobs] = await db.run(COUNT_JOBS, [apiKeyId])
    if (counts === undefined || deliveries === undefined || jobs === undefined)
      throw new Error('a count returned no row')
    return {
      counts,
      defaultAccessType,
      defaultAccessRole,
      countedMax: COUNTED_MAX,
      deliveries: { waiting: deliveries.waiting, overdueSeconds: Math.round(deliveries.overdueSeconds ?? 0) },
      webhooks,
      jobs: { unfinished: jobs.unfinished, overdueSeconds: Math.round(jobs.overdueSeconds ?? 0) },
      databaseMs: Math.round(performance.now() - startedAt),
    }
  }
