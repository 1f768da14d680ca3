/** Marks former primaries that still run, so that servers that reach only them stop using them too (ADR 0063). */
import { placeOf } from '../postgres-url.ts'
import type { Examined } from './choose.ts'
import { supersede } from './epochs.ts'
import type { WatchedHost } from './watched-host.ts'

export class Fence {
  readonly #report: (message: string, details: object) => void
  /** The timelines that were reported, by host. */
  readonly #reported = new Map<string, string>()
  readonly #marking = new Set<string>()

  constructor(report: (message: string, details: object) => void) {
    this.#report = report
  }

  /** Marks a former primary; nothing waits for it. One that refuses the mark is not used by this process all the same. */
  mark({ host, state }: Examined, { state: { timeline } }: Examined, watched: WatchedHost | undefined): void {
    if (timeline === null || state.timeline === null || state.timeline >= timeline) return
    const found = { timeline: state.timeline, later: timeline }
    const key = Object.values(found).join()
    if (this.#reported.get(host.url) !== key)
      this.#report(`PostgreSQL at ${placeOf(host)} is a former primary that still runs`, found)
    this.#reported.set(host.url, key)
    if ((state.epoch?.supersededBy ?? 0) >= timeline || this.#marking.has(host.url)) return
    this.#marking.add(host.url)
    void watched
      ?.use((client) => supersede(client, state, timeline))
      .catch(() => {})
      .finally(() => this.#marking.delete(host.url))
  }
}
