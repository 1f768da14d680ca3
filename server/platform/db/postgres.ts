/** Opens the database on a PostgreSQL server. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Clock } from '../clock.ts'
import type { Db } from './db.ts'
import { CANCEL_GRACE_MS, PgDb, type PgDbOptions } from './pg-db.ts'
import { refusalOf } from './pg-errors.ts'
import { readPostgresUrl } from './postgres-url.ts'
import { Primary, type PrimaryOptions } from './primary/primary.ts'
import { PoolerUnfit, Sessions } from './sessions/sessions.ts'

/** PostgreSQL did not respond in time, or refused the connection; `cause` says why. */
export class PostgresUnusable extends Error {
  constructor(cause: unknown) {
    super('PostgreSQL cannot be used', { cause })
  }
}

/** The database has a property that it was created with, and that does not fit; the message says what to do. */
export class DatabaseUnfit extends Error {}

export interface PostgresOptions {
  connections: number
  /** 0: no timeout. */
  statementTimeoutMs: number
  /** Watches all hosts, and notices a failover; default: false, for work that is soon done. */
  watch?: boolean
  /** Reports that another server is the primary, or why there is none. */
  onChange?: PrimaryOptions['onChange']
  onMoved?: PrimaryOptions['onMoved']
  /** The name of the bucket that the database is; default: the home database. */
  bucket?: string
  explain?: PgDbOptions['explain']
}

/**
 * A database that was started at the same time responds by then. Time in which this process could not notice a response
 * does not count: a start loads its modules meanwhile, which takes long on a busy machine.
 */
const WAIT_MS = 10_000
const TICK_MS = 50

/**
 * Opens a pool on the primary among the hosts of a URL, and waits up to 10 s for it to respond, so that both can be started
 * together. Each failed attempt is reported to `onWait`. Throws `PostgresUnusable`.
 */
export async function openPostgres(
  url: string,
  clock: Clock,
  options: PostgresOptions,
  onWait?: (reason: string) => void,
): Promise<Db> {
  const config = {
    max: options.connections,
    connectionTimeoutMillis: 5_000,
    query_timeout: options.statementTimeoutMs === 0 ? 0 : options.statementTimeoutMs + CANCEL_GRACE_MS,
    application_name: 'commonhold',
    keepAlive: true,
    pipeline: true,
  }
  const { watch = false, onChange, onMoved } = options
  const hosts = readPostgresUrl(url)
  const sessions = new Sessions(options.statementTimeoutMs)
  const primary = new Primary(hosts, config, { watch, ...(onChange && { onChange }), ...(onMoved && { onMoved }) })
  const db = new PgDb(
    'postgres',
    config,
    clock,
    { sessions, primary },
    { bucket: options.bucket, explain: options.explain },
  )
  let waitedMs = 0
  const ticks = setInterval(() => {
    waitedMs += TICK_MS
  }, TICK_MS)
  for (;;) {
    try {
      await primary.find()
      await requireOwnSessions(sessions, { ...config, connectionString: primary.host.url })
      await requireFit(db)
      primary.start()
      clearInterval(ticks)
      return db
    } catch (error) {
      const isFinal = isLasting(error, hosts.length) || error instanceof PoolerUnfit || error instanceof DatabaseUnfit
      if (isFinal || waitedMs > WAIT_MS) {
        clearInterval(ticks)
        await db.close()
        throw new PostgresUnusable(error)
      }
      onWait?.((error as Error).message)
      await sleep(500)
    }
  }
}

/** Waiting does not help. Of several hosts, another may be the primary and have a certificate that fits. */
export function isLasting(error: unknown, hosts: number): boolean {
  const why = refusalOf(error)
  return why === 'password' || why === 'database' || (why !== undefined && hosts === 1)
}

async function requireFit(db: Db): Promise<void> {
  const { rows } = await db.query(
    `select current_setting('server_version') as version, current_setting('server_encoding') as encoding`,
  )
  const [server] = rows as [{ version: string; encoding: string }]
  const why = whyUnfit(server)
  if (why !== undefined) throw new DatabaseUnfit(why)
}

const MAJOR_VERSION_MIN = 15

/**
 * Returns what does not fit, and what to do about it. In an encoding other than UTF-8, some texts cannot be stored, or
 * have other lengths and cases than their characters.
 */
export function whyUnfit({ version, encoding }: { version: string; encoding: string }): string | undefined {
  if (Number.parseInt(version, 10) < MAJOR_VERSION_MIN)
    return `it is of PostgreSQL ${version}; upgrade PostgreSQL to ${MAJOR_VERSION_MIN} or newer`
  return encoding === 'UTF8'
    ? undefined
    : `its encoding is ${encoding}; create another with: create database … encoding 'UTF8' template template0`
}

/** Throws if a pooler before the primary shares sessions. */
async function requireOwnSessions(sessions: Sessions, config: pg.ClientConfig): Promise<void> {
  const connect = async () => {
    const client = new pg.Client({ ...config, query_timeout: config.connectionTimeoutMillis })
    client.on('error', () => {}) // what is under way fails
    await client.connect()
    return client
  }
  await sessions.verifyOwn(connect)
}
