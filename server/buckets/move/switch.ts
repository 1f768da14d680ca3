/**
 * The switch of a move: writes wait while the target receives the last of them, then the source is closed. From that
 * commit on, no process can read or write a row of the bucket there, because no statement finds its tables by name. So
 * a process that does not know of the move yet fails, and never responds from the old database.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { isCode } from '#platform/db/pg-errors.ts'
import type { TableName } from '#tenancy/tables.ts'
import { isPast } from './counter.ts'
import { show } from './hidden-target.ts'
import { hasStored, TABLES_TO_COPY } from './replication.ts'
import { connectTo, first, MoveRefused, STOPPED_MS } from './servers.ts'

/** Writes wait at most this long: for changes that are under way, and for the target. */
const LOCK_MS = 1_000
const CATCH_UP_MS = 1_000

/** The locks were not free in time, or two changes wait for each other. */
const NOT_NOW = ['55P03', '57014', '40P01'] as const

/**
 * The tables in which transactions take their first locks: followers and jobs lock their own row, calls lock the row of
 * a key and then the rows of organizations, and all change other tables after that. If the command locks the tables in
 * this order, transactions under way can end, and new ones wait while they hold nothing. In any other order the command
 * and a transaction could each hold a lock that the other needs, until the command gives up.
 */
const LOCKED_FIRST: readonly TableName[] = [
  'event_followers',
  'document_migrations',
  'user_access_revocations',
  'user_data_deletions',
  'comment_mailings',
  'api_keys',
  'organizations',
]
const TO_LOCK = [...new Set([...LOCKED_FIRST, ...TABLES_TO_COPY, 'schema_migrations'])]

/** Where the tables of a closed source are. */
const CLOSED = 'commonhold_moved'
const TAKEN_BACK = 'commonhold: takes a bucket back'

const HAS_SCHEMA = 'select from pg_namespace where nspname = $1'

export const isClosed = async (client: pg.ClientBase): Promise<boolean> =>
  (await first(client, HAS_SCHEMA, [CLOSED])) !== undefined &&
  (await first(client, HAS_SCHEMA, ['public'])) === undefined

/** Opens a source again that was closed. */
export const reopen = async (client: pg.ClientBase): Promise<void> => {
  if (await isClosed(client)) await client.query(`alter schema ${CLOSED} rename to public`)
}

/** Opens a database again that was closed and emptied, or hidden. */
export const openEmpty = async (client: pg.ClientBase): Promise<void> => {
  const holds = await first(client, 'select from pg_class where relnamespace::regnamespace::text = $1 limit 1', [
    CLOSED,
  ])
  if (holds !== undefined) return
  await reopen(client)
  await show(client)
}

const EMPTY = {
  /** As it was given. */
  open: 'create schema public',
  /** It has served: a process that still has its URL must not be able to create the schema there. */
  closed: `create schema ${CLOSED}`,
  /** It gets the bucket back. */
  takesBack: `create schema public; comment on schema public is '${TAKEN_BACK}'`,
} as const

/** Deletes everything that a move has left in a database, in one transaction. */
export const clear = async (client: pg.ClientBase, becomes: keyof typeof EMPTY): Promise<void> => {
  await client.query(`drop schema if exists ${CLOSED} cascade; drop schema if exists public cascade; ${EMPTY[becomes]}`)
}

/** Returns whether the target of a move had the bucket before; false if it cannot be reached. */
export async function isTakenBack(url: string): Promise<boolean> {
  const client = await connectTo(url).catch(() => undefined)
  if (client === undefined) return false
  try {
    const marked = `select from pg_namespace where nspname = 'public' and obj_description(oid, 'pg_namespace') = $1`
    return (await isClosed(client)) || (await first(client, marked, [TAKEN_BACK])) !== undefined
  } finally {
    await client.end()
  }
}

/**
 * Closes the source once the target has everything. Returns for how many milliseconds writes waited, or undefined if it
 * did not succeed in time: then nothing has changed, and it can be tried again. `isAhead`: requires that the
 * transaction counter of the target is ahead.
 */
export async function closeSource(
  source: pg.ClientBase,
  target: pg.ClientBase,
  { from, isAhead }: { from: string; isAhead: boolean },
): Promise<number | undefined> {
  const beside = await connectTo(from)
  try {
    await source.query('begin')
    await source.query(
      `set local statement_timeout = ${LOCK_MS}; set local idle_in_transaction_session_timeout = ${STOPPED_MS}`,
    )
    const began = performance.now()
    await source.query(`lock table ${TO_LOCK.join(', ')} in exclusive mode`)
    await source.query('set local statement_timeout = 0')
    await requireSameSchema(source, target)
    const position = await flushedPosition(beside)
    while (!(await hasStored(source, position))) {
      if (performance.now() - began > LOCK_MS + CATCH_UP_MS) return await giveUp(source)
      await sleep(10)
    }
    if (isAhead && !(await isPast(source, target))) return await giveUp(source)
    await copyOwnRows(source, target, isAhead)
    await source.query(`alter schema public rename to ${CLOSED}`)
    await source.query('commit')
    return performance.now() - began
  } catch (error) {
    await giveUp(source).catch(() => {})
    if (isCode(error, ...NOT_NOW)) return undefined
    throw error
  } finally {
    await beside.end()
  }
}

async function giveUp(source: pg.ClientBase): Promise<undefined> {
  await source.query('rollback')
}

/** A server of another version may have changed the schema of the bucket meanwhile: its new tables are not copied. */
async function requireSameSchema(source: pg.ClientBase, target: pg.ClientBase): Promise<void> {
  const version = 'select max(version) as version from schema_migrations'
  const [there, here] = [
    await first<{ version: number }>(source, version),
    await first<{ version: number }>(target, version),
  ]
  if (there?.version !== here?.version)
    throw new MoveRefused(
      'The schema of the bucket has changed since the move began; give it up with --undo, and begin again.',
    )
}

/** Returns a position after every committed change. The commit of the message flushes the log up to there: only that is sent. */
async function flushedPosition(client: pg.ClientBase): Promise<string> {
  await client.query('set synchronous_commit = on')
  const found = await first<{ position: string }>(
    client,
    `select pg_logical_emit_message(true, 'commonhold', '')::text as position`,
  )
  if (found === undefined) throw new Error('PostgreSQL did not say where its log ends')
  return found.position
}

/** Copies what replication leaves out: the numbers that sequences give next, and the epochs, which number events (ADR 0063). */
async function copyOwnRows(source: pg.ClientBase, target: pg.ClientBase, isAhead: boolean): Promise<void> {
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
    await target.query(CONTINUE, [isAhead])
    await target.query('commit')
  } catch (error) {
    await target.query('rollback')
    throw error
  }
}

/**
 * The target continues where the source ended. If its transaction counter is ahead (`$1`), page tokens stay valid and
 * the numbers of events continue; otherwise it begins an epoch that refuses the earlier tokens. `examine` describes the
 * server in the same way.
 */
export const CONTINUE = /* sql */ `
  insert into database_epochs (epoch, system_identifier, timeline, table_oid, forked_at, numbered_after)
  select coalesce(max(epoch), 0) + 1, (select system_identifier::text from pg_control_system()),
         ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int, 'database_epochs'::regclass::oid,
         case when $1::boolean then 'FFFFFFFF/FFFFFFFF'::pg_lsn end,
         coalesce(max(numbered_after), 0) + case when $1 then 0 else 1 end
    from database_epochs`
