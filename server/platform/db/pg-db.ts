/** The database through `pg`: statements and transactions, on PostgreSQL or the embedded engine. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import type { Clock } from '../clock.ts'
import { currentLifetime } from '../lifetime.ts'
import { AmbientTransaction, type TransactionSession } from './ambient.ts'
import { Connections, type PostgresServer } from './connections.ts'
import type { Db, Session, SetStep, StatementRun, TransactionOptions } from './db.ts'
import { type SetStatement, type Statement, setValues } from './statement.ts'
import { begin, retryAfterRace } from './transactions.ts'

/** The server cancels a statement that takes too long. If it has not done so after this additional time, it does not respond. */
export const CANCEL_GRACE_MS = 2_000

export interface PgDbOptions {
  /** The name of the bucket that the database is. */
  bucket?: string | undefined
  /** Returns what a failure of the database means; the failure itself if nothing else. */
  explain?: ((error: unknown) => unknown) | undefined
  onClose?: () => Promise<void>
}

export class PgDb implements Db {
  readonly engine: Db['engine']
  readonly connections: number
  readonly bucket: string | undefined
  readonly #connections: Connections
  readonly #clock: Clock
  readonly #onClose: () => Promise<void>
  readonly #ambientStorage = new AsyncLocalStorage<AmbientTransaction | undefined>()
  #observer: ((statement: StatementRun) => void) | undefined

  constructor(
    engine: Db['engine'],
    config: pg.PoolConfig & { max: number },
    clock: Clock,
    postgres?: PostgresServer,
    { bucket, explain, onClose = async () => {} }: PgDbOptions = {},
  ) {
    this.bucket = bucket
    this.engine = engine
    this.connections = config.max
    this.#connections = new Connections(config, postgres, explain)
    this.#clock = clock
    this.#onClose = onClose
  }

  get pool(): Db['pool'] {
    return this.#connections.state
  }

  get writesRefused(): Db['writesRefused'] {
    return this.#connections.writesRefused
  }

  get primary(): Db['primary'] {
    return this.#connections.primary
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
    return this.#connections.use((client) => this.#session(client).query(text, values))
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

  runInSuccession<First, Next, Row>(
    first: SetStep<First, unknown>,
    next: readonly SetStep<Next, Row>[],
    options: TransactionOptions = {},
  ): Promise<Row[]> {
    if (this.ambient !== undefined)
      return this.transaction(async (session) => {
        await session.runSet(first.statement, first.rows)
        const rows: Row[] = []
        for (const step of next) rows.push(...(await session.runSet(step.statement, step.rows)))
        return rows
      }, options)
    return retryAfterRace(() => this.#runInSuccessionOnce(first, next, options))
  }

  #runInSuccessionOnce<First, Next, Row>(
    first: SetStep<First, unknown>,
    next: readonly SetStep<Next, Row>[],
    options: TransactionOptions,
  ): Promise<Row[]> {
    return this.#connections.use(async (client, beginCommit) => {
      const session = this.#session(client)
      beginCommit()
      const begun = client.query(begin(options))
      const locked = session.runSet(first.statement, first.rows)
      const changes = next.map(({ statement, rows }) => session.runSet(statement, rows))
      const committed = client.query('commit') // rolls back if an earlier statement failed
      const sent = await Promise.allSettled([begun, locked, ...changes, committed])
      // Without `begin`, the statements were transactions of their own: what they did is committed.
      const [beginning] = sent
      const relevant = beginning.status === 'rejected' ? sent.slice(2, -1) : sent
      if (relevant.some(({ status }) => status === 'rejected'))
        for (const one of sent) if (one.status === 'rejected') throw one.reason
      return (await Promise.all(changes)).flat()
    })
  }

  #transactOnce<T>(work: (session: TransactionSession) => Promise<T>, options: TransactionOptions): Promise<T> {
    return this.#connections.use(async (client, beginCommit) => {
      const begun = client.query(begin(options))
      const session = options.locksFirst ? afterBegin(this.#session(client), begun) : this.#session(client)
      if (!options.locksFirst) await begun
      if (options.statementTimeoutMs !== undefined) await session.setStatementTimeout(options.statementTimeoutMs)
      const result = await work(session)
      beginCommit()
      const { command } = await client.query('commit')
      if (command !== 'COMMIT') throw new Error(`the commit of a transaction with a failed statement: ${command}`)
      return result
    })
  }

  async close(): Promise<void> {
    await this.#connections.close()
    await this.#onClose()
  }

  #ambient(): AmbientTransaction | undefined {
    const ambient = this.#ambientStorage.getStore()
    return ambient?.open ? ambient : undefined
  }

  #use<T>(use: (session: Session) => Promise<T>): Promise<T> {
    const ambient = this.#ambient()
    if (ambient !== undefined) return ambient.run(use)
    return this.#connections.use((client, _, endInTime) => {
      endInTime()
      return use(this.#session(client))
    })
  }

  #session(client: pg.PoolClient): TransactionSession {
    const { bucket } = this
    let timeout = {}
    const send = async <Row>({ name, text }: Statement<Row>, values: readonly unknown[], rows: number) => {
      currentLifetime()?.throwIfEnded()
      this.#connections.plans.note(client, rows)
      const query = { name, text, values: values as unknown[], ...timeout }
      return this.#observed(name, rows, client.query<Row & pg.QueryResultRow>(query))
    }
    return {
      bucket,
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
}

/** Returns a session whose statements are sent at once, but have no result unless the transaction has begun. */
function afterBegin(session: TransactionSession, begun: Promise<unknown>): TransactionSession {
  const once = async <T>(sent: Promise<T>): Promise<T> => {
    await Promise.allSettled([begun, sent]) // of both, so that none is under way when the first failure is thrown
    await begun
    return sent
  }
  return {
    ...session,
    run: (statement, values) => once(session.run(statement, values)),
    runSet: (set, rows) => once(session.runSet(set, rows)),
  }
}
