/** One after the other where the key is the same, and only so many at once: so that what waits for one key leaves room for the rest. */
import { StatusError } from './status-error.ts'

const WAITING_PER_KEY_MAX = 100

export class KeyedQueue {
  /** The keys that are taken, each with those who wait for it. */
  readonly #taken = new Map<string, (() => void)[]>()
  readonly #waitingForPlace: (() => void)[] = []
  #freePlaces: number

  constructor(atOnce: number) {
    this.#freePlaces = atOnce
  }

  /** Runs `work` when all `keys` are free and there is room. Keys are taken in one order, and a place only after them: no circle of waiting. */
  async run<T>(keys: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const taken: string[] = []
    try {
      for (const key of [...new Set(keys)].sort()) {
        await this.#take(key)
        taken.push(key)
      }
      if (this.#freePlaces > 0) this.#freePlaces--
      else await new Promise<void>((resolve) => this.#waitingForPlace.push(resolve))
      try {
        return await work()
      } finally {
        const next = this.#waitingForPlace.shift()
        if (next === undefined) this.#freePlaces++
        else next()
      }
    } finally {
      for (const key of taken) this.#release(key)
    }
  }

  /** How many wait: for a key, or for a place. */
  get waiting(): number {
    return [...this.#taken.values()].reduce((sum, { length }) => sum + length, this.#waitingForPlace.length)
  }

  isTaken(keys: readonly string[]): boolean {
    return keys.some((key) => this.#taken.has(key))
  }

  async #take(key: string): Promise<void> {
    const waiting = this.#taken.get(key)
    if (waiting === undefined) this.#taken.set(key, [])
    else if (waiting.length < WAITING_PER_KEY_MAX) await new Promise<void>((resolve) => waiting.push(resolve))
    else
      throw new StatusError('RESOURCE_EXHAUSTED', 'queue_full', 'Too much waits for the same; try again shortly.', {
        retryAfterSeconds: 1,
      })
  }

  #release(key: string): void {
    const next = this.#taken.get(key)?.shift()
    if (next === undefined) this.#taken.delete(key)
    else next()
  }
}
