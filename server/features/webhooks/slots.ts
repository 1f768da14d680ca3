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

  /** What may be taken now, as the values of the statement that takes it. */
  free(): { values: unknown[]; some: boolean } {
    const busy = [...this.#slots]
    const keys = busy.map(([key]) => key)
    const slots = busy.map(([, { running, window }]) => Math.max(window - running, 0))
    const all = Math.max(IN_FLIGHT_MAX - this.#running, 0)
    const failing = Math.min(Math.max(FAILING_MAX - this.#failing, 0), all)
    return { values: [keys, slots, all, failing, FIRST_WINDOW, all], some: all > 0 }
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
