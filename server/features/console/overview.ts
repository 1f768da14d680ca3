/** What the console's first page shows of an API key, beside what the operations of the contract answer. */
import type { Db } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { COUNT_DELIVERIES, COUNT_JOBS, COUNT_OVERVIEW, COUNTED_MAX, type CountsRow } from './overview-statements.ts'

export interface Overview {
  /** Each up to `countedMax`; one more says that there are more. */
  counts: CountsRow
  countedMax: number
  deliveries: { waiting: number; overdueSeconds: number }
  jobs: { unfinished: number; overdueSeconds: number }
  /** How long the database took to answer all of it. */
  databaseMs: number
}

export const createOverview =
  (db: Db) =>
  async ({ apiKeyId }: Caller): Promise<Overview> => {
    const began = performance.now()
    const [counts] = await db.run(COUNT_OVERVIEW, [apiKeyId])
    const [deliveries] = await db.run(COUNT_DELIVERIES, [apiKeyId])
    const [jobs] = await db.run(COUNT_JOBS, [apiKeyId])
    if (counts === undefined || deliveries === undefined || jobs === undefined) throw new Error('nothing was counted')
    return {
      counts,
      countedMax: COUNTED_MAX,
      deliveries: { waiting: deliveries.waiting, overdueSeconds: Math.round(deliveries.overdueSeconds ?? 0) },
      jobs: { unfinished: jobs.unfinished, overdueSeconds: Math.round(jobs.overdueSeconds ?? 0) },
      databaseMs: Math.round(performance.now() - began),
    }
  }
