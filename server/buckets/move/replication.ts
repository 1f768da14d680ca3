/**
 * Copies the tables of a bucket with PostgreSQL's logical replication, which continues until the move switches. The
 * replication has a name on both servers, so a move that was interrupted finds its own replication again.
 */
import pg from 'pg'
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

export const isReplicating = async (target: pg.ClientBase): Promise<boolean> =>
  (await first(target, SUBSCRIPTION)) !== undefined

/** Returns whether the replication can continue: after an interrupted end, or if the source has given up the slot, it starts again. */
const continues = async (source: pg.ClientBase, target: pg.ClientBase): Promise<boolean> =>
  (await first(target, `${SUBSCRIPTION} and subenabled and subslotname is not null`)) !== undefined &&
  (await first(
    source,
    `select from pg_replication_slots where slot_name = '${await slotOf(source)}' and wal_status is distinct from 'lost'`,
  )) !== undefined

/** Starts or continues the replication. `url` is the address at which the target reaches the source. A failure leaves nothing behind. */
export async function beginReplication(
  source: pg.ClientBase,
  target: pg.ClientBase,
  url: string,
  say: (line: string) => void,
): Promise<void> {
  if (await continues(source, target)) {
    await target.query(`alter subscription ${NAME} connection ${pg.escapeLiteral(connectionTo(url))}`)
    return
  }
  await endReplication(source, target)
  // Rows that an earlier attempt has copied are copied again.
  await target.query(`truncate ${TABLES_TO_COPY.join(', ')}`)
  const waiting = setTimeout(() => say('Waiting for transactions that are under way on the old server.'), SLOT_MS)
  try {
    await source.query(`create publication ${NAME} for table ${TABLES_TO_COPY.join(', ')}`)
    // A slot that PostgreSQL creates with a subscription would wait for its own transaction if both are on one server.
    await source.query(`select pg_create_logical_replication_slot('${await slotOf(source)}', 'pgoutput')`)
    await target.query(
      `create subscription ${NAME} connection ${pg.escapeLiteral(connectionTo(url))} publication ${NAME}
         with (enabled = off, create_slot = false, slot_name = '${await slotOf(source)}', streaming = on, synchronous_commit = on)`,
    )
    await source.query(`comment on publication ${NAME} is ${pg.escapeLiteral(await copyingSlotsOf(target))}`)
    await target.query(`alter subscription ${NAME} enable`)
  } catch (error) {
    await endReplication(source, target).catch(() => {})
    throw new MoveRefused(
      `The new server cannot replicate from that of the bucket: ${(error as Error).message}. Nothing has changed; start the command again when that is fixed, or give the move up with --undo.`,
      { cause: error },
    )
  } finally {
    clearTimeout(waiting)
  }
}

/** A slot waits for every transaction that is under way on its server. */
const SLOT_MS = 5_000

/** Returns a pattern of the slots that a target creates in the source while it copies tables. */
async function copyingSlotsOf(target: pg.ClientBase): Promise<string> {
  const found = await first<{ pattern: string }>(
    target,
    `select '^pg_' || oid || '_sync_[0-9]+_' || (select system_identifier from pg_control_system()) || '$' as pattern
       from pg_subscription where subname = '${NAME}' and subdbid = (select oid from pg_database where datname = current_database())`,
  )
  return found?.pattern ?? '^$'
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

/** The slot, and those of a copy that was interrupted, which a target that is gone cannot drop: a slot fills the disk of the source. */
const SLOTS = /* sql */ `
  from pg_replication_slots
 where (slot_name = $1 or database = current_database() and slot_name ~ (
          select coalesce(obj_description(oid, 'pg_publication'), '^$') from pg_publication where pubname = '${NAME}'))`

async function dropSlots(source: pg.ClientBase): Promise<void> {
  const slot = [await slotOf(source)]
  for (let attempts = 0; ; attempts++)
    try {
      await source.query(`select pg_terminate_backend(active_pid) ${SLOTS} and active_pid is not null`, slot)
      await source.query(`select pg_drop_replication_slot(slot_name) ${SLOTS}`, slot)
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
 * Returns how many bytes of the log of the source are not durable in the target yet; null if the target is not
 * connected. Every role can read this from the slot, and everything durable has been applied.
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
  await dropSlots(source)
  await source.query(`drop publication if exists ${NAME}`)
}
