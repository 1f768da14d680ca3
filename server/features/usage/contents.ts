/** Counts the contents of every API key before the last count is an hour old, and deletes old usage. The processes share the keys. */
import type { Kernel } from '#kernel'
import { repeat } from '#platform/jobs/repeat.ts'
import { CLAIM_COUNT, DELETE_OLD_USAGE, STORE_CONTENTS } from './statements.ts'

const INTERVAL_MS = 10 * 60_000

/** Runs now and ten minutes after each run ends. Returns a function that stops it after the current key. */
export const startCountingContents = ({ db, log }: Pick<Kernel, 'db' | 'log'>): (() => Promise<void>) =>
  repeat((stopping) => countContents(db, stopping), {
    everyMs: INTERVAL_MS,
    log,
    failure: 'the contents of API keys were not counted; they will be later',
  })

/** Counts all keys that are due, or until `stopping`. */
export async function countContents(db: Kernel['db'], stopping?: AbortSignal): Promise<void> {
  for (let key = ''; !stopping?.aborted; ) {
    const [next] = await db.run(CLAIM_COUNT, [key])
    if (next === undefined) return
    key = next.apiKeyId
    if (!next.isClaimed) continue
    await db.run(STORE_CONTENTS, [key])
    await db.run(DELETE_OLD_USAGE, [key])
  }
}
