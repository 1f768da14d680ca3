/** Lines for what may wait long: one at a time for each organization or API key, and at most half of the connections for all of it. */
import type { Db } from '#platform/db/db.ts'
import { isCode, LOCK_NOT_AVAILABLE } from '#platform/db/pg-errors.ts'
import { KeyedQueue } from '#platform/keyed-queue.ts'

/** How long those wait for a lock that must not wait long. */
export const BRIEF_LOCK_TIMEOUT_MS = 50

const queues = new WeakMap<Db, KeyedQueue>()

function queueOf(db: Db): KeyedQueue {
  const queue = queues.get(db) ?? new KeyedQueue(Math.max(1, Math.floor(db.connections / 2)))
  queues.set(db, queue)
  return queue
}

/** How many wait for their turn. */
export const turnsWaiting = (db: Db): number => queueOf(db).waiting

/** Lines up what may wait long: one at a time for each key, and at most half of the connections for all of it, so that the calls of others always find one. */
export const inTurn = <T>(db: Db, keys: readonly string[], work: () => Promise<T>): Promise<T> =>
  db.ambient === undefined ? queueOf(db).run(keys, work) : atOnce(db, keys, work)

/** It is somebody else's turn for `keys`, or they are locked. */
class Busy extends Error {
  readonly keys: readonly string[]

  constructor(keys: readonly string[], cause?: unknown) {
    super('another change is under way', { cause })
    this.keys = keys
  }
}

/** An ambient transaction holds a connection: it must not stand in line with it. */
async function atOnce<T>(db: Db, keys: readonly string[], work: () => Promise<T>): Promise<T> {
  const isBrief = db.ambient?.lockTimeoutMs !== undefined
  if (isBrief && queueOf(db).isTaken(keys)) throw new Busy(keys)
  try {
    return await work()
  } catch (error) {
    throw isCode(error, LOCK_NOT_AVAILABLE) ? new Busy(keys, error) : error
  }
}

/**
 * One ambient transaction of `work`, of which nobody knows beforehand what it will lock. It waits for a lock only briefly.
 * When that is in vain, or it would have to line up, it is undone, gives its connection back, waits its turn like anybody
 * else, and runs again. `line`: the turn to wait for where `work` has not said which.
 */
export async function ambientTransactionInTurn<T>(db: Db, line: string, work: () => Promise<T>): Promise<T> {
  const queue = queueOf(db)
  try {
    return await queue.run([], () => db.ambientTransaction(work, { lockTimeoutMs: BRIEF_LOCK_TIMEOUT_MS }))
  } catch (error) {
    if (!(error instanceof Busy) && !isCode(error, LOCK_NOT_AVAILABLE)) throw error
    const keys = error instanceof Busy && error.keys.length > 0 ? error.keys : [line]
    return queue.run(keys, () => db.ambientTransaction(work))
  }
}
