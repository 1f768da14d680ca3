/** Records when auth tokens are used. */
import type { Db } from '#platform/db/db.ts'
import type { Log } from '#platform/log.ts'
import { RECORD_USE } from './statements.ts'

/**
 * Returns a function that records the use of a token by its hash, once for concurrent calls. If it fails, the token is
 * valid all the same.
 */
export function createUseRecorder(db: Db, log: Log): (hash: Buffer) => Promise<void> {
  const recording = new Set<string>()
  return async (hash) => {
    const token = hash.toString('base64')
    if (recording.has(token)) return
    recording.add(token)
    try {
      await db.runSet(RECORD_USE, [{ tokenHash: hash }])
    } catch (err) {
      log.warn({ err }, 'the use of an auth token was not recorded')
    } finally {
      recording.delete(token)
    }
  }
}
