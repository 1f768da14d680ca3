/**
 * The micro-batcher: joins the rows of all calls that wait for the same statement into one run of it. There is no
 * timer: the first caller schedules a drain, and while a run is under way callers queue, so batches appear only under
 * load (ADR 0003). What one call sends is one *request*; it is answered whole, and never suffers from a neighbour:
 *
 * - an unexpected error of a shared run is re-run request by request, so that a poisoned one hurts only itself;
 * - after a lost connection, where the run may have happened, only idempotent work is run again;
 * - a shared run waits for locks only briefly; then its requests go on lane by lane (a lane is an organization), so
 *   that one tenant's long delete cannot hold up another's calls.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DEADLOCK, isCode, isConnectionLost, LOCK_NOT_AVAILABLE, SERIALIZATION_FAILURE } from './db/pg-errors.ts'
import { StatusError } from './status-error.ts'

const SLOW_LANES_AT_ONCE = 2
const ROWS_PER_RUN_MAX = 256
const QUEUED_ROWS_MAX = 100_000
const TRIES_MAX = 5

export type Patience = 'brief' | 'patient'

export interface Work<Request, Answer> {
  /** Runs all requests at once and answers them in order. `brief`: give up on a lock soon, with `lock_not_available`. */
  execute(requests: Request[], patience: Patience): Promise<Answer[]>
  /** The rows of a request; a run takes at most 256. Larger requests run alone, beside the others, so that they starve nobody. */
  rows(request: Request): number
  /** Requests of one lane may have to wait for the same lock. */
  lane(request: Request): string
  /** May be run again when it is not known whether it happened. */
  idempotent: boolean
}

interface Waiting<Request, Answer> {
  request: Request
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/** Requests that wait for one run after the other. A second run at once would mostly wait for the locks of the first. */
class Line<Request, Answer> {
  readonly queue: Waiting<Request, Answer>[] = []
  /** A run is under way, or scheduled. */
  busy = false
}

export class Coalescer<Request, Answer> {
  readonly #work: Work<Request, Answer>
  readonly #line = new Line<Request, Answer>()
  readonly #bulkLine = new Line<Request, Answer>()
  #queuedRows = 0
  /** Lanes that proved slow, with what waits for them, until they are empty. */
  readonly #slow = new Map<string, Waiting<Request, Answer>[]>()
  #slowRunning = 0

  constructor(work: Work<Request, Answer>) {
    this.#work = work
  }

  run(request: Request): Promise<Answer> {
    const rows = this.#work.rows(request)
    if (this.#queuedRows + rows > QUEUED_ROWS_MAX)
      return Promise.reject(
        new StatusError('RESOURCE_EXHAUSTED', 'queue_full', 'The server is overloaded; try again shortly.', {
          retryAfterSeconds: 1,
        }),
      )
    return new Promise((resolve, reject) => {
      const waiting = { request, resolve, reject }
      const slowLane = this.#slow.size > 0 ? this.#slow.get(this.#work.lane(request)) : undefined
      this.#queuedRows += rows
      if (slowLane !== undefined) slowLane.push(waiting)
      else {
        const line = rows > ROWS_PER_RUN_MAX ? this.#bulkLine : this.#line
        line.queue.push(waiting)
        if (!line.busy) this.#schedule(line)
      }
    })
  }

  /** Resolves when nothing is queued or running. New requests are still taken: stop the callers first. */
  async drained(): Promise<void> {
    while (this.#line.busy || this.#bulkLine.busy || this.#slow.size > 0) await sleep(5)
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
    for (const { request } of queue) {
      const more = this.#work.rows(request)
      if (count > 0 && rows + more > ROWS_PER_RUN_MAX) break
      rows += more
      count++
    }
    this.#queuedRows -= rows
    return queue.splice(0, count)
  }

  async #shared(batch: Waiting<Request, Answer>[]): Promise<void> {
    try {
      await this.#answer(batch, 'brief')
    } catch (error) {
      if (isCode(error, LOCK_NOT_AVAILABLE)) this.#toSlowLanes(batch)
      else if (this.#mayHaveHappened(error)) for (const { reject } of batch) reject(error)
      else await Promise.all(batch.map((waiting) => this.#alone([waiting])))
    }
  }

  async #answer(batch: Waiting<Request, Answer>[], patience: Patience): Promise<void> {
    const answers = await this.#work.execute(
      batch.map(({ request }) => request),
      patience,
    )
    for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
  }

  /** Without company, and again when it only lost a race. */
  async #alone(batch: Waiting<Request, Answer>[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#answer(batch, 'patient')
        return
      } catch (error) {
        if (attempt < TRIES_MAX && isCode(error, DEADLOCK, SERIALIZATION_FAILURE)) {
          await sleep(Math.random() * 10 * attempt)
        } else if (batch.length > 1 && !this.#mayHaveHappened(error)) {
          await Promise.all(batch.map((waiting) => this.#alone([waiting])))
          return
        } else {
          for (const { reject } of batch) reject(error)
          return
        }
      }
    }
  }

  /** And must not happen twice. */
  #mayHaveHappened(error: unknown): boolean {
    return isConnectionLost(error) && !this.#work.idempotent
  }

  #toSlowLanes(batch: Waiting<Request, Answer>[]): void {
    const begun: string[] = []
    for (const waiting of batch) {
      this.#queuedRows += this.#work.rows(waiting.request)
      const lane = this.#work.lane(waiting.request)
      const queued = this.#slow.get(lane)
      if (queued !== undefined) queued.push(waiting)
      else {
        this.#slow.set(lane, [waiting])
        begun.push(lane)
      }
    }
    for (const lane of begun) void this.#workOff(lane)
  }

  async #workOff(lane: string): Promise<void> {
    while (this.#slowRunning >= SLOW_LANES_AT_ONCE) await sleep(5)
    this.#slowRunning++
    const queued = this.#slow.get(lane) ?? []
    while (queued.length > 0) await this.#alone(this.#take(queued))
    this.#slow.delete(lane)
    this.#slowRunning--
  }
}
