/**
 * Turns of writes that can wait long: one at a time for each organization or API key, and tenants in turns on a part of
 * the connections (ADR 0030), so that other calls always find a connection.
 *
 * For example, with 12 connections: workspace A deletes five organizations, then B deletes one, and C changes an API key. Deletions
 * are in the queue for long work, which has four connections. Two deletions of A run, because one workspace can have half of
 * them, and the one of B; the other three of A wait without a connection, and a fourth workspace would find one. The queue
 * for other work has four connections of its own, so C does not wait at all.
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

/** Each of the two queues has a third of the connections. */
function queueOf(db: Db): KeyedQueue {
  const queue = queues.get(db) ?? new KeyedQueue(Math.max(1, Math.floor(db.connections / 3)))
  queues.set(db, queue)
  return queue
}

/** Returns how many writes wait for their turn. */
export const turnsWaiting = (db: Db): number => queueOf(db).waiting

/**
 * Runs `work`, which can wait long, in its turn: the turn of the calling workspace, or of the given tenant for work of the
 * server itself. Work in the queue for long work has a later deadline, because it waits and runs longer.
 */
export function inTurn<T>(db: Db, { keys, tenant: caller, queue }: Turn, work: () => Promise<T>): Promise<T> {
  const turn: Turn = { keys, tenant: currentLifetime()?.tenant ?? caller, queue }
  if (turn.queue === 'long') currentLifetime()?.extend(LONG_CHANGE_MS)
  return db.ambient === undefined ? queueOf(db).run(turn, work) : withoutQueuing(db, turn, work)
}

/** Another write has the turn, or locks what this one needs, or this one belongs in the queue for long work. */
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
  if (isBrief && (turn.queue === 'long' || queueOf(db).isTaken(turn.keys))) throw new Busy(turn)
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
    const turn: Turn = { keys: [], tenant, queue: 'short' }
    return await queue.run(turn, () => db.ambientTransaction(work, { lockTimeoutMs: BRIEF_LOCK_TIMEOUT_MS }))
  } catch (error) {
    if (!(error instanceof Busy) && !isCode(error, LOCK_NOT_AVAILABLE)) throw error
    const turn: Turn =
      error instanceof Busy && error.turn.keys.length > 0
        ? error.turn
        : { keys: [fallbackKey], tenant, queue: error instanceof Busy ? error.turn.queue : 'short' }
    return queue.run(turn, () => db.ambientTransaction(work))
  }
}
