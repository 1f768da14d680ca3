/** Deletes old webhook attempts periodically. */
import type { Db } from '#platform/db/db.ts'
import { repeat } from '#platform/jobs/repeat.ts'
import type { Log } from '#platform/log.ts'
import { DELETE_OLD_ATTEMPTS } from './outcome-statements.ts'

const INTERVAL_MS = 60_000
const BATCH_SIZE = 1_000

export interface RetentionDeps {
  db: Db
  log: Log
  /** 0: indefinitely. */
  attemptsKeptDays: number
}

/** Starts the deletion. Returns a function that stops it after the current statement. */
export function startAttemptRetention({ db, log, attemptsKeptDays }: RetentionDeps): () => Promise<void> {
  if (attemptsKeptDays === 0) return async () => {}
  async function deleteOld(stopping: AbortSignal): Promise<void> {
    for (let deleted = BATCH_SIZE; deleted === BATCH_SIZE && !stopping.aborted; ) {
      const [result] = await db.run(DELETE_OLD_ATTEMPTS, [attemptsKeptDays, BATCH_SIZE])
      deleted = result?.deleted ?? 0
    }
  }
  return repeat(deleteOld, { everyMs: INTERVAL_MS, log, failure: 'old webhook attempts could not be deleted' })
}
