/**
 * The coalescer: joins the rows of all calls that wait for the same statement into one run of it. There is no timer: the
 * first caller schedules a run, and while it is under way callers queue, so batches form only under load (ADR 0003). The
 * rows of one call are one *request*. A request succeeds or fails as a whole, and requests do not affect each other:
 *
 * - After an unexpected error of a shared run, its requests run sequentially, so that an invalid one fails alone.
 * - After a lost connection the run may have taken effect, so only idempotent work is retried, once and as a batch: no
 *   request caused the error, and sequentially each of them would wait for the next connection.
 * - A shared run waits for locks only briefly. Then its requests are retried lane by lane (a lane is a set of
 *   organizations). Only a lane that is still locked waits in the slow lane: one tenant's long delete cannot delay another's
 *   calls.
 * - A batch that fails in the slow lane fails as a whole: it is not split into requests that each wait again.
 * - A request in the transaction of its caller is not shared.
 * - Tenants take turns: requests of one do not wait for the queue of another.
 * - If many rows wait, a second run begins beside the first with requests that share no lock with it, so that this process and
 *   two of the database work at the same time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { currentLifetime, detached } from '../lifetime.ts'
import { StatusError } from '../status-error.ts'
import { deliver, Lanes, type LockWait, ROWS_PER_RUN_MAX } from './lanes.ts'
import { RequestQueue, type Waiting } from './request-queue.ts'

/**
 * The number of tenants that can have a large request in progress. Such a request runs alone for a long time, and others should
 * not wait for it.
 */
const BULK_RUNS_MAX = 2

/** The number of concurrent runs of requests whose locks are known. */
const RUNS_MAX = 2
/** The rows that a run beside another needs, unless the work says otherwise. */
const ROWS_BESIDE = 96

export interface Work<Request, Result> {
  name: string
  /** Runs all requests in one statement and returns their results in order. With `brief`, fails soon with `lock_not_available`. */
  execute(requests: Request[], lockWait: LockWait): Promise<Result[]>
  /**
   * Returns the number of rows of a request. A run has at most 256; larger requests run alone in a queue of their own,
   * so that they do not delay others.
   */
  rows(request: Request): number
  /** Returns the lane of a request. Requests of one lane may wait for the same lock. */
  lane(request: Request, tenant: string): string
  /** Returns the locks that a request takes, none for a read. Without it, no two runs are under way at the same time. */
  locks?(request: Request): readonly string[]
  /** The rows that a run beside another needs: fewer if a row takes longer. */
  rowsBeside?: number
  /** Returns whether a run may begin beside another now. Without it, it always may. */
  mayRunBeside?(): boolean
  /** May be retried when it is unknown whether it took effect. */
  idempotent: boolean
  /** Returns whether the current caller has a transaction that the request must be part of (ADR 0009). */
  inCallerTransaction?(): boolean
}

/** Observes the runs. */
export interface RunObserver {
  /** Called when a request is queued. The result is stored with the request, and passed to `around` with its run. */
  origin(): unknown
  around<T>(run: { origins: readonly unknown[]; rows: number }, execute: () => Promise<T>): Promise<T>
}

export class Coalescer<Request, Result> {
  readonly #work: Work<Request, Result>
  readonly #queue: RequestQueue<Request, Result>
  readonly #bulkQueue = new RequestQueue<Request, Result>(BULK_RUNS_MAX)
  readonly #lanes: Lanes<Request, Result>
  #observer: RunObserver | undefined

  constructor(work: Work<Request, Result>) {
    this.#work = work
    this.#queue = new RequestQueue(work.locks === undefined ? 1 : RUNS_MAX, work.rowsBeside ?? ROWS_BESIDE)
    this.#lanes = new Lanes({
      laneOf: ({ request, tenant }) => work.lane(request, tenant),
      idempotent: work.idempotent,
      execute: (batch, lockWait) => this.#execute(batch, lockWait),
    })
  }

  get name(): string {
    return this.#work.name
  }

  /** The rows of requests that wait for a run. */
  get queuedRows(): number {
    return this.#queue.rows + this.#bulkQueue.rows
  }

  /** The number of slow lanes: sets of organizations that others lock for long. */
  get slowLanes(): number {
    return this.#lanes.slow
  }

  observe(observer: RunObserver): void {
    this.#observer = observer
  }

  /**
   * Runs a request of a tenant: the tenant of the current call, or `caller` if that is not known yet. Throws RESOURCE_EXHAUSTED
   * when too many rows of that tenant wait.
   */
  run(request: Request, caller: string): Promise<Result> {
    if (this.#work.inCallerTransaction?.())
      return this.#work.execute([request], 'full').then(([result]) => result as Result)
    const tenant = currentLifetime()?.tenant ?? caller
    const rows = this.#work.rows(request)
    const queue = this.#queueFor(rows)
    if (!queue.admits(tenant, rows)) return Promise.reject(queueFull())
    return new Promise((resolve, reject) => {
      const origin = this.#observer?.origin()
      // Large requests of one tenant would mostly wait for each other's locks.
      const locks = queue === this.#bulkQueue ? [tenant] : (this.#work.locks?.(request) ?? [])
      const waiting = { request, tenant, rows, locks, origin, lifetime: currentLifetime(), queue, resolve, reject }
      queue.enter(waiting)
      if (this.#lanes.join(waiting)) return
      queue.push(waiting)
      this.#schedule(queue)
    })
  }

  /** Throws what `run` would throw for a request with this number of rows, before the rows are built. */
  assertRoom(rows: number, caller: string): void {
    if (!this.#queueFor(rows).admits(currentLifetime()?.tenant ?? caller, rows)) throw queueFull()
  }

  #queueFor(rows: number): RequestQueue<Request, Result> {
    return rows > ROWS_PER_RUN_MAX ? this.#bulkQueue : this.#queue
  }

  /** Resolves when nothing is queued or running. New requests are still accepted: stop the callers first. */
  async drained(): Promise<void> {
    while (!this.#queue.isIdle || !this.#bulkQueue.isIdle || !this.#lanes.isIdle) await sleep(5)
  }

  #schedule(queue: RequestQueue<Request, Result>): void {
    queue.schedule(() => {
      if (this.#begin(queue)) this.#schedule(queue)
    })
  }

  /** Returns whether a run has begun; if not, the end of one under way schedules the next. */
  #begin(queue: RequestQueue<Request, Result>): boolean {
    const batch = queue.take(ROWS_PER_RUN_MAX, () => this.#work.mayRunBeside?.() ?? true)
    if (batch.length === 0) return false
    queue.begin(batch)
    void this.#runShared(queue, batch)
    return true
  }

  /** If at least as many rows wait as the finished run had, the next run begins immediately, before results become responses. */
  #end(queue: RequestQueue<Request, Result>, batch: Waiting<Request, Result>[]): void {
    queue.end(batch)
    if (queue.rows >= rowsOf(batch)) this.#begin(queue)
    this.#schedule(queue)
  }

  async #runShared(queue: RequestQueue<Request, Result>, batch: Waiting<Request, Result>[]): Promise<void> {
    try {
      const results = await this.#execute(batch, 'brief')
      this.#end(queue, batch)
      deliver(batch, results)
    } catch (error) {
      await this.#lanes.retry(batch, error)
      this.#end(queue, batch)
    }
  }

  async #execute(batch: Waiting<Request, Result>[], lockWait: LockWait): Promise<Result[]> {
    const requests = batch.map(({ request }) => request)
    const execute = () => detached(() => this.#work.execute(requests, lockWait))
    const run = runOf(batch)
    const began = performance.now()
    try {
      return await (this.#observer === undefined ? execute() : this.#observer.around(run, execute))
    } finally {
      const msPerRow = (performance.now() - began) / Math.max(run.rows, 1)
      for (const { lifetime, rows } of batch) lifetime?.charge(msPerRow * rows)
    }
  }
}

const rowsOf = (batch: readonly Waiting<unknown, never>[]): number => batch.reduce((sum, { rows }) => sum + rows, 0)

const runOf = (batch: readonly Waiting<unknown, never>[]) => ({
  origins: batch.map(({ origin }) => origin),
  rows: rowsOf(batch),
})

const queueFull = () =>
  new StatusError('RESOURCE_EXHAUSTED', 'queue_full', 'The server is overloaded; try again shortly.', {
    retryAfterSeconds: 1,
  })
