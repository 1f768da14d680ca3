/**
 * How many requests a process has under way at once: so many in all, and few to each endpoint. One that answers well is
 * given more, up to a bound; one that fails or is slow gets one at a time, and all those that fail together only a part, so that however
 * many hang there is room for the others.
 */
const IN_FLIGHT_MAX = 512
const FAILING_MAX = 128
const FIRST_WINDOW = 2
const WINDOW_MAX = 64
const QUICK_MS = 1_000
/** Endpoints whose window is remembered while nothing is under way. */
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

  /** Whether anything may be taken now, and of whom: so many endpoints that work, so many that fail, and none of `full`. */
  free(): { full: number[]; working: number; failing: number } {
    const full = [...this.#slots].flatMap(([key, { running, window }]) => (running < window ? [] : [key]))
    const working = Math.max(IN_FLIGHT_MAX - this.#running, 0)
    return { full, working, failing: Math.min(Math.max(FAILING_MAX - this.#failing, 0), working) }
  }

  /** How many each of these may have now: what its window leaves, and no more than its share of what is left in all. */
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
