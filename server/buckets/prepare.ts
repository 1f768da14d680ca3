/** Brings the database of a bucket up to date. */
import { databaseClock } from '#platform/clock.ts'
import type { Session } from '#platform/db/db.ts'
import { migrate, readMigrations } from '#platform/db/migrate.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { rebaseAfterRestore } from '#tenancy/events/feed-restore.ts'

/**
 * A bucket has the tables of the home database too, so that all databases have one schema. They stay empty: nothing may
 * refer to their rows, and a statement that would write a row there fails.
 */
export const SEPARATE = /* sql */ `
  alter table api_keys drop constraint if exists api_keys_workspace_id_fkey;
  alter table idempotency_keys drop constraint if exists idempotency_keys_workspace_id_fkey;
  alter table workspaces add constraint workspaces_are_at_home check (false)`

/** It locks the tables, so it is done once. */
const IS_SEPARATE = `select from pg_constraint where conname = 'workspaces_are_at_home' and conrelid = to_regclass('workspaces')`

export async function separate(session: Session): Promise<void> {
  const { rows } = await session.query(IS_SEPARATE)
  if (rows.length === 0) await session.query(SEPARATE)
}

/** Brings the database of a bucket up to date. `isHidden`: a move hides it from servers. */
export async function prepareBucket(url: string, isHidden = false): Promise<void> {
  // A schema change can take longer than any call.
  const migrator = await openPostgres(url, databaseClock, { connections: 1, statementTimeoutMs: 0 })
  if (isHidden) await migrator.query('set search_path = public')
  const last = async (session: Session) => {
    await rebaseAfterRestore(session)
    await separate(session)
  }
  await migrate(migrator, readMigrations(), last).finally(() => migrator.close())
}
