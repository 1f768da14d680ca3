/**
 * The queue of a coalescer: requests wait by tenant, and the tenants take turns, so that a tenant with many requests delays
 * only its own. A tenant is a workspace, or before authentication the `caller` of the request.
 */

import type { Lifetime } from '../lifetime.ts'

/** The number of rows of one tenant that may wait. */
const TENANT_ROWS_MAX = 100_000
/** The limit of all tenants together. Above it, only tenants with more than an equal share are refused. */
const ROWS_MAX = 400_000
/** How many requests of a tenant are examined for those that a run beside others may have. */
const EXAMINED_MAX = 1_000

export interface Waiting<Request, Result> {
  request: Request
  tenant: string
  rows: number
  /** The locks of the request: runs that are under way at the same time have no lock in common. */
  locks: readonly string[]
  origin: unknown
  lifetime: Lifetime | undefined
  queue: RequestQueue<Request, Result>
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export class RequestQueue<Request, Result> {
  /** The tenants in the order of their turns. */
  readonly #tenants = new Map<string, Waiting<Request, Result>[]>()
  /** The rows of the requests that wait, here or in a lane of the coalescer. */
  readonly #rowsOf = new Map<string, number>()
  /** The locks of the runs under way. */
  readonly #locked = new Set<string>()
  readonly #concurrency: number
  readonly #rowsBeside: number
  #runs = 0
  #scheduled = false
  rows = 0

  /** At most `concurrency` runs are under way. Beside another, one begins only with at least `rowsBeside` rows. */
  constructor(concurrency: number, rowsBeside = 1) {
    this.#concurrency = concurrency
    this.#rowsBeside = rowsBeside
  }

  get isIdle(): boolean {
    return this.#runs === 0 && !this.#scheduled && this.#tenants.size === 0
  }

  admits(tenant: string, rows: number): boolean {
    const own = (this.#rowsOf.get(tenant) ?? 0) + rows
    const share = ROWS_MAX / (this.#rowsOf.size + (this.#rowsOf.has(tenant) ? 0 : 1))
    return own <= TENANT_ROWS_MAX && (this.rows + rows <= ROWS_MAX || own <= share)
  }

  push(waiting: Waiting<Request, Result>): void {
    const queued = this.#tenants.get(waiting.tenant)
    if (queued === undefined) this.#tenants.set(waiting.tenant, [waiting])
    else queued.push(waiting)
  }

  /** Counts the rows of a request that begins to wait; `leave` when it no longer does. */
  enter({ tenant, rows }: Waiting<Request, Result>): void {
    this.rows += rows
    this.#rowsOf.set(tenant, (this.#rowsOf.get(tenant) ?? 0) + rows)
  }

  leave({ tenant, rows }: Waiting<Request, Result>): void {
    this.rows -= rows
    const left = (this.#rowsOf.get(tenant) ?? 0) - rows
    if (left > 0) this.#rowsOf.set(tenant, left)
    else this.#rowsOf.delete(tenant)
  }

  /**
   * Removes the requests of the next run from the queue, in turns of their tenants, and returns them: up to `rowsMax`
   * rows, but at least one request, or none if too few requests may run beside the runs under way. For example, tenant A
   * has requests of 100, 100 and 20 rows, and B one of 60. The first turn takes 100 of A and 60 of B. The second would
   * exceed 256 rows with the next request of A, so A takes no more, although its third would fit: a tenant keeps its order.
   */
  take(rowsMax: number, mayRunBeside: () => boolean): Waiting<Request, Result>[] {
    if (this.#runs > 0 && (this.rows < this.#rowsBeside || !mayRunBeside())) return []
    const batch: Waiting<Request, Result>[] = []
    const candidates = [...this.#tenants].map(([tenant, queued]) => ({ tenant, next: this.#unlocked(queued) }))
    let rows = 0
    for (let turn = candidates; turn.length > 0; ) {
      const again: typeof candidates = []
      for (const candidate of turn) {
        const { value: first } = candidate.next.next()
        if (first === undefined || (batch.length > 0 && rows + first.rows > rowsMax)) continue
        batch.push(first)
        rows += first.rows
        again.push(candidate)
      }
      turn = again
    }
    if (this.#runs > 0 && rows < this.#rowsBeside) return []
    this.#remove(batch)
    return batch
  }

  /** Yields the requests that share no lock with a run under way, nor with an earlier request that waits for one. */
  *#unlocked(queued: readonly Waiting<Request, Result>[]): Generator<Waiting<Request, Result>, undefined, undefined> {
    const locked = new Set(this.#locked)
    for (const waiting of locked.size === 0 ? queued : queued.slice(0, EXAMINED_MAX))
      if (!waiting.locks.some((lock) => locked.has(lock))) yield waiting
      else for (const lock of waiting.locks) locked.add(lock)
  }

  /** The next turn of the tenants of a batch comes after all others. */
  #remove(batch: readonly Waiting<Request, Result>[]): void {
    const removed = new Set(batch)
    for (const tenant of new Set(batch.map(({ tenant }) => tenant))) {
      const left = this.#tenants.get(tenant)?.filter((waiting) => !removed.has(waiting)) ?? []
      this.#tenants.delete(tenant)
      if (left.length > 0) this.#tenants.set(tenant, left)
    }
    for (const waiting of batch) this.leave(waiting)
  }

  /** Calls `run` soon, unless it will be called anyway, or as many runs as may be are under way. */
  schedule(run: () => void): void {
    if (this.#scheduled || this.#runs >= this.#concurrency || this.#tenants.size === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      run()
    })
  }

  begin(batch: readonly Waiting<Request, Result>[]): void {
    this.#runs++
    for (const lock of batch.flatMap(({ locks }) => locks)) this.#locked.add(lock)
  }

  end(batch: readonly Waiting<Request, Result>[]): void {
    this.#runs--
    for (const lock of batch.flatMap(({ locks }) => locks)) this.#locked.delete(lock)
  }
}
