/**
 * The lanes of a coalescer, where the requests of a shared run that failed are retried (ADR 0003). A lane is a set of
 * organizations: its requests may wait for the same lock. Lanes are retried sequentially, beside the queues. Only a lane that
 * is still locked becomes slow, and waits as long as a statement may run. So a long deletion of one tenant cannot delay the
 * calls of another.
 *
 * For example, a run has two requests about `acme`, which is locked by its deletion, and one about `beta`. After 50 ms the run
 * fails for all three. There are two lanes: `acme` is retried, fails again after 50 ms, and becomes slow; then `beta` is retried
 * and succeeds. Requests about `acme` that arrive now join its slow lane instead of delaying another run. When the deletion has
 * ended, the slow lane runs them together and is removed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  DEADLOCK,
  isCode,
  isConnectionLost,
  LOCK_NOT_AVAILABLE,
  QUERY_CANCELED,
  SERIALIZATION_FAILURE,
} from '../db/pg-errors.ts'
import type { Waiting } from './request-queue.ts'

const SLOW_LANES_CONCURRENT_MAX = 2
/** Maximum rows per run; a larger request runs alone. */
export const ROWS_PER_RUN_MAX = 256
const TRIES_MAX = 5

/** How long a run waits for a lock: briefly, or as long as a statement may run. */
export type LockWait = 'brief' | 'full'

export interface LanesOptions<Request, Result> {
  laneOf(waiting: Waiting<Request, Result>): string
  /** May be retried when it is unknown whether it took effect. */
  idempotent: boolean
  execute(batch: Waiting<Request, Result>[], lockWait: LockWait): Promise<Result[]>
}

export class Lanes<Request, Result> {
  readonly #options: LanesOptions<Request, Result>
  /** Lanes that wait for their retry, or have it. */
  #retries = 0
  #lastRetry = Promise.resolve()
  /** Slow lanes with their waiting requests, until they are empty. */
  readonly #slow = new Map<string, Waiting<Request, Result>[]>()
  #slowRunning = 0

  constructor(options: LanesOptions<Request, Result>) {
    this.#options = options
  }

  /** The number of slow lanes. */
  get slow(): number {
    return this.#slow.size
  }

  get isIdle(): boolean {
    return this.#retries === 0 && this.#slow.size === 0
  }

  /** Adds a request to its lane if that is slow. Returns whether it is. */
  join(waiting: Waiting<Request, Result>): boolean {
    const queued = this.#slow.size > 0 ? this.#slow.get(this.#options.laneOf(waiting)) : undefined
    queued?.push(waiting)
    return queued !== undefined
  }

  /** Retries the requests of a failed run, or rejects them. */
  async retry(batch: Waiting<Request, Result>[], error: unknown): Promise<void> {
    const lanes = isCode(error, LOCK_NOT_AVAILABLE, QUERY_CANCELED)
      ? [...Map.groupBy(batch, this.#options.laneOf).values()]
      : []
    if (lanes.length > 1) for (const lane of lanes) this.#retryLane(lane)
    else if (isCode(error, LOCK_NOT_AVAILABLE)) this.#slowDown(batch)
    else if (this.#isFinal(error)) for (const { reject } of batch) reject(error)
    else if (isConnectionLost(error)) await this.#run(batch, 'brief')
    else for (const waiting of batch) await this.#run([waiting], 'brief')
  }

  #retryLane(batch: Waiting<Request, Result>[]): void {
    for (const waiting of batch) waiting.queue.enter(waiting)
    this.#retries++
    this.#lastRetry = this.#lastRetry.then(async () => {
      for (const waiting of batch) waiting.queue.leave(waiting)
      if (this.#slow.has(this.#laneOf(batch))) this.#slowDown(batch)
      else await this.#run(batch, 'brief')
      this.#retries--
    })
  }

  /** Runs requests of one lane, and retries them after a lost race. If a brief wait for a lock fails, the lane becomes slow. */
  async #run(batch: Waiting<Request, Result>[], lockWait: LockWait): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        deliver(batch, await this.#options.execute(batch, lockWait))
        return
      } catch (error) {
        if (attempt < TRIES_MAX && isCode(error, DEADLOCK, SERIALIZATION_FAILURE)) {
          await sleep(Math.random() * 10 * attempt)
          continue
        }
        if (lockWait === 'brief' && isCode(error, LOCK_NOT_AVAILABLE)) this.#slowDown(batch)
        else if (batch.length === 1 || isConnectionLost(error) || this.#isFinal(error))
          for (const { reject } of batch) reject(error)
        else for (const waiting of batch) await this.#run([waiting], lockWait)
        return
      }
    }
  }

  /** Returns whether an error must not be retried: a retry would take as long again, or repeat a change that may have taken effect. */
  #isFinal(error: unknown): boolean {
    return isCode(error, QUERY_CANCELED, LOCK_NOT_AVAILABLE) || (isConnectionLost(error) && !this.#options.idempotent)
  }

  #laneOf([first]: Waiting<Request, Result>[]): string {
    return first === undefined ? '' : this.#options.laneOf(first)
  }

  /** Moves the requests of one lane to their slow lane. */
  #slowDown(batch: Waiting<Request, Result>[]): void {
    for (const waiting of batch) waiting.queue.enter(waiting)
    const lane = this.#laneOf(batch)
    const queued = this.#slow.get(lane)
    if (queued !== undefined) queued.push(...batch)
    else {
      this.#slow.set(lane, [...batch])
      void this.#runSlow(lane)
    }
  }

  async #runSlow(lane: string): Promise<void> {
    while (this.#slowRunning >= SLOW_LANES_CONCURRENT_MAX) await sleep(5)
    this.#slowRunning++
    const queued = this.#slow.get(lane) ?? []
    while (queued.length > 0) await this.#run(takeRun(queued), 'full')
    this.#slow.delete(lane)
    this.#slowRunning--
  }
}

/** Removes the first requests that fit into one run, and returns them. */
function takeRun<Request, Result>(requests: Waiting<Request, Result>[]): Waiting<Request, Result>[] {
  let rows = 0
  let count = 0
  for (const waiting of requests) {
    if (count > 0 && rows + waiting.rows > ROWS_PER_RUN_MAX) break
    rows += waiting.rows
    waiting.queue.leave(waiting)
    count++
  }
  return requests.splice(0, count)
}

export function deliver<Result>(batch: readonly Waiting<unknown, Result>[], results: readonly Result[]): void {
  for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
}
