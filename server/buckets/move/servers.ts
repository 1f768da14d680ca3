/** The two databases of a move, and the requirements on their PostgreSQL servers. */
import pg from 'pg'
import { adviceFor } from '#platform/db/advice.ts'
import { type PostgresHost, placeOf, readPostgresUrl } from '#platform/db/postgres-url.ts'
import { ENDS_WITH_ITS_CLIENT, SET_EXPECTED } from '#platform/db/sessions/sessions.ts'
import { ConfigError } from '../../setting-values.ts'

/** A command cannot be carried out; the message says why, and what to do. */
export class MoveRefused extends Error {}

export class BucketUnreachable extends MoveRefused {}

/** Another command has the locks. */
export class Occupied extends MoveRefused {}

/**
 * Commits are durable with any setting of the server, and texts of values mean the same in both databases. Locks of a
 * command that was killed, or whose machine is gone, are released soon.
 */
const BEGIN = /* sql */ `
  ${SET_EXPECTED};
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off';
  set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;${ENDS_WITH_ITS_CLIENT}`

/** A command that is stopped, or whose machine is gone, loses its locks after this time, while others wait for it. */
export const STOPPED_MS = 5_000

/** Ends sessions that are idle for that time; 0: never. */
export async function endWhenIdle(clients: readonly pg.ClientBase[], ms = STOPPED_MS): Promise<void> {
  for (const client of clients) await client.query(`set idle_session_timeout = ${ms}`)
}

/** The tables of a database that is hidden from servers are found. A node of Citus has them in the schemas that its URL names. */
const inPublic = ({ url }: PostgresHost): string => (/[?&]options=/.test(url) ? '' : 'set search_path = public')

/** Connects to the primary among the hosts of a URL. */
export async function connectTo(url: string): Promise<pg.Client> {
  let failure: unknown = new Error('no host is primary')
  for (const host of hostsOf(url)) {
    const client = new pg.Client({
      connectionString: host.url,
      application_name: 'commonhold move',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    })
    client.on('error', () => {}) // what is under way fails
    try {
      await client.connect()
      const { rows } = await client.query('select pg_is_in_recovery() as standby')
      if (!rows[0].standby) {
        await client.query(`${BEGIN}; ${inPublic(host)}`)
        return client
      }
    } catch (error) {
      failure = error
    }
    await client.end().catch(() => {})
  }
  const { message } = failure as Error
  throw new BucketUnreachable(`${placesOf(url)} cannot be reached: ${message}; ${adviceFor(failure, 'the URL')}.`)
}

function hostsOf(url: string): PostgresHost[] {
  try {
    return readPostgresUrl(url)
  } catch (error) {
    throw new ConfigError(`The URL of a database must ${(error as Error).message}.`)
  }
}

/** Names the hosts of a URL without its secrets. */
export const placesOf = (url: string): string => {
  const database = new URL(url.replace(/^postgres(ql)?:\/\/[^/]*/, 'postgres://x')).pathname
  return `${readPostgresUrl(url).map(placeOf).join(', ')}${database}`
}

export async function first<Row>(
  client: pg.ClientBase,
  text: string,
  values: unknown[] = [],
): Promise<Row | undefined> {
  return (await client.query(text, values)).rows[0] as Row | undefined
}

const IDENTITY = /* sql */ `
  select current_database() as name, pg_postmaster_start_time()::text as started, (select system_identifier::text from pg_control_system()) as system`

/** Returns whether two connections lead to the same database, even if their URLs differ. */
export async function isSameDatabase(one: pg.ClientBase, other: pg.ClientBase): Promise<boolean> {
  return JSON.stringify(await first(one, IDENTITY)) === JSON.stringify(await first(other, IDENTITY))
}

const SETTINGS = /* sql */ `
  select current_setting('server_version_num')::int as version, current_setting('wal_level') as "walLevel",
         current_setting('max_replication_slots')::int as slots,
         (select count(*)::int from pg_replication_slots) as "usedSlots",
         current_setting('max_wal_senders')::int - (select count(*)::int from pg_stat_replication) as "freeSenders",
         least(current_setting('max_logical_replication_workers')::int - (select count(*)::int from pg_stat_subscription where pid is not null),
               current_setting('max_replication_slots')::int - (select count(*)::int from pg_replication_origin)) as "freeWorkers",
         (select rolreplication or rolsuper from pg_roles where rolname = current_user) as "mayReplicate",
         (select rolsuper from pg_roles where rolname = current_user)
           or exists (select from pg_roles where rolname = 'pg_create_subscription' and pg_has_role(oid, 'member')) as "maySubscribe",
         has_database_privilege(current_database(), 'create')
           and exists (select from pg_namespace where nspname in ('public', 'commonhold_moved') and pg_has_role(nspowner, 'member')) as "isOwner"`

interface Settings {
  version: number
  walLevel: string
  slots: number
  usedSlots: number
  freeSenders: number
  freeWorkers: number
  mayReplicate: boolean
  maySubscribe: boolean
  /** Whether it may create publications, and rename the schema. */
  isOwner: boolean
}

/** Refuses databases between which PostgreSQL cannot replicate, or a bucket should not move. */
export async function requireReplication(source: pg.ClientBase, target: pg.ClientBase): Promise<void> {
  await requireSameTime(source, target)
  const [from, to] = [await first<Settings>(source, SETTINGS), await first<Settings>(target, SETTINGS)]
  if (from === undefined || to === undefined) throw new Error('PostgreSQL did not describe itself')
  if (from.walLevel !== 'logical')
    throw new MoveRefused(
      `The server of the bucket has wal_level = ${from.walLevel}; set it to logical there, restart that PostgreSQL, and move the bucket then.`,
    )
  if (from.slots - from.usedSlots < 2)
    throw new MoveRefused(
      'The server of the bucket has fewer than two free replication slots; raise max_replication_slots there.',
    )
  if (from.freeSenders < 2)
    throw new MoveRefused(
      'The server of the bucket has fewer than two free connections for replication; raise max_wal_senders there.',
    )
  if (to.freeWorkers < 2)
    throw new MoveRefused(
      'The new server has fewer than two free workers for replication; raise max_logical_replication_workers and max_replication_slots there.',
    )
  if (!from.isOwner || !to.isOwner)
    throw new MoveRefused(
      `The role of the ${from.isOwner ? 'new database' : 'bucket'} does not own its database: alter database … owner to ….`,
    )
  if (!from.mayReplicate)
    throw new MoveRefused('The role of the bucket may not replicate: alter role … replication, on its server.')
  if (!to.maySubscribe)
    throw new MoveRefused(
      'The role of the new database may not create subscriptions: grant pg_create_subscription to it (PostgreSQL 16), or make it a superuser for the move.',
    )
  if (Math.floor(to.version / 10_000) < Math.floor(from.version / 10_000))
    throw new MoveRefused(
      'The new server has an older PostgreSQL than that of the bucket; use the same version or a later one.',
    )
}

/** A difference of clocks that callers would notice. */
const CLOCKS_DIFFER_MS = 5_000

/** Returns by how much the clock of a server is ahead of the clock of this machine. */
async function clockOf(client: pg.ClientBase): Promise<number> {
  const asked = Date.now()
  const found = await first<{ now: number }>(
    client,
    'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  )
  return (found?.now ?? 0) - (asked + Date.now()) / 2
}

/** Refuses servers with different clocks: grants would expire, and leases end, at other times than before. */
export async function requireSameTime(source: pg.ClientBase, target: pg.ClientBase): Promise<void> {
  const difference = (await clockOf(target)) - (await clockOf(source))
  if (Math.abs(difference) < CLOCKS_DIFFER_MS) return
  throw new MoveRefused(
    `The clock of the new server is ${Math.abs(Math.round(difference / 1_000))} s ${difference > 0 ? 'ahead of' : 'behind'} that of the old one, and grants would expire at other times; set both, and move the bucket then.`,
  )
}

/** Tables that do not belong to an extension. */
const HAS_TABLES = /* sql */ `
  select from pg_class c
   where c.relkind in ('r', 'p') and c.relnamespace::regnamespace::text in ('public', 'commonhold_moved')
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e') limit 1`

/** Refuses a database with any tables, because a move would delete them. */
export async function requireEmpty(client: pg.ClientBase, places: string): Promise<void> {
  if ((await first(client, HAS_TABLES)) === undefined) return
  throw new MoveRefused(`${places} has tables already; name an empty database.`)
}
