/** Sums up calls: how many would work on Commonhold, and which would differ or fail, most severe first. */

import { type Finding, VERDICTS, type Verdict } from './findings.ts'
import type { RecordedCall } from './recording.ts'

export interface SummaryEntry {
  verdict: Finding['verdict']
  path: string
  reason: string
  message: string
  calls: number
}

/** Different findings that are kept; a program has some dozens. Further ones are only counted. */
const ENTRIES_MAX = 1_000

export class Summary {
  calls = 0
  readonly verdicts: Record<Verdict, number> = { works: 0, differs: 0, strict: 0, fails: 0 }
  /** Lines of a recording that were not written to their end. */
  damaged = 0
  /** Calls with findings that are not among the entries. */
  others = 0
  readonly headerPrefixes = new Set<string>()
  readonly #entries = new Map<string, SummaryEntry>()

  add({ path, verdict, findings, headerPrefix }: RecordedCall): void {
    this.calls++
    this.verdicts[verdict]++
    if (headerPrefix !== undefined && this.headerPrefixes.size < ENTRIES_MAX) this.headerPrefixes.add(headerPrefix)
    const seen = new Set<string>()
    for (const { verdict, reason, message } of findings) {
      const text = message.replaceAll(/\[\d+\]/g, '[]')
      const key = JSON.stringify([path, verdict, reason, text])
      if (seen.has(key)) continue
      seen.add(key)
      const entry = this.#entries.get(key)
      if (entry !== undefined) entry.calls++
      else if (this.#entries.size >= ENTRIES_MAX) this.others++
      else this.#entries.set(key, { verdict, path, reason, message: text, calls: 1 })
    }
  }

  /** The worst first, then by path. */
  get entries(): SummaryEntry[] {
    const rank = ({ verdict }: SummaryEntry) => -VERDICTS.indexOf(verdict)
    return [...this.#entries.values()].sort(
      (one, other) => rank(one) - rank(other) || (one.path < other.path ? -1 : one.path > other.path ? 1 : 0),
    )
  }
}
