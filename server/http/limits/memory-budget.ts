/**
 * The memory that tenants may hold in large bodies and responses. Workspaces share it, so one does not get more by
 * having more API keys.
 */
import { getHeapStatistics } from 'node:v8'
import { StatusError } from '#platform/status-error.ts'

/** Smaller bodies and responses are not counted: the number of concurrent calls bounds them. */
const SMALL_BYTES = 64 * 1024
/** A parsed body and the data derived from it take about ten times its bytes, a response about three times. */
const BYTES_MAX = getHeapStatistics().heap_size_limit / 16

/**
 * The bytes of large bodies and responses in memory. A tenant gets more only while it has fewer than are free, so
 * others always find some.
 */
export class MemoryBudget {
  readonly #held = new Map<string, number>()
  #free = BYTES_MAX

  /**
   * Returns the bytes that were counted, for `give`. Small bodies are not counted, and neither are bodies that must be
   * accepted although no memory is left.
   */
  take(tenant: string, bytes: number, always = false): number {
    if (!(bytes > SMALL_BYTES)) return 0
    const held = this.#held.get(tenant) ?? 0
    // A tenant that holds none may have a large one, however little is free.
    if (held > 0 && held + bytes > this.#free - bytes) {
      if (always) return 0
      throw new StatusError(
        'RESOURCE_EXHAUSTED',
        'rate_limited',
        'Too many large bodies and responses at once for this workspace; send large calls sequentially, and read each response before the next call.',
        { retryAfterSeconds: 1 },
      )
    }
    this.#held.set(tenant, held + bytes)
    this.#free -= bytes
    return bytes
  }

  give(tenant: string, bytes: number): void {
    if (bytes === 0) return
    this.#free += bytes
    const held = (this.#held.get(tenant) ?? 0) - bytes
    if (held > 0) this.#held.set(tenant, held)
    else this.#held.delete(tenant)
  }
}
