/**
 * The window of an endpoint or a host: the number of concurrent requests to it. It grows while responses are successful
 * and quick, and shrinks otherwise.
 */
const QUICK_MS = 1_000

export interface WindowLimits {
  first: number
  min: number
  max: number
}

export interface Trial {
  ok: boolean
  durationMs: number
}

export class Window {
  running = 0
  size: number
  readonly #limits: WindowLimits

  constructor(limits: WindowLimits) {
    this.#limits = limits
    this.size = limits.first
  }

  get left(): number {
    return Math.max(this.size - this.running, 0)
  }

  end({ ok, durationMs }: Trial): void {
    const { min, max } = this.#limits
    this.running--
    if (!ok) this.size = min
    else if (durationMs < QUICK_MS) this.size = Math.min(this.size + 1, max)
    else this.size = Math.max(this.size >> 1, min)
  }
}
