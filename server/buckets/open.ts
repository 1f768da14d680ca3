/** Opens the database of a bucket, with the schema of this version. */
import { databaseClock } from '#platform/clock.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { migrate, readMigrations } from '#platform/db/migrate.ts'
import { isCode } from '#platform/db/pg-errors.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import type { Log } from '#platform/log.ts'
import { rebaseAfterRestore } from '#tenancy/events/feed-restore.ts'
import type { Config } from '../config.ts'
import { apiKeyMoved } from './directory.ts'

/**
 * A bucket has the tables of the home database too, so that all databases have one schema. They stay empty: nothing may refer to their
 * rows, and a statement that would write one there fails.
 */
export const SEPARATE = /* sql */ `
  alter table api_keys drop constraint if exists api_keys_workspace_id_fkey;
  alter table idempotency_keys drop constraint if exists idempotency_keys_workspace_id_fkey;
  alter table workspaces add constraint workspaces_are_at_home check (false)`

/** It locks the tables, so it is done once. */
const IS_SEPARATE = `select from pg_constraint where conname = 'workspaces_are_at_home'`

/** Brings the database of a bucket up to date. `isHidden`: a move hides it from servers. */
export async function prepareBucket(url: string, isHidden = false): Promise<void> {
  // A schema change can take longer than any call.
  const migrator = await openPostgres(url, databaseClock, { connections: 1, statementTimeoutMs: 0 })
  if (isHidden) await migrator.query('set search_path = public')
  const last = async (session: Session) => {
    await rebaseAfterRestore(session)
    const { rows } = await session.query(IS_SEPARATE)
    if (rows.length === 0) await session.query(SEPARATE)
  }
  await migrate(migrator, readMigrations(), last).finally(() => migrator.close())
}

/** What is noticed of the database of a bucket while it is open. */
export interface Changes {
  /** It turned out to be closed, because the bucket was moved. */
  closed(): void
  /** Another server serves it, whose order of events is valid only after it was opened anew. */
  restarted(): void
}

/** A table, type, function or schema does not exist. A move closes the old database of a bucket by renaming its schema. */
const NAMES_NOTHING = ['42P01', '42704', '42883', '3F000'] as const

/** Opens the database of a bucket. */
export async function openBucketDatabase(
  { name, url }: { name: string; url: string },
  { config, log }: { config: Config; log: Log },
  { closed, restarted }: Changes,
): Promise<Db> {
  await prepareBucket(url)
  return openPostgres(url, databaseClock, {
    connections: config.DATABASE_CONNECTIONS,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    bucket: name,
    explain(error) {
      if (!isCode(error, ...NAMES_NOTHING)) return error
      closed()
      return apiKeyMoved()
    },
    watch: true,
    onChange: (message, details) => log.warn({ ...details, bucket: name }, message),
    onMoved: (message) => {
      log.warn({ bucket: name }, message)
      restarted()
    },
  })
}
