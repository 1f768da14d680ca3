/**
 * Limits the requests that a process has under way: in all, and to each endpoint by a window. The window grows while the
 * endpoint responds quickly, and shrinks when it fails or is slow. All failing endpoints together get a part of the total, so
 * that there is room for the others however many hang.
 */
const IN_FLIGHT_MAX = 512
const FAILING_MAX = 128
const FIRST_WINDOW = 2
const WINDOW_MAX = 64
const QUICK_MS = 1_000
/** How many windows are remembered of endpoints with no request under way. */
const REMEMBERED_MAX = 10_000

interface Slot {
  running: number
  window: number
  isFailing: boolean
}

export class Slots {
  readonly #slots = new Map<number, Slot>()
  #running = 0
  #failing = 0

  get running(): number {
    return this.#running
  }

  /** Returns how many endpoints that work, and how many that fail, may be served now, and those whose window is full. */
  free(): { full: number[]; working: number; failing: number } {
    const full = [...this.#slots].flatMap(([key, { running, window }]) => (running < window ? [] : [key]))
    const working = Math.max(IN_FLIGHT_MAX - this.#running, 0)
    return { full, working, failing: Math.min(Math.max(FAILING_MAX - this.#failing, 0), working) }
  }

  /** Returns how many deliveries each endpoint may have now: what its window leaves, at most its share of what is left in all. */
  shares(endpoints: readonly { endpointKey: number; works: boolean }[]): number[] {
    const share = Math.max(Math.floor((IN_FLIGHT_MAX - this.#running) / endpoints.length), 1)
    return endpoints.map(({ endpointKey, works }) => {
      const { running = 0, window = works ? FIRST_WINDOW : 1 } = this.#slots.get(endpointKey) ?? {}
      return Math.min(window - running, share)
    })
  }

  begin(endpointKey: number, isFailing: boolean): void {
    const slot = this.#slots.get(endpointKey) ?? { running: 0, window: isFailing ? 1 : FIRST_WINDOW, isFailing }
    if (slot.running === 0) slot.isFailing = isFailing
    slot.running++
    this.#running++
    if (slot.isFailing) this.#failing++
    this.#slots.set(endpointKey, slot)
  }

  end(endpointKey: number, { ok, durationMs }: { ok: boolean; durationMs: number }): void {
    const slot = this.#slots.get(endpointKey)
    if (slot === undefined) return
    slot.running--
    this.#running--
    if (slot.isFailing) this.#failing--
    slot.window = !ok
      ? 1
      : durationMs < QUICK_MS
        ? Math.min(slot.window + 1, WINDOW_MAX)
        : Math.max(slot.window >> 1, 1)
    if (slot.running === 0 && (slot.window <= FIRST_WINDOW || this.#slots.size > REMEMBERED_MAX))
      this.#slots.delete(endpointKey)
  }
}
