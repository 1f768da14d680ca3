/** Runs work sequentially for each key, and limits how much runs concurrently: work that waits for one key leaves room for the rest. */
import { StatusError } from './status-error.ts'

const WAITING_PER_KEY_MAX = 100

export class KeyedQueue {
  /** The keys that are taken, each with the work that waits for it. */
  readonly #taken = new Map<string, (() => void)[]>()
  readonly #waitingForSlot: (() => void)[] = []
  #freeSlots: number

  constructor(concurrency: number) {
    this.#freeSlots = concurrency
  }

  /** Runs `work` when all `keys` and a slot are free. Keys are taken in one order and the slot last, which prevents deadlocks. */
  async run<T>(keys: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const taken: string[] = []
    try {
      for (const key of [...new Set(keys)].sort()) {
        await this.#take(key)
        taken.push(key)
      }
      if (this.#freeSlots > 0) this.#freeSlots--
      else await new Promise<void>((resolve) => this.#waitingForSlot.push(resolve))
      try {
        return await work()
      } finally {
        const next = this.#waitingForSlot.shift()
        if (next === undefined) this.#freeSlots++
        else next()
      }
    } finally {
      for (const key of taken) this.#release(key)
    }
  }

  /** Returns how much work waits for a key or a slot. */
  get waiting(): number {
    return [...this.#taken.values()].reduce((sum, { length }) => sum + length, this.#waitingForSlot.length)
  }

  isTaken(keys: readonly string[]): boolean {
    return keys.some((key) => this.#taken.has(key))
  }

  async #take(key: string): Promise<void> {
    const waiting = this.#taken.get(key)
    if (waiting === undefined) this.#taken.set(key, [])
    else if (waiting.length < WAITING_PER_KEY_MAX) await new Promise<void>((resolve) => waiting.push(resolve))
    else
      throw new StatusError(
        'RESOURCE_EXHAUSTED',
        'queue_full',
        'Too many changes are waiting for the same organization or API key; try again shortly.',
        {
          retryAfterSeconds: 1,
        },
      )
  }

  #release(key: string): void {
    const next = this.#taken.get(key)?.shift()
    if (next === undefined) this.#taken.delete(key)
    else next()
  }
}
