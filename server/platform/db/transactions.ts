/** How transactions begin, and are retried after a lost race. */
import type { TransactionOptions } from './db.ts'
import { DEADLOCK, FOREIGN_KEY_VIOLATION, isCode, SERIALIZATION_FAILURE } from './pg-errors.ts'

/** A transaction that lost a race against another is retried. */
const TRIES_MAX = 3

export function begin({ lockTimeoutMs, snapshot }: TransactionOptions): string {
  if (snapshot) return 'begin isolation level repeatable read read only'
  return lockTimeoutMs === undefined ? 'begin' : `begin; set local lock_timeout = ${lockTimeoutMs}`
}

/** Runs a transaction, and retries it after a lost race. */
export async function retryAfterRace<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact()
    } catch (error) {
      if (attempt === TRIES_MAX || !isCode(error, DEADLOCK, SERIALIZATION_FAILURE, FOREIGN_KEY_VIOLATION)) throw error
    }
  }
}
