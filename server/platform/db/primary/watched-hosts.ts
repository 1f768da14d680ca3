/** The hosts of `DATABASE_URL`, each watched, and the last report of each. */
import type pg from 'pg'
import type { PostgresHost } from '../postgres-url.ts'
import type { Report } from './choose.ts'
import { WatchedHost } from './watched-host.ts'

export interface WatchedHostsOptions {
  config: pg.ClientConfig
  everyMs(): number
  /** Something new is known of a host, and every host was examined. */
  onReport(): Promise<void>
}

export class WatchedHosts {
  readonly #reports: Report[]
  readonly #watched: readonly WatchedHost[]
  readonly #onReport: WatchedHostsOptions['onReport']

  constructor(hosts: readonly PostgresHost[], { config, everyMs, onReport }: WatchedHostsOptions) {
    this.#reports = hosts.map((host) => ({ host }))
    this.#onReport = onReport
    this.#watched = hosts.map((host, index) => {
      const note = (state: Report['state'], error: Report['error']) => this.#note(index, { host, state, error })
      return new WatchedHost(host, { config, isMoving: hosts.length === 1, everyMs, onReport: note })
    })
  }

  get reports(): readonly Report[] {
    return this.#reports
  }

  reportOf(host: PostgresHost): Report | undefined {
    return this.#reports.find((report) => report.host.url === host.url)
  }

  at(host: PostgresHost): WatchedHost | undefined {
    return this.#watched.find((watched) => watched.host.url === host.url)
  }

  async look(): Promise<void> {
    await Promise.all(this.#watched.map((watched) => watched.look()))
  }

  start(): void {
    for (const watched of this.#watched) watched.start()
  }

  /** Examines all hosts now. */
  wake(): void {
    for (const watched of this.#watched) watched.wake()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#watched.map((watched) => watched.stop()))
  }

  async #note(index: number, report: Report): Promise<void> {
    this.#reports[index] = report
    if (this.#reports.every(({ state, error }) => state !== undefined || error !== undefined)) await this.#onReport()
  }
}
