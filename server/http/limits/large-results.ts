/**
 * Reads with large results take turns. Making a megabyte of response out of rows holds the event loop for 10 to 20 ms, and results
 * that arrive together hold it for all of them, while everybody else waits. The size of a result is known only afterwards, so for
 * some seconds after a large one, the reads of the same operation for the same tenant run one at a time. A first burst is not limited.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { FairSlots } from '#platform/queues/fair-slots.ts'

const LARGE_CHARACTERS = 128 * 1024
const REMEMBERED_MS = 5_000
const REMEMBERED_MAX = 10_000
/** The pause after a large response: two to three times as long as making it held the event loop, so that others run. */
const CHARACTERS_PER_MS = 32 * 1024

/** The reads of one operation for one tenant. */
interface Queue {
  slots: FairSlots
  forgetAt: number
}

export class LargeResults {
  /** The queues by tenant and operation, in order of time. */
  readonly #queues = new Map<string, Queue>()

  /** Makes a response; waits for a turn if there was a large one less than `REMEMBERED_MS` ago. */
  async make(tenant: string, operation: string, make: () => Promise<string | Buffer>): Promise<string | Buffer> {
    const name = `${tenant} ${operation}`
    const queue = this.#queues.get(name)
    const inTurn = queue !== undefined && queue.forgetAt > performance.now()
    const response = await (inTurn ? makeInTurn(queue.slots, tenant, make) : make())
    if (response.length > LARGE_CHARACTERS) this.#remember(name)
    return response
  }

  #remember(name: string): void {
    const now = performance.now()
    const slots = this.#queues.get(name)?.slots ?? new FairSlots(1)
    this.#queues.delete(name)
    this.#queues.set(name, { slots, forgetAt: now + REMEMBERED_MS })
    if (this.#queues.size < REMEMBERED_MAX) return
    for (const [old, { forgetAt }] of this.#queues) if (forgetAt <= now) this.#queues.delete(old)
  }
}

/** The response need not wait for the pause, which only delays the next turn. */
function makeInTurn(slots: FairSlots, tenant: string, make: () => Promise<string | Buffer>): Promise<string | Buffer> {
  return new Promise((resolve, reject) => {
    const turn = slots.run(tenant, async () => {
      const response = await make()
      resolve(response)
      await sleep(response.length / CHARACTERS_PER_MS)
    })
    turn.catch(reject)
  })
}
