/**
 * Ends what a command that is stopped (Ctrl Z, or a debugger) has open, so that servers can open its key for changes again (ADR 0075). A
 * command that works uses all of its sessions, also those that wait for each other for minutes.
 */
import type pg from 'pg'
import { isConnectionLost } from '#platform/db/pg-errors.ts'
import { BucketUnreachable, endWhenIdle } from '../move/servers.ts'

/** Longer than this process can be busy with one step of a copy. */
const UNUSED_MS = 15_000

/** Runs `work`, whose sessions end when this process does not work on it. */
export async function keptAlive<T>(sessions: readonly pg.ClientBase[], work: () => Promise<T>): Promise<T> {
  await endWhenIdle(sessions, UNUSED_MS)
  // In a transaction too, and when nobody reads the answer of a statement.
  for (const session of sessions)
    await session.query(`set idle_in_transaction_session_timeout = ${UNUSED_MS}; set tcp_user_timeout = ${UNUSED_MS}`)
  const uses = new Map<pg.ClientBase, Promise<unknown>>()
  const use = () => {
    for (const session of sessions) {
      if (uses.has(session)) continue
      const used = session.query('select').catch(() => {}) // the work fails then, too
      uses.set(session, used)
      void used.then(() => uses.delete(session))
    }
  }
  const timer = setInterval(use, UNUSED_MS / 5)
  try {
    return await work().catch(explainEnd)
  } finally {
    clearInterval(timer)
    await Promise.all(uses.values())
    await endWhenIdle(sessions, 0).catch(() => {}) // the command may use that of the home database later
  }
}

function explainEnd(error: unknown): never {
  if (!isConnectionLost(error)) throw error
  throw new BucketUnreachable(
    `A connection was lost: ${(error as Error).message}. If this command was stopped, PostgreSQL has ended it. Changes of the key are accepted again within seconds; start the same command again.`,
    { cause: error },
  )
}
