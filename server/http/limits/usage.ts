/** Finds the accounts that use the database most in each minute: for the metrics by rank, for the log by name. */
export interface Share {
  account: string
  ms: number
}

const LARGEST_COUNT = 5
const MINUTE_MS = 60_000

export class Usage {
  readonly #report: (largest: readonly Share[]) => void
  #now = new Map<string, number>()
  #since = performance.now()
  #last: readonly Share[] = []

  /** `report` is called with the largest after each minute in which the database was used. */
  constructor(report: (largest: readonly Share[]) => void) {
    this.#report = report
  }

  charge(account: string, ms: number): void {
    this.#rotate()
    this.#now.set(account, (this.#now.get(account) ?? 0) + ms)
  }

  /** Returns the largest shares of the minute before this one, the largest first. */
  largest(): readonly Share[] {
    this.#rotate()
    return this.#last
  }

  #rotate(): void {
    const minutes = Math.floor((performance.now() - this.#since) / MINUTE_MS)
    if (minutes === 0) return
    this.#last = minutes > 1 ? [] : largestOf(this.#now)
    this.#since += minutes * MINUTE_MS
    this.#now = new Map()
    if (this.#last.length > 0) this.#report(this.#last)
  }
}

const largestOf = (used: ReadonlyMap<string, number>): Share[] =>
  [...used]
    .map(([account, ms]) => ({ account, ms: Math.round(ms) }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, LARGEST_COUNT)
