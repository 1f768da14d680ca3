/**
 * Copies the tables of a bucket with PostgreSQL's logical replication, which goes on until the move switches. Both ends have a name
 * for it, so a move that was interrupted finds its own replication again.
 */
import type pg from 'pg'
import { readPostgresUrl } from '#platform/db/postgres-url.ts'
import { databaseOf, type TableName, tablesWhere } from '#tenancy/tables.ts'
import { first, MoveRefused } from './servers.ts'

/** Each database has its own rows of these: of its migrations, its key and its servers. */
const OWN: readonly TableName[] = ['schema_migrations', 'installation', 'database_epochs']

export const TABLES_TO_COPY = tablesWhere(() => true).filter(
  (table) => databaseOf(table) !== 'home' && !OWN.includes(table),
)

const NAME = 'commonhold_move'

/** Subscriptions are listed for all databases of a server. */
const SUBSCRIPTION = /* sql */ `
  select from pg_subscription
   where subname = '${NAME}' and subdbid = (select oid from pg_database where datname = current_database())`

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

export const isReplicating = async (target: pg.ClientBase): Promise<boolean> =>
  (await first(target, SUBSCRIPTION)) !== undefined

/** Begins to replicate, unless that was begun before. `url` is how the target reaches the source. */
export async function beginReplication(source: pg.ClientBase, target: pg.ClientBase, url: string): Promise<void> {
  if ((await first(source, `select from pg_publication where pubname = '${NAME}'`)) === undefined)
    await source.query(`create publication ${NAME} for table ${TABLES_TO_COPY.join(', ')}`)
  if (await isReplicating(target)) return
  // What an earlier attempt has copied is copied again.
  await target.query(`truncate ${TABLES_TO_COPY.join(', ')}`)
  // A slot that PostgreSQL creates with a subscription would wait for its own transaction if both are on one server.
  await dropSlot(source)
  await source.query(`select pg_create_logical_replication_slot('${await slotOf(source)}', 'pgoutput')`)
  await target.query(
    `create subscription ${NAME} connection ${quoted(connectionTo(url))} publication ${NAME}
       with (create_slot = false, slot_name = '${await slotOf(source)}', streaming = on, synchronous_commit = on)`,
  )
}

/** libpq understands the URL of the driver; among several hosts, it takes the first that it reaches unless it is told. */
function connectionTo(url: string): string {
  const [first, other] = readPostgresUrl(url)
  if (other === undefined || /[?&]target_session_attrs=/.test(url)) return other === undefined ? first.url : url
  return `${url}${url.includes('?') ? '&' : '?'}target_session_attrs=read-write`
}

const slotOf = async (source: pg.ClientBase): Promise<string> => {
  const found = await first<{ oid: number }>(
    source,
    'select oid::int from pg_database where datname = current_database()',
  )
  return `${NAME}_${found?.oid}`
}

async function dropSlot(source: pg.ClientBase): Promise<void> {
  const slot = await slotOf(source)
  for (let attempts = 0; ; attempts++)
    try {
      await source.query(
        `select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = '${slot}' and active_pid is not null`,
      )
      await source.query(
        `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '${slot}'`,
      )
      return
    } catch (error) {
      if (attempts >= 20) throw error
      await source.query('select pg_sleep(0.1)')
    }
}

export interface CopyState {
  tables: number
  copied: number
  bytes: number
  /** How often a copy or a change could not be written. */
  failures: number
}

/** Returns how much is copied; `copied` equals `tables` when the target follows the source. */
export async function copyState(target: pg.ClientBase): Promise<CopyState> {
  const state = await first<CopyState>(
    target,
    `select count(*)::int as tables, count(*) filter (where r.srsubstate = 'r')::int as copied,
            pg_database_size(current_database())::float8 as bytes,
            coalesce(max(e.apply_error_count + e.sync_error_count), 0)::int as failures
       from pg_subscription_rel r
       join pg_subscription s on s.oid = r.srsubid
       left join pg_stat_subscription_stats e on e.subid = s.oid
      where s.subname = '${NAME}' and s.subdbid = (select oid from pg_database where datname = current_database())`,
  )
  if (state === undefined || state.tables === 0)
    throw new MoveRefused('The new database does not replicate any more; give the move up with --undo.')
  return state
}

/**
 * Returns how many bytes of the log of the source are not durable in the target yet; null: it is not connected. The slot says so to every
 * role, and what is durable was applied.
 */
export async function lag(source: pg.ClientBase): Promise<number | null> {
  const found = await first<{ bytes: number | null }>(
    source,
    `select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), confirmed_flush_lsn)::float8 as bytes
       from pg_replication_slots where slot_name = '${await slotOf(source)}' and active`,
  )
  return found?.bytes ?? null
}

/** Returns whether everything up to a position of the log of the source is durable in the target. */
export async function hasStored(source: pg.ClientBase, position: string): Promise<boolean> {
  const found = await first<{ stored: boolean | null }>(
    source,
    `select confirmed_flush_lsn >= $1::pg_lsn as stored
       from pg_replication_slots where slot_name = '${await slotOf(source)}' and active`,
    [position],
  )
  return found?.stored ?? false
}

/** Ends the replication at both ends, as far as there is one. Undefined: that end cannot be reached. */
export async function endReplication(
  source: pg.ClientBase | undefined,
  target: pg.ClientBase | undefined,
): Promise<void> {
  if (target !== undefined && (await isReplicating(target))) {
    await target.query(`alter subscription ${NAME} disable`)
    await target.query(`alter subscription ${NAME} set (slot_name = none)`)
    await target.query(`drop subscription ${NAME}`)
  }
  if (source === undefined) return
  await dropSlot(source)
  await source.query(`drop publication if exists ${NAME}`)
}
