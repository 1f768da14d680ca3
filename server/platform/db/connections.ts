/** The connections to a database: each is used in the turn of its tenant, and free of transactions when it is returned. */
import pg from 'pg'
import { currentLifetime, type Lifetime } from '../lifetime.ts'
import { FairSlots } from '../queues/fair-slots.ts'
import type { StatusError } from '../status-error.ts'
import {
  isCode,
  isConnectionLost,
  isReadOnly,
  isReadTimeout,
  isUnconfirmed,
  notConnected,
  QUERY_CANCELED,
  storageFull,
  unconfirmed,
  writesRefused,
} from './pg-errors.ts'
import type { Primary } from './primary/primary.ts'
import { leadingTo } from './primary/primary-connections.ts'
import type { PrimaryStatus } from './primary/status.ts'
import { Plans } from './sessions/plans.ts'
import type { Sessions } from './sessions/sessions.ts'

const INT8 = 20

/** The part of the connections that requests can hold with statements of their own. */
const TENANTS_PART = 0.8
/** A process converts results to responses sequentially, so more concurrent reads of one tenant would only delay others. */
const TENANT_PART = 1 / 3

/** bigint columns are counters and milliseconds, all below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
}

/** A commit is canceled this time before the driver would give it up. */
const CANCEL_BEFORE_MS = 1_000

/** How long a refused change says something about others. One that succeeds says little: on a full disk, small ones still find room. */
const REFUSAL_KNOWN_MS = 15_000

/** A PostgreSQL server, or several of which one is the primary. */
export interface PostgresServer {
  sessions: Sessions
  primary?: Primary
}

/** `endInTime`: the statement that is sent next commits; its wait for standbys is canceled before the driver gives up. */
type Use<T> = (client: pg.PoolClient, beginCommit: () => void, endInTime: () => void) => Promise<T>

export class Connections {
  readonly plans = new Plans()
  readonly #pool: pg.Pool
  readonly #canCancel: boolean
  readonly #sessions: Sessions | undefined
  readonly #slots: FairSlots
  readonly #primary: Primary | undefined
  /** Connections with a commit that the standbys of the primary did not confirm. */
  readonly #unconfirmed = new WeakSet<pg.ClientBase>()
  readonly #explain: (error: unknown) => unknown
  #refusal: { why: StatusError; at: number } | undefined

  /** `postgres`: of a PostgreSQL server, where a statement under way can be canceled through another connection. */
  constructor(
    config: pg.PoolConfig & { max: number },
    postgres: PostgresServer | undefined,
    explain: (error: unknown) => unknown = (error) => error,
  ) {
    this.#explain = explain
    const primary = postgres?.primary
    this.#canCancel = postgres !== undefined
    this.#sessions = postgres?.sessions
    this.#primary = primary
    this.#slots = new FairSlots(Math.max(1, Math.floor(config.max * TENANTS_PART)), TENANT_PART)
    this.#pool = new pg.Pool({ ...config, ...(primary && leadingTo(primary)), types, pipeline: true } as pg.PoolConfig)
    this.#pool.on('error', () => {}) // an idle connection broke; the next query opens another, or reports why it cannot
    // A new connection can break before its caller gets it. Without a listener that would end the process; the query fails instead.
    this.#pool.on('connect', (client) => {
      client.on('error', () => {})
      client.on('notice', (notice) => {
        if (isUnconfirmed(notice)) this.#unconfirmed.add(client)
      })
    })
  }

  get state(): { open: number; inUse: number; waiting: number } {
    const { totalCount: open, idleCount, waitingCount: waiting } = this.#pool
    return { open, inUse: open - idleCount, waiting }
  }

  /** Why the database refused a change in the last seconds. */
  get writesRefused(): StatusError | undefined {
    const { why, at } = this.#refusal ?? { why: undefined, at: 0 }
    return performance.now() - at < REFUSAL_KNOWN_MS ? why : undefined
  }

  #noteFailure(error: unknown): void {
    const why = writesRefused(error)
    if (why !== undefined) this.#refusal = { why, at: performance.now() }
  }

  /**
   * Runs `use` with a connection, in the turn of the request's tenant. Statements that requests share have no tenant,
   * and use the connections that are reserved for them. When the request ends, the statement under way is canceled,
   * unless `use` has begun to commit: then the outcome is awaited. A connection that is not known to be free of a
   * transaction is not returned to the pool.
   */
  use<T>(use: Use<T>): Promise<T> {
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
    const client = await this.#connect()
    let broken = false
    const onError = () => {
      broken = true
    }
    client.on('error', onError)
    const stopListening = lifetime?.onEnd(() => {
      if (!this.#canCancel) return // the next statement is refused
      broken = true // the cancellation could reach the next statement of this connection
      void this.#cancel(client)
    })
    // PostgreSQL waits for standbys after the statement, without its timeout: indefinitely, with all locks, also if nobody waits.
    let commitTimer: NodeJS.Timeout | undefined
    const endInTime = () => {
      if (!this.#canCancel || !this.#pool.options.query_timeout) return
      commitTimer = setTimeout(() => {
        broken = true
        void this.#cancel(client)
      }, this.#pool.options.query_timeout - CANCEL_BEFORE_MS)
    }
    try {
      if (this.#sessions?.hasBegun(client) === false) await this.#sessions.begin(client)
      if (await this.plans.renew(client)) await this.#sessions?.verify(client)
      const beginCommit = () => {
        lifetime?.throwIfEnded()
        stopListening?.()
        endInTime()
      }
      const result = await use(client, beginCommit, endInTime)
      if (this.#unconfirmed.delete(client)) throw unconfirmed()
      return result
    } catch (caught) {
      // The embedded engine is read-only only while its storage is full (see engine-thread.ts).
      const error = isReadOnly(caught) && !this.#canCancel ? storageFull('no space left on device', caught) : caught
      this.#noteFailure(error)
      if (isConnectionLost(error)) this.#primary?.suspect()
      if (isReadTimeout(error) && this.#canCancel) void this.#cancel(client)
      broken ||= !(await isClean(client, error))
      throw lifetime?.ended !== undefined && isCode(error, QUERY_CANCELED) ? lifetime.ended : this.#explain(error)
    } finally {
      clearTimeout(commitTimer)
      stopListening?.()
      client.off('error', onError)
      client.release(broken)
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      this.#primary?.throwIfRefused()
      return await this.#pool.connect().catch((error: unknown) => {
        this.#primary?.suspect()
        this.#noteFailure(error)
        this.#primary?.throwIfRefused() // it closed the connection, and says why
        throw notConnected(error)
      })
    } catch (error) {
      throw this.#explain(error)
    }
  }

  /** Cancels the statement under way. If that fails, the timeout of the statement ends it. */
  async #cancel(client: pg.PoolClient & { url?: string }): Promise<void> {
    const processId = this.#sessions?.processId(client)
    if (processId === undefined) return
    const { connectionString = client.url, ...options } = this.#pool.options
    const canceler = new pg.Client({ ...options, ...(connectionString && { connectionString }) })
    canceler.on('error', () => {})
    try {
      await canceler.connect()
      await canceler.query('select pg_cancel_backend($1)', [processId])
    } catch {
    } finally {
      await canceler.end().catch(() => {})
    }
  }

  get primary(): PrimaryStatus | undefined {
    return this.#primary?.status
  }

  async close(): Promise<void> {
    await this.#primary?.stop()
    await this.#pool.end()
  }
}

/**
 * Rolls back the transaction that a failed `begin`, statement or `commit` may have left open. Returns whether none is open now:
 * a rollback can fail too. A lost connection has ended its transaction; a rollback on it would only wait again.
 */
async function isClean(client: pg.PoolClient, error: unknown): Promise<boolean> {
  if (isConnectionLost(error)) return false
  const isIdle = () => client.getTransactionStatus() === 'I'
  if (!isIdle()) await client.query('rollback').catch(() => {})
  return isIdle()
}
