/** Reports that a migration waits for a standby: PostgreSQL itself waits indefinitely, and says nothing. */
import type { Db } from '../db.ts'
import { statement } from '../statement.ts'

const WAITS_MS = 5_000

const WAITING = statement<{ isWaiting: boolean }>(
  'migrate.unconfirmed',
  `select exists (
     select from pg_stat_activity
      where wait_event = 'SyncRep' and usename = current_user and datname = current_database()) as "isWaiting"`,
)

/** Looks every five seconds, on another connection than that of the migration, until the returned function is called. */
export function watchForStandby(db: Db, say: (what: string) => unknown): () => void {
  const timer = setInterval(async () => {
    const [{ isWaiting } = { isWaiting: false }] = await db.run(WAITING).catch(() => [])
    if (isWaiting)
      say(
        'The schema is written, and waits for a standby to confirm it: start one, or change synchronous_standby_names.',
      )
  }, WAITS_MS)
  timer.unref()
  return () => clearInterval(timer)
}
