/**
 * Limits wrong credentials by address (rules/contract.md#wrong-credentials). An address above the limit costs almost
 * nothing: one unknown credential of it is looked up at a time, with a pause after each wrong one, and the others are
 * refused late, because a caller who waits for responses then sends less. Credentials that were valid here before are
 * looked up as always, so a stale worker does not lock out its neighbours behind the same address. Nobody is admitted
 * without a look-up.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { FairSlots } from '#platform/queues/fair-slots.ts'
import { StatusError } from '#platform/status-error.ts'
import { rateLimitKey, secondsUntilReset } from './rate-limit.ts'

const SECONDS = 60
/** The pause after a wrong credential of an address above the limit. */
const PAUSE_MS = 50
/** The time for which a refusal without a look-up is held back, and the number of refusals that are held at the same time. */
const REFUSAL_DELAY_MS = 500
const DELAYED_MAX = 1_000
/** How many unknown credentials of an address above the limit wait: in all, and for one account. */
const WAITING_MAX = 32
const WAITING_FOR_ACCOUNT_MAX = 2
const REMEMBERED_MAX = 10_000

/** The credentials of a call. */
export interface Shown {
  address: string
  /** The API key or workspace that the call names: those of an address take turns. */
  account: string
  /** A hash of all credentials. */
  credential: string
}

export class FailedCredentials {
  readonly #max: number
  readonly #limiter: RateLimiterMemory
  readonly #valid = new Remembered()
  /** The addresses above the limit that look up unknown credentials. */
  readonly #queues = new Map<string, Queue>()
  #delayed = 0

  /** Allows `max` wrong credentials a minute for each address; 0 means no limit. */
  constructor(max: number) {
    this.#max = max
    this.#limiter = new RateLimiterMemory({ points: max, duration: SECONDS })
  }

  /**
   * Runs `check`, which returns undefined or throws UNAUTHENTICATED if the credentials are wrong. Throws RESOURCE_EXHAUSTED
   * instead above the limit, perhaps without running it.
   */
  async attempt<Found>(shown: Shown, check: () => Promise<Found>): Promise<Found> {
    if (this.#max === 0) return check()
    if (this.#valid.has(shown.credential)) return this.#counted(shown, check)
    const key = rateLimitKey(shown.address)
    const state = await this.#limiter.get(key)
    if (state === null || state.consumedPoints < this.#max) return this.#counted(shown, check)
    const run = () => this.#counted(shown, check)
    const queue = this.#queues.get(key) ?? new Queue(() => this.#queues.delete(key))
    this.#queues.set(key, queue)
    const tooMany = this.#tooMany(state)
    const earlier = queue.lookUpOf(shown.credential)
    if (earlier === undefined && queue.hasRoomFor(shown)) return queue.run(shown, run)
    // The same credentials are being looked up: if they are valid, every call with them is looked up as always.
    await earlier
    if (this.#valid.has(shown.credential)) return run()
    await this.#delay()
    throw tooMany
  }

  async #delay(): Promise<void> {
    if (this.#delayed >= DELAYED_MAX) return
    this.#delayed++
    await sleep(REFUSAL_DELAY_MS, undefined, { ref: false })
    this.#delayed--
  }

  async #counted<Found>({ address, credential }: Shown, check: () => Promise<Found>): Promise<Found> {
    try {
      const found = await check()
      if (found === undefined) await this.#count(address, credential)
      else this.#valid.add(credential)
      return found
    } catch (error) {
      const status = error instanceof StatusError ? error.status : undefined
      if (status === 'PERMISSION_DENIED') this.#valid.add(credential) // they are valid, and may do something else
      if (status === 'UNAUTHENTICATED') await this.#count(address, credential)
      throw error
    }
  }

  /** Counts a wrong credential. Throws above the limit. */
  async #count(address: string, credential: string): Promise<void> {
    this.#valid.delete(credential)
    const state = await this.#limiter.penalty(rateLimitKey(address))
    if (state.consumedPoints > this.#max) throw this.#tooMany(state)
  }

  #tooMany(state: { msBeforeNext: number }): StatusError {
    return new StatusError(
      'RESOURCE_EXHAUSTED',
      'rate_limited',
      `Too many calls with wrong credentials from this address: the limit is ${this.#max} in ${SECONDS} seconds.`,
      { retryAfterSeconds: Math.max(secondsUntilReset(state, SECONDS), 1) },
    )
  }
}

/** The look-ups of one address above the limit, one at a time, accounts in turns. */
class Queue {
  readonly #slots = new FairSlots(1)
  /** The look-ups in progress by credential. They end with the look-up, whatever it finds, and stay until the pause after it. */
  readonly #lookUps = new Map<string, Promise<unknown>>()
  readonly #accounts = new Map<string, number>()
  readonly #over: () => void

  /** `over` is called when nothing waits any more. */
  constructor(over: () => void) {
    this.#over = over
  }

  lookUpOf = (credential: string): Promise<unknown> | undefined => this.#lookUps.get(credential)

  hasRoomFor = ({ account }: Shown): boolean =>
    this.#lookUps.size < WAITING_MAX && (this.#accounts.get(account) ?? 0) < WAITING_FOR_ACCOUNT_MAX

  /** Runs a look-up in its turn. */
  run<Found>({ account, credential }: Shown, lookUp: () => Promise<Found>): Promise<Found> {
    this.#accounts.set(account, (this.#accounts.get(account) ?? 0) + 1)
    const { promise, resolve, reject } = Promise.withResolvers<Found>()
    this.#lookUps.set(
      credential,
      promise.catch(() => {}),
    )
    const turn = this.#slots.run(account, async () => {
      const isWrong = await lookUp().then(
        (found) => resolve(found),
        (error: unknown) => {
          reject(error)
          return true
        },
      )
      if (isWrong) await sleep(PAUSE_MS, undefined, { ref: false })
    })
    void turn.finally(() => this.#leave(account, credential))
    return promise
  }

  #leave(account: string, credential: string): void {
    this.#lookUps.delete(credential)
    const left = (this.#accounts.get(account) ?? 1) - 1
    if (left > 0) this.#accounts.set(account, left)
    else this.#accounts.delete(account)
    if (this.#lookUps.size === 0) this.#over()
  }
}

/** A bounded set that forgets what was added long ago. */
class Remembered {
  #recent = new Set<string>()
  #older = new Set<string>()

  has = (value: string): boolean => this.#recent.has(value) || this.#older.has(value)

  add(value: string): void {
    if (this.#recent.has(value)) return
    if (this.#recent.size >= REMEMBERED_MAX) {
      this.#older = this.#recent
      this.#recent = new Set()
    }
    this.#recent.add(value)
  }

  delete(value: string): void {
    this.#recent.delete(value)
    this.#older.delete(value)
  }
}
