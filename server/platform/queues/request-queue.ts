/**
 * The queue of a coalescer: requests wait by tenant, and the tenants take turns, so that a tenant with many requests delays
 * only its own. A tenant is a workspace, or before authentication the `caller` of the request.
 */

import type { Lifetime } from '../lifetime.ts'

/** For each tenant. */
const TENANT_ROWS_MAX = 100_000
/** For all tenants together. Above it, only those are refused that have more than an equal share of it. */
const ROWS_MAX = 400_000

export interface Waiting<Request, Result> {
  request: Request
  tenant: string
  rows: number
  origin: unknown
  lifetime: Lifetime | undefined
  queue: RequestQueue<Request, Result>
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export class RequestQueue<Request, Result> {
  /** In the order of their turns. */
  readonly #tenants = new Map<string, Waiting<Request, Result>[]>()
  /** The rows of the requests that wait, here or in a lane of the coalescer. */
  readonly #rowsOf = new Map<string, number>()
  /** Tenants with a run under way: each has one at a time. */
  readonly #running = new Set<string>()
  readonly #concurrency: number
  #runs = 0
  #scheduled = false
  rows = 0

  /** `concurrency`: the maximum number of concurrent runs. Runs of one tenant would mostly wait for each other's locks. */
  constructor(concurrency: number) {
    this.#concurrency = concurrency
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

  /** Removes the requests of the next run, in turns of their tenants, and returns them: up to `rowsMax` rows, at least one request. */
  take(rowsMax: number): Waiting<Request, Result>[] {
    const batch: Waiting<Request, Result>[] = []
    let rows = 0
    for (let fits = true; fits; ) {
      fits = false
      for (const [tenant, queued] of [...this.#tenants]) {
        const [first] = queued
        if (first === undefined || this.#running.has(tenant)) continue
        if (batch.length > 0 && rows + first.rows > rowsMax) continue
        batch.push(first)
        rows += first.rows
        fits = true
        queued.shift()
        if (queued.length > 0 && this.#tenants.size === 1) continue
        this.#tenants.delete(tenant) // its next turn comes after all others
        if (queued.length > 0) this.#tenants.set(tenant, queued)
      }
    }
    for (const waiting of batch) this.leave(waiting)
    return batch
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
    for (const { tenant } of batch) this.#running.add(tenant)
  }

  end(batch: readonly Waiting<Request, Result>[]): void {
    this.#runs--
    for (const { tenant } of batch) this.#running.delete(tenant)
  }
}
