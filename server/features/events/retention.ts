/**
 * Deletes events after the retention period, oldest first, one batch in each transaction, and never one that a follower has
 * not read. Every process does this and skips locked rows.
 */
import type { Db } from '#platform/db/db.ts'
import { repeatLater } from '#platform/jobs/repeat.ts'
import type { Log } from '#platform/log.ts'
import { NEXT_KEY, REMOVE_OLD, REMOVE_OLD_OF_NONE } from './retention-statements.ts'

const INTERVAL_MS = 10 * 60_000

const START = ['-9223372036854775808', '00000000-0000-0000-0000-000000000000', '0'] as const

export interface RetentionDeps {
  db: Db
  /** How long events are kept; 0: indefinitely. */
  days: number
}

/** Runs soon and ten minutes after each run ends. Returns a function that stops it after the current batch. */
export function startRetention({ log, ...deps }: RetentionDeps & { log: Log }): () => Promise<void> {
  if (deps.days === 0) return async () => {}
  return repeatLater((stopping) => removeOldEvents(deps, stopping), {
    everyMs: INTERVAL_MS,
    log,
    failure: 'the deletion of old events failed; it will be retried',
  })
}

/** Deletes the old events of all keys, or until `stopping`. */
export async function removeOldEvents({ db, days }: RetentionDeps, stopping?: AbortSignal): Promise<void> {
  await removeOf(null)
  for (let key = ''; !stopping?.aborted; ) {
    const [next] = await db.run(NEXT_KEY, [key])
    if (next === undefined) return
    key = next.apiKeyId
    await removeOf(key)
  }

  /** Deletes the old events of one key. Unless the clock was set back, they are ordered by age, and a batch without old ones is the last. */
  async function removeOf(apiKeyId: string | null): Promise<void> {
    let cursor: readonly string[] = START
    while (!stopping?.aborted) {
      const remove = apiKeyId === null ? REMOVE_OLD_OF_NONE : REMOVE_OLD
      const [batch] = await db.run(remove, [apiKeyId, days, ...cursor])
      const { removed = 0, isUnordered = false, tick = null, stream = null, sequence = null } = batch ?? {}
      if ((removed === 0 && !isUnordered) || tick === null || stream === null || sequence === null) return
      cursor = [tick, stream, sequence]
    }
  }
}
