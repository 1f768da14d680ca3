/** Deletes old attempts once a minute. */
import type { Db } from '#platform/db/db.ts'
import type { Log } from '#platform/log.ts'
import { repeat } from '#platform/repeat.ts'
import { DELETE_OLD_ATTEMPTS } from './outcome-statements.ts'

const INTERVAL_MS = 60_000
const AT_ONCE = 1_000

export interface RetentionDeps {
  db: Db
  log: Log
  /** 0: indefinitely. */
  attemptsKeptDays: number
}

/** Returns a function that stops it after the current statement. */
export function startDeletingOld({ db, log, attemptsKeptDays }: RetentionDeps): () => Promise<void> {
  if (attemptsKeptDays === 0) return async () => {}
  async function deleteOld(stopping: AbortSignal): Promise<void> {
    for (let deleted = AT_ONCE; deleted === AT_ONCE && !stopping.aborted; ) {
      const [answer] = await db.run(DELETE_OLD_ATTEMPTS, [attemptsKeptDays, AT_ONCE])
      deleted = answer?.deleted ?? 0
    }
  }
  return repeat(deleteOld, { everyMs: INTERVAL_MS, log, failure: 'old webhook attempts could not be deleted' })
}
