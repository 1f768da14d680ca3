/** Queues for writes that can wait long: one at a time for each organization or API key, on at most half of the connections. */
import type { Db } from '#platform/db/db.ts'
import { isCode, LOCK_NOT_AVAILABLE } from '#platform/db/pg-errors.ts'
import { KeyedQueue } from '#platform/keyed-queue.ts'

/** The lock timeout of writes that must not wait long. */
export const BRIEF_LOCK_TIMEOUT_MS = 50

const queues = new WeakMap<Db, KeyedQueue>()

function queueOf(db: Db): KeyedQueue {
  const queue = queues.get(db) ?? new KeyedQueue(Math.max(1, Math.floor(db.connections / 2)))
  queues.set(db, queue)
  return queue
}

/** Returns how many writes wait for their turn. */
export const turnsWaiting = (db: Db): number => queueOf(db).waiting

/** Runs `work`, which can wait long, in its turn: one at a time for each key, on at most half of the connections, so that other calls always find one. */
export const inTurn = <T>(db: Db, keys: readonly string[], work: () => Promise<T>): Promise<T> =>
  db.ambient === undefined ? queueOf(db).run(keys, work) : withoutQueuing(db, keys, work)

/** Another write has the turn for `keys`, or they are locked. */
class Busy extends Error {
  readonly keys: readonly string[]

  constructor(keys: readonly string[], cause?: unknown) {
    super('another change is under way', { cause })
    this.keys = keys
  }
}

/** Runs `work` now, or throws `Busy`. An ambient transaction holds a connection, and must not queue with it. */
async function withoutQueuing<T>(db: Db, keys: readonly string[], work: () => Promise<T>): Promise<T> {
  const isBrief = db.ambient?.lockTimeoutMs !== undefined
  if (isBrief && queueOf(db).isTaken(keys)) throw new Busy(keys)
  try {
    return await work()
  } catch (error) {
    throw isCode(error, LOCK_NOT_AVAILABLE) ? new Busy(keys, error) : error
  }
}

/**
 * Runs `work`, whose locks are not known beforehand, in one ambient transaction. It waits for a lock only briefly. If that
 * fails, or if it would have to queue, it is rolled back, returns its connection, waits for its turn, and runs again.
 * `fallbackKey` is the turn to wait for if `work` has not named one.
 */
export async function ambientTransactionInTurn<T>(db: Db, fallbackKey: string, work: () => Promise<T>): Promise<T> {
  const queue = queueOf(db)
  try {
    return await queue.run([], () => db.ambientTransaction(work, { lockTimeoutMs: BRIEF_LOCK_TIMEOUT_MS }))
  } catch (error) {
    if (!(error instanceof Busy) && !isCode(error, LOCK_NOT_AVAILABLE)) throw error
    const keys = error instanceof Busy && error.keys.length > 0 ? error.keys : [fallbackKey]
    return queue.run(keys, () => db.ambientTransaction(work))
  }
}
