/**
 * The micro-batcher: joins the rows of all calls that wait for the same statement into one run of it. There is no
 * timer: the first caller schedules a drain, and while a run is under way callers queue, so batches appear only under
 * load (ADR 0003). What one call sends is one *request*; it is answered whole, and never suffers from a neighbour:
 *
 * - after an unexpected error of a shared run its requests run one after the other, so that a poisoned one hurts only itself;
 * - after a lost connection, where the run may have happened, only idempotent work is run again, once and together: no
 *   request is to blame for it, and one at a time each would wait for the next connection;
 * - a shared run waits for locks only briefly; then its requests are tried lane by lane (a lane is a set of organizations),
 *   and only a lane that is locked then too waits patiently: one tenant's long delete cannot hold up another's calls;
 * - what waited patiently and in vain fails whole: one that waits never becomes many;
 * - what belongs to the transaction of its caller is not shared at all.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  DEADLOCK,
  isCode,
  isConnectionLost,
  LOCK_NOT_AVAILABLE,
  QUERY_CANCELED,
  SERIALIZATION_FAILURE,
} from './db/pg-errors.ts'
import { StatusError } from './status-error.ts'

const SLOW_LANES_AT_ONCE = 2
const ROWS_PER_RUN_MAX = 256
/** Of each of the two lines. */
const QUEUED_ROWS_MAX = 100_000
const TRIES_MAX = 5

export type Patience = 'brief' | 'patient'

export interface Work<Request, Answer> {
  /** Of the statement. */
  name: string
  /** Runs all requests at once and answers them in order. `brief`: give up on a lock soon, with `lock_not_available`. */
  execute(requests: Request[], patience: Patience): Promise<Answer[]>
  /** The rows of a request; a run takes at most 256. Larger requests run alone, beside the others, so that they starve nobody. */
  rows(request: Request): number
  /** Requests of one lane may have to wait for the same lock. */
  lane(request: Request): string
  /** May be run again when it is not known whether it happened. */
  idempotent: boolean
  /** Whether the caller of this moment has a transaction of its own that the request is to be part of (ADR 0009). */
  inCallerTransaction?(): boolean
}

/** Watches the runs, each of the requests of `origins`. */
export interface RunObserver {
  /** Asked when a request is put in, and kept with it. */
  origin(): unknown
  around<T>(run: { origins: readonly unknown[]; rows: number }, execute: () => Promise<T>): Promise<T>
}

interface Waiting<Request, Answer> {
  request: Request
  rows: number
  origin: unknown
  line: Line<Request, Answer>
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/** Requests that wait for one run after the other. A second run at once would mostly wait for the locks of the first. */
class Line<Request, Answer> {
  readonly queue: Waiting<Request, Answer>[] = []
  /** Rows of its requests that wait, here or in a lane. */
  queuedRows = 0
  /** A run is under way, or scheduled. */
  busy = false
}

export class Coalescer<Request, Answer> {
  readonly #work: Work<Request, Answer>
  readonly #line = new Line<Request, Answer>()
  readonly #bulkLine = new Line<Request, Answer>()
  /** The lanes of failed runs are tried one after the other, off the line: this many, the last of them now. */
  #trials = 0
  #lastTrial = Promise.resolve()
  /** Lanes that proved slow, with what waits for them, until they are empty. */
  readonly #slow = new Map<string, Waiting<Request, Answer>[]>()
  #slowRunning = 0
  #observer: RunObserver | undefined

  constructor(work: Work<Request, Answer>) {
    this.#work = work
  }

  get name(): string {
    return this.#work.name
  }

  /** Rows of requests that wait for a run. */
  get queuedRows(): number {
    return this.#line.queuedRows + this.#bulkLine.queuedRows
  }

  /** Sets of organizations that others hold locked for long. */
  get slowLanes(): number {
    return this.#slow.size
  }

  observe(observer: RunObserver): void {
    this.#observer = observer
  }

  run(request: Request): Promise<Answer> {
    if (this.#work.inCallerTransaction?.())
      return this.#work.execute([request], 'patient').then(([answer]) => answer as Answer)
    const rows = this.#work.rows(request)
    const line = rows > ROWS_PER_RUN_MAX ? this.#bulkLine : this.#line
    if (line.queuedRows + rows > QUEUED_ROWS_MAX)
      return Promise.reject(
        new StatusError('RESOURCE_EXHAUSTED', 'queue_full', 'The server is overloaded; try again shortly.', {
          retryAfterSeconds: 1,
        }),
      )
    return new Promise((resolve, reject) => {
      const waiting = { request, rows, origin: this.#observer?.origin(), line, resolve, reject }
      const slowLane = this.#slow.size > 0 ? this.#slow.get(this.#work.lane(request)) : undefined
      line.queuedRows += rows
      if (slowLane !== undefined) slowLane.push(waiting)
      else {
        line.queue.push(waiting)
        if (!line.busy) this.#schedule(line)
      }
    })
  }

  /** Resolves when nothing is queued or running. New requests are still taken: stop the callers first. */
  async drained(): Promise<void> {
    while (this.#line.busy || this.#bulkLine.busy || this.#trials > 0 || this.#slow.size > 0) await sleep(5)
  }

  #schedule(line: Line<Request, Answer>): void {
    line.busy = true
    setImmediate(() => {
      void this.#shared(this.#take(line.queue)).finally(() => {
        if (line.queue.length > 0) this.#schedule(line)
        else line.busy = false
      })
    })
  }

  /** Takes off `queue` what fits into one run. */
  #take(queue: Waiting<Request, Answer>[]): Waiting<Request, Answer>[] {
    let rows = 0
    let count = 0
    for (const waiting of queue) {
      if (count > 0 && rows + waiting.rows > ROWS_PER_RUN_MAX) break
      rows += waiting.rows
      waiting.line.queuedRows -= waiting.rows
      count++
    }
    return queue.splice(0, count)
  }

  async #shared(batch: Waiting<Request, Answer>[]): Promise<void> {
    try {
      await this.#answer(batch, 'brief')
    } catch (error) {
      const lanes = isCode(error, LOCK_NOT_AVAILABLE, QUERY_CANCELED)
        ? [...Map.groupBy(batch, ({ request }) => this.#work.lane(request)).values()]
        : []
      if (lanes.length > 1) for (const lane of lanes) this.#tryApart(lane)
      else if (isCode(error, LOCK_NOT_AVAILABLE)) this.#toSlowLane(batch)
      else if (this.#isFinal(error)) for (const { reject } of batch) reject(error)
      else if (isConnectionLost(error)) await this.#alone(batch, 'brief')
      else for (const waiting of batch) await this.#alone([waiting], 'brief')
    }
  }

  async #answer(batch: Waiting<Request, Answer>[], patience: Patience): Promise<void> {
    const requests = batch.map(({ request }) => request)
    const execute = () => this.#work.execute(requests, patience)
    const answers = await (this.#observer === undefined ? execute() : this.#observer.around(runOf(batch), execute))
    for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
  }

  /** Requests of one lane, and again when they only lost a race. When they are impatient and it is locked, it becomes slow. */
  async #alone(batch: Waiting<Request, Answer>[], patience: Patience): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#answer(batch, patience)
        return
      } catch (error) {
        if (attempt < TRIES_MAX && isCode(error, DEADLOCK, SERIALIZATION_FAILURE)) {
          await sleep(Math.random() * 10 * attempt)
          continue
        }
        if (patience === 'brief' && isCode(error, LOCK_NOT_AVAILABLE)) this.#toSlowLane(batch)
        else if (batch.length === 1 || isConnectionLost(error) || this.#isFinal(error))
          for (const { reject } of batch) reject(error)
        else for (const waiting of batch) await this.#alone([waiting], patience)
        return
      }
    }
  }

  /** To ask again would take as long again, or do twice what may have happened. */
  #isFinal(error: unknown): boolean {
    return isCode(error, QUERY_CANCELED, LOCK_NOT_AVAILABLE) || (isConnectionLost(error) && !this.#work.idempotent)
  }

  #tryApart(batch: Waiting<Request, Answer>[]): void {
    for (const { line, rows } of batch) line.queuedRows += rows
    this.#trials++
    this.#lastTrial = this.#lastTrial.then(async () => {
      for (const { line, rows } of batch) line.queuedRows -= rows
      if (this.#slow.has(this.#laneOf(batch))) this.#toSlowLane(batch)
      else await this.#alone(batch, 'brief')
      this.#trials--
    })
  }

  #laneOf([first]: Waiting<Request, Answer>[]): string {
    return first === undefined ? '' : this.#work.lane(first.request)
  }

  /** `batch` is of one lane. */
  #toSlowLane(batch: Waiting<Request, Answer>[]): void {
    for (const { line, rows } of batch) line.queuedRows += rows
    const lane = this.#laneOf(batch)
    const queued = this.#slow.get(lane)
    if (queued !== undefined) queued.push(...batch)
    else {
      this.#slow.set(lane, [...batch])
      void this.#workOff(lane)
    }
  }

  async #workOff(lane: string): Promise<void> {
    while (this.#slowRunning >= SLOW_LANES_AT_ONCE) await sleep(5)
    this.#slowRunning++
    const queued = this.#slow.get(lane) ?? []
    while (queued.length > 0) await this.#alone(this.#take(queued), 'patient')
    this.#slow.delete(lane)
    this.#slowRunning--
  }
}

const runOf = (batch: readonly Waiting<unknown, never>[]) => ({
  origins: batch.map(({ origin }) => origin),
  rows: batch.reduce((sum, { rows }) => sum + rows, 0),
})
