/**
 * Begins the session of each connection to PostgreSQL, and detects a pooler that gives a session to several clients in
 * turns: settings and prepared statements of a connection would be missing, or belong to another program.
 */
import type pg from 'pg'
import { isCode } from '../pg-errors.ts'
import { PLANNER_SETTINGS } from './plans.ts'

/** Releases the locks of a process that hangs or whose machine is unreachable. */
const ABANDONED_SETTINGS = {
  idle_in_transaction_session_timeout: '30s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
} as const

/** Statements and the driver rely on these settings, which override those of the role, the database and the server. */
const EXPECTED_SETTINGS = {
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
  idle_session_timeout: '0',
  client_min_messages: 'notice',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  array_nulls: 'on',
  gin_fuzzy_search_limit: '0',
} as const

/** The limit of PostgreSQL 17 and newer for whole transactions: moves and deletions may take longer. */
const NO_TRANSACTION_TIMEOUT = /* sql */ `
  select set_config('transaction_timeout', '0', false) where current_setting('transaction_timeout', true) is not null`

const set = (settings: Readonly<Record<string, string>>): string =>
  `select ${Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`)}`

/** SQL that a program sends first which sends texts of values from one database to another: times would change otherwise. */
export const SET_EXPECTED = `${set(EXPECTED_SETTINGS)};${NO_TRANSACTION_TIMEOUT}`

/**
 * PostgreSQL checks whether the client of a statement is still connected, and rolls back the statement of a killed
 * process; on Windows it cannot check, and refuses this setting.
 */
export const ENDS_WITH_ITS_CLIENT = /* sql */ `
  do $$ begin perform set_config('client_connection_check_interval', '500ms', false); exception when others then null; end $$`

/**
 * Without `synchronous_commit`, a crash of PostgreSQL would lose changes that were acknowledged. The sessions of all
 * servers on a former primary are found by their name, even if DATABASE_URL sets another name.
 */
const begin = (statementTimeoutMs: number): string => {
  const settings = {
    ...PLANNER_SETTINGS,
    ...ABANDONED_SETTINGS,
    ...EXPECTED_SETTINGS,
    statement_timeout: String(statementTimeoutMs),
  }
  return /* sql */ `
  deallocate all;${ENDS_WITH_ITS_CLIENT};
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off';
  select set_config('application_name', 'commonhold ' || current_setting('application_name'), false)
   where current_setting('application_name') !~ '^commonhold( |$)';
  ${set(settings)};${NO_TRANSACTION_TIMEOUT};
  select pg_backend_pid() as pid`
}

const PID = 'select pg_backend_pid() as pid'

const PROTOCOL_VIOLATION = '08P01'

/** A pooler before PostgreSQL, such as PgBouncer, is set in a way that does not fit; the message says what to set. */
export class PoolerUnfit extends Error {
  /** Like a lost connection: what was sent may or may not have taken effect, and the next connection is examined again. */
  readonly code = PROTOCOL_VIOLATION
}

const isShared = () =>
  new PoolerUnfit(
    'a pooler before PostgreSQL, such as PgBouncer, gives its connections to other clients after each transaction or statement; set pool_mode = session for this database there, or name PostgreSQL itself in DATABASE_URL',
  )

const isTooSmall = () =>
  new PoolerUnfit(
    'a pooler before PostgreSQL, such as PgBouncer, has no second connection for this database; set default_pool_size there to more than DATABASE_CONNECTIONS and five for each server',
  )

export class Sessions {
  readonly #begin: string
  readonly #pids = new WeakMap<pg.ClientBase, number>()

  /** `statementTimeoutMs`: 0 for none. */
  constructor(statementTimeoutMs: number) {
    this.#begin = begin(statementTimeoutMs)
  }

  /** Returns the process of PostgreSQL that serves a connection: a pooler gives the driver another number. */
  processId(client: pg.ClientBase): number | undefined {
    return this.#pids.get(client)
  }

  hasBegun(client: pg.ClientBase): boolean {
    return this.#pids.has(client)
  }

  async begin(client: pg.ClientBase): Promise<void> {
    this.#pids.set(client, await pidOf(client, this.#begin))
  }

  /** Throws `PoolerUnfit` if the connection leads to another session than the one that it began. */
  async verify(client: pg.ClientBase): Promise<void> {
    if (this.#isDirect(client)) return
    if ((await pidOf(client, PID)) !== this.#pids.get(client)) throw isShared()
  }

  /**
   * Throws `PoolerUnfit` if new connections share sessions: then a connection gets another session, or none, while a
   * second connection has a transaction. Without a pooler no second connection is opened.
   */
  async verifyOwn(connect: () => Promise<pg.Client>): Promise<void> {
    const one = await connect()
    try {
      await this.begin(one)
      if (this.#isDirect(one)) return
      for (let others = 0; others < OTHERS_MAX; others++) await this.#verifyBeside(one, connect)
    } finally {
      await one.end().catch(() => {})
    }
  }

  async #verifyBeside(one: pg.Client, connect: () => Promise<pg.Client>): Promise<void> {
    const other = await connect()
    try {
      await other.query('begin').catch((error: Error) => {
        // A pooler that gives a connection to others after each statement refuses transactions. Its other errors pass.
        if (isCode(error, PROTOCOL_VIOLATION) && /pooling mode/i.test(error.message)) throw isShared()
        throw /query read timeout/i.test(error.message) ? isTooSmall() : error
      })
      if ((await pidOf(other, PID)) === this.#pids.get(one)) throw isShared()
      await this.verify(one)
    } finally {
      await other.end().catch(() => {})
    }
  }

  #isDirect(client: pg.ClientBase & { processID?: number }): boolean {
    return client.processID === this.#pids.get(client)
  }
}

/** How often a new connection is compared with another: other clients of a pooler may take the session first. */
const OTHERS_MAX = 3

async function pidOf(client: pg.ClientBase, text: string): Promise<number> {
  const results = (await client.query(text)) as unknown as pg.QueryResult<{ pid: number }> | pg.QueryResult[]
  const last = (Array.isArray(results) ? results.at(-1) : results) as pg.QueryResult<{ pid: number }> | undefined
  return last?.rows[0]?.pid ?? 0
}
