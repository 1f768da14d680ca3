/**
 * Reads with large results take turns. Making a megabyte of response out of rows holds the event loop for 10 to 20 ms, and results
 * that arrive together hold it for all of them, while everybody else waits. How large a result is shows only afterwards, so what
 * decides is the last result of the same operation for the same tenant.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { FairSlots } from '#platform/fair-slots.ts'

const LARGE_CHARACTERS = 128 * 1024
const REMEMBERED_MS = 1_000
/** After a large response its tenant pauses for about as long as making it held the event loop: half of the time is for others. */
const CHARACTERS_PER_MS = 32 * 1024
/** Of several tenants: each has one at a time. */
const AT_ONCE = 4
const FORGET_ABOVE = 10_000

export class LargeResults {
  readonly #slots = new FairSlots(AT_ONCE, 1 / AT_ONCE)
  /** When the last large result of an operation for a tenant is forgotten, in the order of their times. */
  readonly #forgetAt = new Map<string, number>()

  /** Makes a response, in a turn if the one before was large. */
  async make(tenant: string, operation: string, make: () => Promise<string>): Promise<string> {
    const name = `${tenant} ${operation}`
    const response = this.#isLarge(name) ? await this.#inTurn(tenant, make) : await make()
    this.#forgetAt.delete(name)
    if (response.length > LARGE_CHARACTERS) this.#remember(name)
    return response
  }

  #isLarge(name: string): boolean {
    return (this.#forgetAt.get(name) ?? 0) > performance.now()
  }

  #inTurn(tenant: string, make: () => Promise<string>): Promise<string> {
    return this.#slots.run(tenant, async () => {
      const response = await make()
      await sleep(response.length / CHARACTERS_PER_MS)
      return response
    })
  }

  #remember(name: string): void {
    const now = performance.now()
    this.#forgetAt.set(name, now + REMEMBERED_MS)
    if (this.#forgetAt.size < FORGET_ABOVE) return
    for (const [old, forgetAt] of this.#forgetAt) if (forgetAt <= now) this.#forgetAt.delete(old)
  }
}
