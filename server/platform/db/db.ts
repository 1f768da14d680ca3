/** What the rest of the server sees of the database: statements and transactions, the same on both engines. */
import type { SetStatement, Statement } from './statement.ts'

export interface Session {
  run<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>
  /** Runs a set statement once for all `rows`; answers whatever the text returns. */
  runSet<Input, Row>(statement: SetStatement<Input, Row>, rows: readonly Input[]): Promise<Row[]>
  /** For text that is not ours (pg-boss); several statements are allowed when there are no values, their rows are joined. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

export interface SetStep<Input, Row> {
  statement: SetStatement<Input, Row>
  rows: readonly Input[]
}

export interface TransactionOptions {
  /** Give up with `lock_not_available` after waiting this long for one lock; default: as long as the statement may run. */
  lockTimeoutMs?: number
  /** How long one statement may run; default: `STATEMENT_TIMEOUT_MS`. */
  statementTimeoutMs?: number
  /** Everything is read as it was at one moment, and the database refuses to write. Not inside an ambient transaction. */
  snapshot?: true
}

/** A statement that has ended. */
export interface StatementRun {
  name: string
  rows: number
  /** By `performance.now()`. */
  began: number
  ended: number
  /** Why it failed, or undefined. */
  error: unknown
}

export interface Db extends Session {
  readonly engine: 'embedded' | 'postgres'
  /** The most that may be in use at once. */
  readonly connections: number
  /** Connections that are open now, those in use among them, and how many callers wait for one. */
  readonly pool: { open: number; inUse: number; waiting: number }
  /** Tells of each statement that has one of our names, from here on. */
  observe(observer: (statement: StatementRun) => void): void
  /**
   * One transaction of everything that `work` asks of this database, itself or through whatever it calls (ADR 0009). It
   * takes part by doing so: a transaction inside is nested, undone alone when it throws, and is not run again for itself.
   */
  ambientTransaction<T>(work: () => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Of the ambient transaction that the caller runs in, if there is one. */
  readonly ambient: TransactionOptions | undefined
  /** Runs `effect` at once, or, in an ambient transaction, when and if it has committed. */
  afterCommit(effect: () => void): void
  /** Commits when `work` returns, rolls back when it throws; runs `work` again when it lost a race (40001, 40P01, 23503), so it must have no effects of its own. Inside, only the given session may be used: the embedded engine has one connection. */
  transaction<T>(work: (session: Session) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * A transaction of two set statements of which the second does not need the answer of the first; answers the second's
   * rows. They are sent at once, so that the server does not wait for this process in between.
   */
  runInSuccession<First, Second, Row>(
    first: SetStep<First, unknown>,
    second: SetStep<Second, Row>,
    options?: TransactionOptions,
  ): Promise<Row[]>
  /** Several statements without values in one call: migrations and the tests' fixtures. */
  script(text: string): Promise<void>
  close(): Promise<void>
}
