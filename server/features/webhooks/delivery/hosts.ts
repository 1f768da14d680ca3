/**
 * Limits the requests to each host, over all endpoints that name it: anybody can name any host, and must not flood it through
 * this server. Each process counts its own requests.
 */
import { type Trial, Window, type WindowLimits } from './window.ts'

const WINDOW: WindowLimits = { first: 16, min: 4, max: 256 }
const SECOND_MS = 1_000
/** How many windows are remembered of hosts with no request under way. */
const REMEMBERED_MAX = 10_000

export class Hosts {
  readonly #perSecond: number
  readonly #windows = new Map<string, Window>()
  /** The requests to each host since `#since`. */
  #counts = new Map<string, number>()
  #since = 0

  /** `perSecond`: 0 means no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond || Number.POSITIVE_INFINITY
  }

  /** Returns how many requests the host may get now. */
  left(host: string): number {
    const now = performance.now()
    if (now - this.#since >= SECOND_MS) {
      this.#since = now
      this.#counts = new Map()
    }
    return Math.min(this.#windows.get(host)?.left ?? WINDOW.first, this.#perSecond - (this.#counts.get(host) ?? 0))
  }

  begin(host: string): void {
    const window = this.#windows.get(host) ?? new Window(WINDOW)
    window.running++
    this.#windows.set(host, window)
    this.#counts.set(host, (this.#counts.get(host) ?? 0) + 1)
  }

  end(host: string, trial: Trial): void {
    const window = this.#windows.get(host)
    window?.end(trial)
    if (window?.running === 0 && (window.size === WINDOW.first || this.#windows.size > REMEMBERED_MAX))
      this.#windows.delete(host)
  }
}
