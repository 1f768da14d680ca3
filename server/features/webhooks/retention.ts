/** Forgets old attempts, now and then. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '#platform/db/db.ts'
import type { Log } from '#platform/log.ts'
import { DELETE_OLD_ATTEMPTS } from './delivery-statements.ts'

const INTERVAL_MS = 60_000
const AT_ONCE = 1_000

export interface RetentionDeps {
  db: Db
  log: Log
  /** 0: for ever. */
  attemptsKeptDays: number
}

/** Answers what ends it, after the statement under way. */
export function startForgetting({ db, log, attemptsKeptDays }: RetentionDeps): () => Promise<void> {
  const stopping = new AbortController()
  async function forgetOld(): Promise<void> {
    for (let deleted = AT_ONCE; deleted === AT_ONCE && !stopping.signal.aborted; ) {
      const [answer] = await db.run(DELETE_OLD_ATTEMPTS, [attemptsKeptDays, AT_ONCE])
      deleted = answer?.deleted ?? 0
    }
  }
  async function goOn(): Promise<void> {
    while (attemptsKeptDays > 0 && !stopping.signal.aborted) {
      await forgetOld().catch((err: unknown) => log.warn({ err }, 'old webhook attempts could not be deleted'))
      await sleep(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const ended = goOn()
  return () => {
    stopping.abort()
    return ended
  }
}
