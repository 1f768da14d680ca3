/**
 * The lifetime of a request: it ends when the caller hangs up or the deadline passes. From then on the database does nothing
 * more for it: committed changes remain, everything else is rolled back. The async context carries it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { StatusError } from './status-error.ts'

const storage = new AsyncLocalStorage<Lifetime | undefined>()

export const currentLifetime = (): Lifetime | undefined => storage.getStore()

/** Runs work that several requests share: the end of one of them must not end it. */
export const detached = <T>(work: () => T): T => storage.run(undefined, work)

/** Nobody waits for the result: the end of the work, not a fault of the server. */
export class Abandoned extends StatusError {
  constructor() {
    super('DEADLINE_EXCEEDED', 'took_too_long', 'The caller hung up before the response.')
  }
}

type Listener = (why: StatusError) => void

export interface LifetimeOptions {
  /** Names the request where an operator of the database sees it. */
  name: string
  /** The tenant whose share of the connections it uses. */
  tenant: string
  timeoutMs: number
  /** Called with the time for which a statement or transaction of the request used a connection. */
  charge(ms: number): void
}

export class Lifetime {
  readonly name: string
  readonly tenant: string
  readonly charge: (ms: number) => void
  #deadline: number
  #why: StatusError | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #listeners = new Set<Listener>()

  constructor({ name, tenant, timeoutMs, charge }: LifetimeOptions) {
    this.name = name
    this.tenant = tenant
    this.charge = charge
    this.#deadline = performance.now() + timeoutMs
  }

  run<T>(work: () => T): T {
    return storage.run(this, work)
  }

  /** Why it has ended, or undefined. */
  get ended(): StatusError | undefined {
    if (this.#why === undefined && performance.now() >= this.#deadline) this.#finish(tookTooLong())
    return this.#why
  }

  throwIfEnded(): void {
    if (this.ended !== undefined) throw this.ended
  }

  /** Postpones the deadline of a request whose work may take longer than usual. */
  extend(ms: number): void {
    this.#deadline = Math.max(this.#deadline, performance.now() + ms)
  }

  hangUp(): void {
    this.#finish(new Abandoned())
  }

  /** Calls `listener` when it ends. Returns a function that removes the listener, which must be called. */
  onEnd(listener: Listener): () => void {
    this.#listeners.add(listener)
    this.#arm()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearTimeout(this.#timer)
      this.#timer = undefined
    }
  }

  /** The timer runs only while somebody listens: most requests never need one. */
  #arm(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (this.ended === undefined) this.#arm() // it was extended
    }, this.#deadline - performance.now()).unref()
  }

  #finish(why: StatusError): void {
    if (this.#why !== undefined) return
    this.#why = why
    for (const listener of [...this.#listeners]) listener(why)
  }
}

const tookTooLong = () =>
  new StatusError(
    'DEADLINE_EXCEEDED',
    'took_too_long',
    'The call took too long; what it had not committed was rolled back.',
  )

/**
 * Waits for `turn`, and throws if the current request ends first. `withdraw` gives up the place in the queue; it
 * returns false if the turn has just begun, which then must be used.
 */
export function beforeTheEnd(turn: Promise<void>, withdraw: () => boolean): Promise<void> {
  const lifetime = currentLifetime()
  if (lifetime === undefined) return turn
  return new Promise((resolve, reject) => {
    const remove = lifetime.onEnd((why) => {
      if (withdraw()) reject(why)
      remove()
    })
    void turn.then(() => {
      remove()
      resolve()
    })
  })
}
