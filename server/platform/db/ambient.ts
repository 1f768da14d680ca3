/** The ambient transaction, which all database work of one call joins, at any depth. The async context carries it (ADR 0009). */
import type { Session, TransactionOptions } from './db.ts'
import { isConnectionLost } from './pg-errors.ts'

/** A session inside a transaction. */
export interface TransactionSession extends Session {
  /** Sets the timeout of each statement until the end of the transaction. */
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

  /** Whether work can still join. Work that outlives its call finds the transaction closed and runs outside it. */
  get open(): boolean {
    return this.#open && (this.#parent?.open ?? true)
  }

  /** Runs sequentially: work beside a nested transaction would be rolled back with it. */
  run<T>(use: (session: TransactionSession) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => use(this.#session))
    this.#last = result.catch(() => {})
    return result
  }

  /** Runs `work` in a nested transaction, which alone is rolled back when `work` throws. `work` must use the given transaction. */
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

  /** Lets no more work join, and waits for the work that has. */
  async close(): Promise<void> {
    this.#open = false
    await this.#last
  }

  committed(): void {
    for (const effect of this.#effects) effect()
  }
}
