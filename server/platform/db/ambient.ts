/** The transaction that everything in one call joins, however deep it is asked for: it travels with the async context (ADR 0009). */
import type { Session, TransactionOptions } from './db.ts'
import { isConnectionLost } from './pg-errors.ts'

/** A session inside a transaction. */
export interface TransactionSession extends Session {
  /** How long one statement may run from here to the end of the transaction. */
  setStatementTimeout(ms: number): Promise<void>
}

export class AmbientTransaction {
  readonly options: TransactionOptions
  readonly #session: TransactionSession
  readonly #parent: AmbientTransaction | undefined
  #effects: (() => void)[] = []
  #last: Promise<unknown> = Promise.resolve()
  #open = true

  constructor(session: TransactionSession, options: TransactionOptions, parent?: AmbientTransaction) {
    this.#session = session
    this.options = options
    this.#parent = parent
  }

  /** What outlives its call finds it closed, and is on its own. */
  get open(): boolean {
    return this.#open && (this.#parent?.open ?? true)
  }

  /** One after the other: what ran beside a nested transaction would be undone with it. */
  run<T>(use: (session: TransactionSession) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => use(this.#session))
    this.#last = result.catch(() => {})
    return result
  }

  /** A transaction within this one: undone alone when `work` throws. `work` is to run with the one that it is given. */
  nest<T>(
    work: (inner: AmbientTransaction, session: Session) => Promise<T>,
    { statementTimeoutMs }: TransactionOptions,
  ): Promise<T> {
    return this.run(async (session) => {
      const inner = new AmbientTransaction(session, this.options, this)
      await session.query('savepoint nested')
      try {
        if (statementTimeoutMs !== undefined) await session.setStatementTimeout(statementTimeoutMs)
        const result = await work(inner, session)
        await inner.close()
        await session.query('release savepoint nested')
        this.#effects.push(...inner.#effects)
        return result
      } catch (error) {
        await inner.close()
        if (!isConnectionLost(error)) await session.query('rollback to savepoint nested; release savepoint nested')
        throw error
      }
    })
  }

  afterCommit(effect: () => void): void {
    this.#effects.push(effect)
  }

  /** Nothing joins from here on; waits for what has. */
  async close(): Promise<void> {
    this.#open = false
    await this.#last
  }

  committed(): void {
    for (const effect of this.#effects) effect()
  }
}
