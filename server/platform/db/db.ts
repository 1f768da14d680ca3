/** The database interface of the server: statements and transactions, the same on both engines. */
import type { StatusError } from '../status-error.ts'
import type { PrimaryStatus } from './primary/status.ts'
import type { SetStatement, Statement } from './statement.ts'

export interface Session {
  /** The name of the bucket that the database is; undefined: it is the home database (ADR 0066). */
  readonly bucket?: string | undefined
  run<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>
  /** Runs a set statement once for all `rows`. Returns the rows of its result. */
  runSet<Input, Row>(statement: SetStatement<Input, Row>, rows: readonly Input[]): Promise<Row[]>
  /** For text that is no named statement; several statements are allowed when there are no values, their rows are joined. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

export interface SetStep<Input, Row> {
  statement: SetStatement<Input, Row>
  rows: readonly Input[]
}

export interface TransactionOptions {
  /** Fails with `lock_not_available` after waiting this long for one lock; default: as long as the statement may run. */
  lockTimeoutMs?: number
  /** How long one statement may run; default: `STATEMENT_TIMEOUT_MS`. */
  statementTimeoutMs?: number
  /**
   * The first statement only takes locks, so it is sent together with `begin`: the database does not wait for this
   * process in between. If the transaction cannot begin, nothing after that statement runs.
   */
  locksFirst?: true
  /** Reads everything from one snapshot; the database refuses writes. Not inside an ambient transaction. */
  snapshot?: true
}

/** A finished run of a statement. */
export interface StatementRun {
  name: string
  rows: number
  /** Times of `performance.now()`. */
  began: number
  ended: number
  /** Why it failed, or undefined. */
  error: unknown
}

export interface Db extends Session {
  readonly engine: 'embedded' | 'postgres'
  /** The maximum number of connections. */
  readonly connections: number
  /** The open connections, how many of them are in use, and how many callers wait for one. */
  readonly pool: { open: number; inUse: number; waiting: number }
  /** Why the database refused a change in the last seconds, such as a full disk. */
  readonly writesRefused: StatusError | undefined
  /** Which PostgreSQL server is in use; undefined with the embedded engine. */
  readonly primary: PrimaryStatus | undefined
  /** Reports each run of a statement that has a name, from now on. */
  observe(observer: (statement: StatementRun) => void): void
  /**
   * Runs everything that `work` does in this database, directly or in the functions it calls, in one transaction (ADR 0009).
   * Transactions inside are nested: one that throws is rolled back alone, and is not retried by itself.
   */
  ambientTransaction<T>(work: () => Promise<T>, options?: TransactionOptions): Promise<T>
  /** The options of the ambient transaction that the caller runs in, if there is one. */
  readonly ambient: TransactionOptions | undefined
  /** Runs `effect` immediately, or after the commit of the ambient transaction; never if that rolls back. */
  afterCommit(effect: () => void): void
  /**
   * Runs `work` in a transaction: commits when it returns, rolls back when it throws. Retries it after a lost race (40001,
   * 40P01, 23503), so `work` must have no other effects. Inside, only the given session may be used: the embedded engine has
   * one connection.
   */
  transaction<T>(work: (session: Session) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Runs a transaction of set statements and returns the rows of all statements after the first. No statement may
   * depend on the result of another, because all are sent together, so that the database does not wait for this process
   * in between.
   */
  runInSuccession<First, Next, Row>(
    first: SetStep<First, unknown>,
    next: readonly SetStep<Next, Row>[],
    options?: TransactionOptions,
  ): Promise<Row[]>
  /** Runs several statements without values in one call: migrations and fixtures of tests. */
  script(text: string): Promise<void>
  close(): Promise<void>
}
