/** The database through `pg`: one pool for a PostgreSQL server, or one connection to the embedded engine. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Clock } from '../clock.ts'
import { FairSlots } from '../fair-slots.ts'
import { currentLifetime, type Lifetime } from '../lifetime.ts'
import { AmbientTransaction, type TransactionSession } from './ambient.ts'
import type { Db, Session, SetStep, StatementRun, TransactionOptions } from './db.ts'
import {
  DEADLOCK,
  FOREIGN_KEY_VIOLATION,
  isCode,
  isConnectionLost,
  isRefused,
  QUERY_CANCELED,
  SERIALIZATION_FAILURE,
} from './pg-errors.ts'
import { PLANNER_SETTINGS, Plans } from './plans.ts'
import { type SetStatement, type Statement, setValues } from './statement.ts'

const INT8 = 20

/** The part of the connections that requests can hold with statements of their own. */
const TENANTS_PART = 0.8
/** A process makes results into responses one after the other: more of one tenant at once would only delay others. */
const TENANT_PART = 1 / 3

/** A transaction that lost a race against another is retried. */
const TRIES_MAX = 3

/** bigint columns are counters and milliseconds, all below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
}

type Use<T> = (client: pg.PoolClient, beginCommit: () => void) => Promise<T>

export class PgDb implements Db {
  readonly engine: Db['engine']
  readonly connections: number
  readonly #pool: pg.Pool
  readonly #clock: Clock
  readonly #onClose: () => Promise<void>
  readonly #ambientStorage = new AsyncLocalStorage<AmbientTransaction | undefined>()
  readonly #plans = new Plans()
  readonly #slots: FairSlots
  #observer: ((statement: StatementRun) => void) | undefined

  constructor(
    engine: Db['engine'],
    config: pg.PoolConfig & { max: number },
    clock: Clock,
    onClose: () => Promise<void> = async () => {},
  ) {
    this.engine = engine
    this.connections = config.max
    this.#slots = new FairSlots(Math.max(1, Math.floor(config.max * TENANTS_PART)), TENANT_PART)
    this.#pool = new pg.Pool({ ...config, types, pipeline: true } as pg.PoolConfig)
    this.#pool.on('error', () => {}) // an idle connection broke; the next query opens another, or reports why it cannot
    // A new connection can break before its caller gets it. Without a listener that would end the process; the query fails instead.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    this.#clock = clock
    this.#onClose = onClose
  }

  get pool(): Db['pool'] {
    const { totalCount: open, idleCount, waitingCount: waiting } = this.#pool
    return { open, inUse: open - idleCount, waiting }
  }

  observe(observer: (statement: StatementRun) => void): void {
    this.#observer = observer
  }

  run<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#use((session) => session.run(statement, values))
  }

  runSet<Input, Row>(statement: SetStatement<Input, Row>, rows: readonly Input[]): Promise<Row[]> {
    return this.#use((session) => session.runSet(statement, rows))
  }

  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    const ambient = this.#ambient()
    if (ambient !== undefined) return ambient.run((session) => session.query(text, values))
    return this.#withConnection((client) => this.#session(client).query(text, values))
  }

  async script(text: string): Promise<void> {
    await this.query(text)
  }

  get ambient(): TransactionOptions | undefined {
    return this.#ambient()?.options
  }

  afterCommit(effect: () => void): void {
    const ambient = this.#ambient()
    if (ambient === undefined) effect()
    else ambient.afterCommit(effect)
  }

  async ambientTransaction<T>(work: () => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { result, ambient } = await retryAfterRace(() =>
      this.#transactOnce(async (session) => {
        const ambient = new AmbientTransaction(session, options)
        try {
          return { result: await this.#ambientStorage.run(ambient, work), ambient }
        } finally {
          await ambient.close()
        }
      }, options),
    )
    ambient.committed()
    return result
  }

  transaction<T>(work: (session: Session) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const ambient = this.#ambient()
    if (ambient !== undefined)
      return ambient.nest((inner, session) => this.#ambientStorage.run(inner, () => work(session)), options)
    return retryAfterRace(() => this.#transactOnce(work, options))
  }

  runInSuccession<First, Second, Row>(
    first: SetStep<First, unknown>,
    second: SetStep<Second, Row>,
    options: TransactionOptions = {},
  ): Promise<Row[]> {
    if (this.ambient !== undefined)
      return this.transaction(async (session) => {
        await session.runSet(first.statement, first.rows)
        return session.runSet(second.statement, second.rows)
      }, options)
    return retryAfterRace(() => this.#runInSuccessionOnce(first, second, options))
  }

  #runInSuccessionOnce<First, Second, Row>(
    first: SetStep<First, unknown>,
    second: SetStep<Second, Row>,
    options: TransactionOptions,
  ): Promise<Row[]> {
    return this.#withConnection(async (client, beginCommit) => {
      const session = this.#session(client)
      beginCommit()
      const sent = [
        client.query(begin(options)),
        session.runSet(first.statement, first.rows),
        session.runSet(second.statement, second.rows),
        client.query('commit'), // rolls back if an earlier statement failed
      ] as const
      const [begun, locked, changed, committed] = await Promise.allSettled(sent)
      // Without `begin`, the statements were transactions of their own: what the second one did is committed.
      if (begun.status === 'rejected' && changed.status === 'fulfilled') return changed.value
      for (const one of [begun, locked, changed, committed]) if (one.status === 'rejected') throw one.reason
      return sent[2]
    })
  }

  #transactOnce<T>(work: (session: TransactionSession) => Promise<T>, options: TransactionOptions): Promise<T> {
    return this.#withConnection(async (client, beginCommit) => {
      await client.query(begin(options))
      const session = this.#session(client)
      if (options.statementTimeoutMs !== undefined) await session.setStatementTimeout(options.statementTimeoutMs)
      const result = await work(session)
      beginCommit()
      const { command } = await client.query('commit')
      if (command !== 'COMMIT') throw new Error(`the commit of a transaction with a failed statement: ${command}`)
      return result
    })
  }

  async close(): Promise<void> {
    await this.#pool.end()
    await this.#onClose()
  }

  #ambient(): AmbientTransaction | undefined {
    const ambient = this.#ambientStorage.getStore()
    return ambient?.open ? ambient : undefined
  }

  #use<T>(use: (session: Session) => Promise<T>): Promise<T> {
    const ambient = this.#ambient()
    return ambient === undefined ? this.#withConnection((client) => use(this.#session(client))) : ambient.run(use)
  }

  #session(client: pg.PoolClient): TransactionSession {
    let timeout = {}
    const send = async <Row>({ name, text }: Statement<Row>, values: readonly unknown[], rows: number) => {
      currentLifetime()?.throwIfEnded()
      this.#plans.note(client, rows)
      const query = { name, text, values: values as unknown[], ...timeout }
      return this.#observed(name, rows, client.query<Row & pg.QueryResultRow>(query))
    }
    return {
      run: (statement, given = []) => send(statement, statement.timed ? [...given, this.#clock.now()] : given, 1),
      runSet: (set, rows) => send(set, setValues(set, rows, this.#clock.now()), rows.length),
      setStatementTimeout: async (ms) => {
        const name = client.escapeLiteral(`commonhold ${currentLifetime()?.name ?? ''}`)
        await client.query(`set local statement_timeout = ${ms}; set local application_name = ${name}`)
        timeout = { query_timeout: ms + CANCEL_GRACE_MS }
      },
      query: async (text, values) => {
        const answer: pg.QueryResult | pg.QueryResult[] = await client.query(text, values)
        return { rows: Array.isArray(answer) ? answer.flatMap(({ rows }) => rows ?? []) : answer.rows }
      },
    }
  }

  async #observed<Row extends pg.QueryResultRow>(
    name: string,
    rows: number,
    sent: Promise<pg.QueryResult<Row>>,
  ): Promise<Row[]> {
    if (this.#observer === undefined) return (await sent).rows
    const began = performance.now()
    let failed: unknown
    try {
      return (await sent).rows
    } catch (error) {
      failed = error
      throw error
    } finally {
      this.#observer({ name, rows, began, ended: performance.now(), error: failed })
    }
  }

  /**
   * Runs `use` with a connection, in the turn of the request's tenant. Statements that requests share have no tenant, and find
   * the connections that tenants leave. When the request ends, the statement under way is canceled, unless `use` has begun to
   * commit: then the outcome is awaited. A connection that is not known to be free of a transaction is not returned to the pool.
   */
  #withConnection<T>(use: Use<T>): Promise<T> {
    const lifetime = currentLifetime()
    if (lifetime === undefined) return this.#onConnection(use, undefined)
    return this.#slots.run(lifetime.tenant, async () => {
      const began = performance.now()
      try {
        return await this.#onConnection(use, lifetime)
      } finally {
        lifetime.charge(performance.now() - began)
      }
    })
  }

  async #onConnection<T>(use: Use<T>, lifetime: Lifetime | undefined): Promise<T> {
    lifetime?.throwIfEnded()
    const client = await this.#pool.connect()
    let broken = false
    const onError = () => {
      broken = true
    }
    client.on('error', onError)
    const stopListening = lifetime?.onEnd(() => {
      if (this.engine === 'embedded') return // it cannot cancel: the next statement is refused
      broken = true // the cancellation could reach the next statement of this connection
      void this.#cancel(client)
    })
    try {
      await this.#plans.renew(client)
      return await use(client, () => {
        lifetime?.throwIfEnded()
        stopListening?.()
      })
    } catch (error) {
      broken ||= !(await isClean(client, error))
      throw lifetime?.ended !== undefined && isCode(error, QUERY_CANCELED) ? lifetime.ended : error
    } finally {
      stopListening?.()
      client.off('error', onError)
      client.release(broken)
    }
  }

  /** Cancels the statement under way. If that fails, the timeout of the statement ends it. */
  async #cancel({ processID }: pg.PoolClient & { processID?: number }): Promise<void> {
    if (processID === undefined) return
    const canceler = new pg.Client(this.#pool.options)
    canceler.on('error', () => {})
    try {
      await canceler.connect()
      await canceler.query('select pg_cancel_backend($1)', [processID])
    } catch {
    } finally {
      await canceler.end().catch(() => {})
    }
  }
}

function begin({ lockTimeoutMs, snapshot }: TransactionOptions): string {
  if (snapshot) return 'begin isolation level repeatable read read only'
  return lockTimeoutMs === undefined ? 'begin' : `begin; set local lock_timeout = ${lockTimeoutMs}`
}

/** Runs a transaction, and retries it after a lost race. */
async function retryAfterRace<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact()
    } catch (error) {
      if (attempt === TRIES_MAX || !isCode(error, DEADLOCK, SERIALIZATION_FAILURE, FOREIGN_KEY_VIOLATION)) throw error
    }
  }
}

/**
 * Rolls back whatever transaction a failed `begin`, statement or `commit` has left, and returns whether there is none: a
 * rollback can fail, too. A lost connection has ended its transaction; a rollback on it would only wait again.
 */
async function isClean(client: pg.PoolClient, error: unknown): Promise<boolean> {
  if (isConnectionLost(error)) return false
  const isIdle = () => client.getTransactionStatus() === 'I'
  if (!isIdle()) await client.query('rollback').catch(() => {})
  return isIdle()
}

/** The server cancels a statement that takes too long. If it has not done so after this additional time, it does not respond. */
const CANCEL_GRACE_MS = 2_000

/** Releases the locks of a process that hangs or whose machine is unreachable. */
const ABANDONED_SETTINGS = {
  idle_in_transaction_session_timeout: '30s',
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
} as const

export interface PostgresOptions {
  connections: number
  /** 0: no timeout. */
  statementTimeoutMs: number
}

/** Opens a pool on a PostgreSQL server and waits up to 10 s for it to respond, so that both can be started together. */
export async function openPostgres(url: string, clock: Clock, options: PostgresOptions): Promise<Db> {
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
        throw error
      }
      await sleep(500)
    }
  }
}
