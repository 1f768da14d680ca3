/** Opens the database on a PostgreSQL server. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Db } from './db.ts'
import { CANCEL_GRACE_MS, PgDb } from './pg-db.ts'
import { isRefused } from './pg-errors.ts'
import { PLANNER_SETTINGS } from './plans.ts'

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
}

/**
 * Opens a pool on a PostgreSQL server and waits up to 10 s for it to respond, so that both can be started together. Each failed attempt
 * is reported to `onWait`. Throws `PostgresUnusable`.
 */
export async function openPostgres(
  url: string,
  clock: Clock,
  options: PostgresOptions,
  onWait?: (reason: string) => void,
): Promise<Db> {
  const db = new PgDb(
    'postgres',
    {
      connectionString: url,
      max: options.connections,
      connectionTimeoutMillis: 5_000,
      statement_timeout: options.statementTimeoutMs,
      query_timeout: options.statementTimeoutMs === 0 ? 0 : options.statementTimeoutMs + CANCEL_GRACE_MS,
      application_name: 'commonhold',
      options: Object.entries({ ...PLANNER_SETTINGS, ...ABANDONED_SETTINGS })
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
      keepAlive: true,
    },
    clock,
  )
  for (let attempt = 1; ; attempt++) {
    try {
      await db.query('select 1')
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
