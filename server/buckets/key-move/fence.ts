/**
 * The fence of an API key that is being moved: triggers in the database that it leaves, on every table of its data set.
 * A trigger can be created only when no transaction that has written to the table is under way, and it runs in every
 * later transaction. So when the last trigger exists, no process can commit a change of the key. Other keys wait for a
 * fraction of a second at most. If the command is killed, the fence remains, so the copied rows stay complete.
 */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isCode, LOCK_NOT_AVAILABLE } from '#platform/db/pg-errors.ts'
import type { TableName } from '#tenancy/tables.ts'
import { first, MoveRefused } from '../move/servers.ts'
import type { KeyTable } from './data-set.ts'

/** Changes of other keys wait behind a trigger that is being created or dropped for this long at most. */
const LOCK_MS = 200
const PAUSE_MS = 300
/** How long transactions of other keys may keep a table from getting its trigger. */
const PATIENCE_MS = 120_000
/** How long deliveries, mails and jobs that are under way may take to end. */
const DRAIN_MS = 10_000

/** Writes of the server itself, for many keys in one statement, are skipped. Writes of callers are refused. */
const SKIPPED: Partial<Record<TableName, readonly string[]>> = {
  comment_mail_items: ['UPDATE', 'DELETE'],
  comment_mail_results: ['DELETE'],
  comment_mailings: ['UPDATE', 'DELETE'],
  document_migrations: ['UPDATE', 'DELETE'],
  events: ['DELETE'],
  idempotency_keys: ['DELETE'],
  mails: ['UPDATE', 'DELETE'],
  user_access_revocations: ['UPDATE', 'DELETE'],
  user_data_deletions: ['UPDATE', 'DELETE'],
  webhook_attempts: ['DELETE'],
  webhook_deliveries: ['UPDATE', 'DELETE'],
}

/** Columns that the server updates of its own accord. */
const SKIPPED_COLUMNS: Partial<Record<TableName, readonly string[]>> = {
  auth_tokens: ['last_used_at'],
  grants: ['expiring_at', 'expiry_event_at'],
  webhook_endpoints: [
    ...['due_at', 'paced_until', 'failing_since', 'last_success_at', 'last_failure_at'],
    ...['last_failure_status', 'last_failure_error'],
  ],
}

/** Its entries are written with the rows that they are about, and calls are counted until the end: those of the move are not copied. */
const NOT_FENCED: readonly TableName[] = ['search_entries', 'usage_days', 'usage_hours']

const isFenced = ({ name }: KeyTable) => !NOT_FENCED.includes(name)

/** Work is claimed by a number that rises. */
const isClaimed = ({ columns }: KeyTable) => columns.some(({ name }) => name === 'claims')

const nameOf = (apiKeyId: string, part = '') => `moving_${part}${hash('sha256', apiKeyId).slice(0, 16)}`

const set = (values: readonly string[] = []) => `'{${values.join(',')}}'`

/** Fences the key: transactions under way may end, and after that nothing changes. */
export async function fence(source: pg.ClientBase, apiKeyId: string, tables: readonly KeyTable[]): Promise<void> {
  const fenced = tables.filter(isFenced)
  const name = nameOf(apiKeyId)
  const claims = nameOf(apiKeyId, 'claims_')
  const leased = fenced.filter(isClaimed)
  if (!(await has(source, name, 'api_keys'))) {
    for (const table of leased)
      await create(source, claims, table, 'before update', 'when (new.claims > old.claims)', [
        ...[pg.escapeLiteral(apiKeyId), pg.escapeLiteral(table.owner), set(['UPDATE']), set()],
      ])
    await drain(source, leased)
  }
  // The row of the key is the last: with its trigger, the fence is complete.
  for (const table of [...fenced]
    .reverse()
    .sort((one, other) => Number(one.name === 'api_keys') - Number(other.name === 'api_keys')))
    await create(source, name, table, 'before insert or update or delete', '', [
      ...[
        pg.escapeLiteral(apiKeyId),
        pg.escapeLiteral(table.owner),
        set(SKIPPED[table.name]),
        set(SKIPPED_COLUMNS[table.name]),
      ],
    ])
}

/** Removes the fence. */
export async function unfence(source: pg.ClientBase, apiKeyId: string, tables: readonly KeyTable[]): Promise<void> {
  for (const table of tables.filter(isFenced))
    for (const name of [nameOf(apiKeyId, 'claims_'), nameOf(apiKeyId)])
      if (await has(source, name, table.name))
        await patiently(source, table.name, `drop trigger ${name} on ${table.name}`)
}

/** Returns the keys that are fenced in a database. */
export async function fencedKeys(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    String.raw`select distinct split_part(encode(tgargs, 'escape'), '\000', 1) as id from pg_trigger
                where tgfoid = 'hold_moving_key'::regproc order by 1`,
  )
  return rows.map(({ id }) => id)
}

const has = async (client: pg.ClientBase, name: string, table: string): Promise<boolean> =>
  (await first(client, 'select from pg_trigger where tgname = $1 and tgrelid = $2::regclass', [name, table])) !==
  undefined

async function create(
  client: pg.ClientBase,
  name: string,
  table: KeyTable,
  event: string,
  when: string,
  values: readonly string[],
): Promise<void> {
  if (await has(client, name, table.name)) return
  await patiently(
    client,
    table.name,
    `create trigger ${name} ${event} on ${table.name} for each row ${when} execute function hold_moving_key(${values.join(', ')})`,
  )
}

/**
 * Changes a table when nobody uses it: it tries again instead of letting others queue behind it. PostgreSQL ends an
 * automatic vacuum only after another session has waited for its lock for `deadlock_timeout`, so this waits that long
 * once, in case a vacuum is under way.
 */
async function patiently(client: pg.ClientBase, table: TableName, text: string): Promise<void> {
  let vacuumMs = 0
  let hasWaited = false
  for (const began = performance.now(); ; await sleep(PAUSE_MS))
    try {
      await client.query(`begin; set local lock_timeout = ${Math.max(LOCK_MS, vacuumMs)}; ${text}; commit`)
      return
    } catch (error) {
      await client.query('rollback')
      if (!isCode(error, LOCK_NOT_AVAILABLE)) throw error
      if (performance.now() - began > PATIENCE_MS)
        throw new MoveRefused(
          'A long transaction uses the tables of the database that the key leaves; start the same command again when it has ended.',
        )
      vacuumMs = hasWaited ? 0 : Number((await first<{ ms: string }>(client, VACUUM_MS, [table]))?.ms ?? 0)
      hasWaited ||= vacuumMs > 0
    }
}

/** Returns a row if a session that may be a vacuum holds a table: how long it takes until PostgreSQL ends that. */
const VACUUM_MS = /* sql */ `
  select ceil(extract(epoch from current_setting('deadlock_timeout')::interval) * 1000) + ${LOCK_MS} as ms
    from pg_locks
   where relation = $1::regclass and mode = 'ShareUpdateExclusiveLock' and granted and pid <> pg_backend_pid() limit 1`

/** Waits until nobody works on deliveries, mails and jobs of the key, or for as long as that may take: then the target repeats them. */
async function drain(source: pg.ClientBase, tables: readonly KeyTable[]): Promise<void> {
  const active = tables.map(
    ({ name, where, columns }) =>
      `(select count(*) from ${name} where ${where} and due_at > clock_timestamp() and ${
        columns.some((column) => column.name === 'claimed_at')
          ? 'claimed_at is not null and finished_at is null'
          : `claims > 0 and due_at < clock_timestamp() + interval '2 seconds'`
      })`,
  )
  for (const began = performance.now(); performance.now() - began < DRAIN_MS; await sleep(PAUSE_MS / 3)) {
    const found = await first<{ count: string }>(source, `select ${active.join(' + ')} as count`)
    if (Number(found?.count) === 0) return
  }
}
