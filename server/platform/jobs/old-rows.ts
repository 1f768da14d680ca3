/** Deletes the rows of a table that are past a time. */
import type { Db } from '../db/db.ts'
import { NOW, type Statement, statement } from '../db/statement.ts'

interface OldRows {
  table: string
  /** The time of a row, by an index of which the oldest rows are found. */
  column: string
  /** How long after that time a row is kept, as an interval of PostgreSQL. */
  keptFor?: string
}

/**
 * Returns a statement that deletes up to 1,000 old rows and skips rows locked by other processes. It reads the time once,
 * so that the index can be used. The lock keeps `ctid` stable.
 */
export const deletionOfOld = (name: string, { table, column, keptFor = '0' }: OldRows): Statement<{ count: number }> =>
  statement(
    name,
    /* sql */ `
  with clock as materialized (select ${NOW} - interval '${keptFor}' as until),
  old as (
    select ctid from ${table}
     where ${column} <= (select until from clock) order by ${column} limit 1000 for update skip locked
  ),
  deleted as (delete from ${table} t using old where t.ctid = old.ctid returning 1)
  select count(*) as count from deleted`,
  )

/** Runs such a statement until no old rows are left, or the server stops. */
export async function deleteOld(db: Db, deletion: Statement<{ count: number }>, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && ((await db.run(deletion))[0]?.count ?? 0) > 0);
}
