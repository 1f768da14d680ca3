/**
 * Runs work sequentially for each key, and limits how much runs concurrently, in two queues that do not wait for each
 * other: one for work that may take long, and one for all other work.
 */

import { beforeTheEnd } from '../lifetime.ts'
import { StatusError } from '../status-error.ts'
import { FairSlots } from './fair-slots.ts'

const WAITING_PER_KEY_MAX = 100

/** The locks for which a piece of work waits. */
export interface Turn {
  /** Work with the same key runs sequentially. */
  keys: readonly string[]
  /** The tenant of the work: tenants take turns. */
  tenant: string
  queue: 'short' | 'long'
}

export class KeyedQueue {
  /** The keys that are taken, each with the work that waits for it. */
  readonly #taken = new Map<string, (() => void)[]>()
  readonly #slots: Record<Turn['queue'], FairSlots>

  /** Each of the two queues runs `concurrency` pieces of work at the same time. */
  constructor(concurrency: number) {
    this.#slots = { short: new FairSlots(concurrency), long: new FairSlots(concurrency) }
  }

  /** Runs `work` when all keys and a slot are free. Keys are taken in one order and the slot last, which prevents deadlocks. */
  async run<T>({ keys, tenant, queue }: Turn, work: () => Promise<T>): Promise<T> {
    const taken: string[] = []
    try {
      for (const key of [...new Set(keys)].sort()) {
        await this.#take(key)
        taken.push(key)
      }
      return await this.#slots[queue].run(tenant, work)
    } finally {
      for (const key of taken) this.#release(key)
    }
  }

  /** Returns how much work waits for a key or a slot. */
  get waiting(): number {
    const forKeys = [...this.#taken.values()].reduce((sum, { length }) => sum + length, 0)
    return forKeys + this.#slots.short.waiting + this.#slots.long.waiting
  }

  isTaken(keys: readonly string[]): boolean {
    return keys.some((key) => this.#taken.has(key))
  }

  async #take(key: string): Promise<void> {
    const waiting = this.#taken.get(key)
    if (waiting === undefined) this.#taken.set(key, [])
    else if (waiting.length < WAITING_PER_KEY_MAX) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      await beforeTheEnd(promise, () => {
        const place = waiting.indexOf(resolve)
        return place >= 0 && waiting.splice(place, 1).length > 0
      })
    } else
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
