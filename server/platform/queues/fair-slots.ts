/**
 * Slots that tenants share. Waiting tenants take turns. A tenant gets another slot only while it has fewer than the fraction
 * `part` of the free slots, so a newcomer always finds one. For example, one tenant alone can have half of the slots if `part`
 * is 1, and a quarter if it is a third.
 */
import { beforeTheEnd } from '../lifetime.ts'

export class FairSlots {
  /** Waiting work by tenant, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #held = new Map<string, number>()
  readonly #part: number
  #free: number

  constructor(slots: number, part = 1) {
    this.#free = slots
    this.#part = part
  }

  /** Returns how much work waits. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0)
  }

  /** Runs `work` in a slot. */
  async run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    if (this.#mayTake(tenant)) this.#take(tenant)
    else await this.#turnOf(tenant)
    try {
      return await work()
    } finally {
      this.#release(tenant)
    }
  }

  #mayTake(tenant: string): boolean {
    const held = this.#held.get(tenant) ?? 0
    return this.#free > 0 && held < Math.max(this.#free * this.#part, 1)
  }

  #take(tenant: string): void {
    this.#free--
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + 1)
  }

  #turnOf(tenant: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const queued = this.#waiting.get(tenant) ?? []
    queued.push(resolve)
    this.#waiting.set(tenant, queued)
    return beforeTheEnd(promise, () => {
      const place = queued.indexOf(resolve)
      if (place < 0) return false
      queued.splice(place, 1)
      if (queued.length === 0) this.#waiting.delete(tenant)
      return true
    })
  }

  #release(tenant: string): void {
    this.#free++
    const held = (this.#held.get(tenant) ?? 1) - 1
    if (held > 0) this.#held.set(tenant, held)
    else this.#held.delete(tenant)
    while (this.#free > 0 && this.#beginNext());
  }

  /** Begins the work whose turn it is. Returns false if nobody who waits may take a slot. */
  #beginNext(): boolean {
    for (const [next, queued] of this.#waiting) {
      if (!this.#mayTake(next)) continue
      this.#take(next)
      this.#waiting.delete(next) // its next turn comes after all others
      const begin = queued.shift()
      if (queued.length > 0) this.#waiting.set(next, queued)
      begin?.()
      return true
    }
    return false
  }
}
