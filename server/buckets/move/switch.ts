/**
 * The switch of a move: writes wait while the target receives the last of them, then the source is closed. From that commit on, no
 * process can read or write a row of the bucket there: its tables have no name that a statement would find. So a process that does not
 * know of the move yet fails, and never answers from the old database.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { isCode } from '#platform/db/pg-errors.ts'
import { lag, TABLES_TO_COPY } from './replication.ts'
import { first } from './servers.ts'

/** Writes wait at most this long, and a second for statements that are under way. */
const CATCH_UP_MS = 1_000
const LOCK_MS = 1_000
const LOCK_NOT_AVAILABLE = '55P03'

/** Where the tables of a closed source are. */
const CLOSED = 'commonhold_moved'

const HAS_SCHEMA = 'select from pg_namespace where nspname = $1'

export const isClosed = async (client: pg.ClientBase): Promise<boolean> =>
  (await first(client, HAS_SCHEMA, [CLOSED])) !== undefined &&
  (await first(client, HAS_SCHEMA, ['public'])) === undefined

/** Opens a source again that was closed. */
export const reopen = async (client: pg.ClientBase): Promise<void> => {
  if (await isClosed(client)) await client.query(`alter schema ${CLOSED} rename to public`)
}

/** Deletes what a closed source has. */
export const empty = async (client: pg.ClientBase): Promise<void> => {
  if (await isClosed(client)) await client.query(`drop schema ${CLOSED} cascade; create schema public`)
}

/**
 * Closes the source once the target has everything. Returns for how many milliseconds writes waited, or undefined if the target
 * did not catch up in time: then nothing has changed, and it can be tried again.
 */
export async function closeSource(source: pg.ClientBase, target: pg.ClientBase): Promise<number | undefined> {
  await source.query('begin')
  try {
    await source.query(`set local lock_timeout = ${LOCK_MS}`)
    const began = performance.now()
    await source.query(`lock table ${TABLES_TO_COPY.join(', ')} in exclusive mode`)
    while ((await lag(source)) !== 0) {
      if (performance.now() - began > LOCK_MS + CATCH_UP_MS) {
        await source.query('rollback')
        return undefined
      }
      await sleep(10)
    }
    await copyOwnRows(source, target)
    await source.query(`alter schema public rename to ${CLOSED}`)
    await source.query('commit')
    return performance.now() - began
  } catch (error) {
    await source.query('rollback').catch(() => {})
    if (isCode(error, LOCK_NOT_AVAILABLE)) return undefined
    throw error
  }
}

/** Copies what replication leaves out: the numbers that sequences give next, and the epochs, which number events (ADR 0063). */
async function copyOwnRows(source: pg.ClientBase, target: pg.ClientBase): Promise<void> {
  const { rows: sequences } = await source.query(
    `select sequencename as name, last_value::text as last from pg_sequences where schemaname = 'public' and last_value is not null`,
  )
  for (const { name, last } of sequences) await target.query(`select setval($1::regclass, $2::bigint)`, [name, last])
  const { rows: epochs } = await source.query('select * from database_epochs order by epoch')
  await target.query('begin; delete from database_epochs where true')
  try {
    for (const row of epochs) {
      const columns = Object.keys(row)
      await target.query(
        `insert into database_epochs (${columns.join(', ')}) values (${columns.map((_, nth) => `$${nth + 1}`).join(', ')})`,
        Object.values(row),
      )
    }
    await target.query(CONTINUE)
    await target.query('commit')
  } catch (error) {
    await target.query('rollback')
    throw error
  }
}

/**
 * The target goes on where the source ended: its epoch has lost nothing, so events are numbered on and page tokens stay valid.
 * `examine` describes the server in the same way.
 */
const CONTINUE = /* sql */ `
  insert into database_epochs (epoch, system_identifier, timeline, table_oid, forked_at, numbered_after)
  select coalesce(max(epoch), 0) + 1, (select system_identifier::text from pg_control_system()),
         ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int, 'database_epochs'::regclass::oid,
         'FFFFFFFF/FFFFFFFF', coalesce(max(numbered_after), 0)
    from database_epochs`
