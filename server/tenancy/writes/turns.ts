/**
 * Turns of writes that can wait long: one at a time for each organization or API key, and tenants in turns on a part of
 * the connections (ADR 0030), so that other calls always find a connection.
 */
import type { Db } from '#platform/db/db.ts'
import { isCode, LOCK_NOT_AVAILABLE } from '#platform/db/pg-errors.ts'
import { currentLifetime } from '#platform/lifetime.ts'
import { KeyedQueue, type Turn } from '#platform/queues/keyed-queue.ts'

/** How long a change that can affect millions of rows may take in all. */
export const LONG_CHANGE_MS = 60 * 60 * 1000

/** The lock timeout of writes that must not wait long. */
export const BRIEF_LOCK_TIMEOUT_MS = 50

const queues = new WeakMap<Db, KeyedQueue>()

/** Each line has a third of the connections. */
function queueOf(db: Db): KeyedQueue {
  const queue = queues.get(db) ?? new KeyedQueue(Math.max(1, Math.floor(db.connections / 3)))
  queues.set(db, queue)
  return queue
}

/** Returns how many writes wait for their turn. */
export const turnsWaiting = (db: Db): number => queueOf(db).waiting

/**
 * Runs `work`, which can wait long, in its turn: the turn of the calling workspace, or of the given tenant for work of the
 * server itself. Work in the slow queue has a later deadline, because it waits and runs longer.
 */
export function inTurn<T>(db: Db, { keys, tenant: caller, line }: Turn, work: () => Promise<T>): Promise<T> {
  const turn: Turn = { keys, tenant: currentLifetime()?.tenant ?? caller, line }
  if (turn.line === 'long') currentLifetime()?.extend(LONG_CHANGE_MS)
  return db.ambient === undefined ? queueOf(db).run(turn, work) : withoutQueuing(db, turn, work)
}

/** Another write has the turn, or locks what this one needs, or this one belongs in another line. */
class Busy extends Error {
  readonly turn: Turn

  constructor(turn: Turn, cause?: unknown) {
    super('another change is under way', { cause })
    this.turn = turn
  }
}

/** Runs `work` now, or throws `Busy`. An ambient transaction holds a connection, and must not queue with it. */
async function withoutQueuing<T>(db: Db, turn: Turn, work: () => Promise<T>): Promise<T> {
  const isBrief = db.ambient?.lockTimeoutMs !== undefined
  if (isBrief && (turn.line === 'long' || queueOf(db).isTaken(turn.keys))) throw new Busy(turn)
  try {
    return await work()
  } catch (error) {
    throw isCode(error, LOCK_NOT_AVAILABLE) ? new Busy(turn, error) : error
  }
}

/**
 * Runs `work`, whose locks are not known beforehand, in one ambient transaction. It waits for a lock only briefly. If
 * it does not get the lock, or would have to queue, it is rolled back, returns its connection, waits for its turn, and
 * runs again. `fallbackKey` is the turn to wait for if `work` has not named one.
 */
export async function ambientTransactionInTurn<T>(
  db: Db,
  caller: string,
  fallbackKey: string,
  work: () => Promise<T>,
): Promise<T> {
  const queue = queueOf(db)
  const tenant = currentLifetime()?.tenant ?? caller
  try {
    const turn: Turn = { keys: [], tenant, line: 'short' }
    return await queue.run(turn, () => db.ambientTransaction(work, { lockTimeoutMs: BRIEF_LOCK_TIMEOUT_MS }))
  } catch (error) {
    if (!(error instanceof Busy) && !isCode(error, LOCK_NOT_AVAILABLE)) throw error
    const turn: Turn =
      error instanceof Busy && error.turn.keys.length > 0
        ? error.turn
        : { keys: [fallbackKey], tenant, line: error instanceof Busy ? error.turn.line : 'short' }
    return queue.run(turn, () => db.ambientTransaction(work))
  }
}
