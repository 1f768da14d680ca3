/** Opens the database on a PostgreSQL server. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Db } from './db.ts'
import { CANCEL_GRACE_MS, PgDb } from './pg-db.ts'
import { isRefused } from './pg-errors.ts'
import { PLANNER_SETTINGS } from './plans.ts'
import { readPostgresUrl } from './postgres-url.ts'
import { Primary, type PrimaryOptions } from './primary/primary.ts'

/** Releases the locks of a process that was killed during a statement, that hangs, or whose machine is unreachable. */
const ABANDONED_SETTINGS = {
  client_connection_check_interval: '500ms',
  idle_in_transaction_session_timeout: '30s',
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
} as const

/** PostgreSQL did not respond in time, or refused the connection; `cause` says why. */
export class PostgresUnusable extends Error {
  constructor(cause: unknown) {
    super('PostgreSQL cannot be used', { cause })
  }
}

export interface PostgresOptions {
  connections: number
  /** 0: no timeout. */
  statementTimeoutMs: number
  /** Watches all hosts, and notices a failover; default: false, for work that is soon done. */
  watch?: boolean
  /** Reports that another server is the primary, or why there is none. */
  onChange?: PrimaryOptions['onChange']
}

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
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.statementTimeoutMs === 0 ? 0 : options.statementTimeoutMs + CANCEL_GRACE_MS,
    application_name: 'commonhold',
    options: Object.entries({ ...PLANNER_SETTINGS, ...ABANDONED_SETTINGS })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    keepAlive: true,
    pipeline: true,
  }
  const { watch = false, onChange } = options
  const primary = new Primary(readPostgresUrl(url), config, { watch, ...(onChange && { onChange }) })
  const db = new PgDb('postgres', config, clock, async () => {}, primary)
  for (let attempt = 1; ; attempt++) {
    try {
      await primary.find()
      await db.query('select 1')
      primary.start()
      return db
    } catch (error) {
      if (attempt === 20 || isRefused(error)) {
        await db.close()
        throw new PostgresUnusable(error)
      }
      onWait?.((error as Error).message)
      await sleep(500)
    }
  }
}
