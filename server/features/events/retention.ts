/**
 * Removing events that are older than the operator wants to keep them, oldest first, a batch in a transaction, and never
 * one that a follower has still to read. Every process does it: each takes what nobody else holds.
 */
import type { Db } from '#platform/db/db.ts'
import type { Log } from '#platform/log.ts'
import { repeat } from '#platform/repeat.ts'
import { NEXT_KEY, REMOVE_OLD, REMOVE_OLD_OF_NONE } from './retention-statements.ts'

const INTERVAL_MS = 10 * 60_000

const START = ['-9223372036854775808', '00000000-0000-0000-0000-000000000000', '0'] as const

export interface RetentionDeps {
  db: Db
  /** How long events are kept; 0: for ever. */
  days: number
}

/** Goes through all keys now and ten minutes after each end. Answers what ends it, after the batch under way. */
export function startRetention({ log, ...deps }: RetentionDeps & { log: Log }): () => Promise<void> {
  if (deps.days === 0) return async () => {}
  return repeat((stopping) => removeOldEvents(deps, stopping), {
    everyMs: INTERVAL_MS,
    log,
    failure: 'the removal of old events failed; it runs again',
  })
}

/** Removes what is due of all keys, or until `stopping`. */
export async function removeOldEvents({ db, days }: RetentionDeps, stopping?: AbortSignal): Promise<void> {
  await removeOf(null)
  for (let key = ''; !stopping?.aborted; ) {
    const [next] = await db.run(NEXT_KEY, [key])
    if (next === undefined) return
    key = next.apiKeyId
    await removeOf(key)
  }

  /** The oldest come first: a batch of which nothing is due is followed by nothing that is. */
  async function removeOf(apiKeyId: string | null): Promise<void> {
    let place: readonly string[] = START
    while (!stopping?.aborted) {
      const remove = apiKeyId === null ? REMOVE_OLD_OF_NONE : REMOVE_OLD
      const [batch] = await db.run(remove, [apiKeyId, days, ...place])
      const { removed = 0, tick = null, stream = null, sequence = null } = batch ?? {}
      if (removed === 0 || tick === null || stream === null || sequence === null) return
      place = [tick, stream, sequence]
    }
  }
}
