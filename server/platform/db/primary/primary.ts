/**
 * Knows which PostgreSQL server of `DATABASE_URL` is the primary, and lets connections be used only while they lead to it
 * (ADR 0063). Every connection is examined when it is opened, and all hosts repeatedly. When another server becomes the
 * primary, every connection to the former one is closed, with the statements under way.
 */
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import { isUnconfirmed } from '../pg-errors.ts'
import { type PostgresHost, placeOf } from '../postgres-url.ts'
import {
  type Choice,
  choose,
  type Examined,
  isSameCluster,
  type Known,
  knownTimeline,
  notReady,
  type Report,
} from './choose.ts'
import { isRecorded, recordPrimary, supersede } from './epochs.ts'
import { examine, type ServerState } from './server-state.ts'
import { WatchedHost } from './watched-host.ts'

const WATCH_MS = 1_000
/** A single address is watched over new connections, each of which costs a process of PostgreSQL. */
const WATCH_ONE_MS = 5_000
const WATCH_WITHOUT_PRIMARY_MS = 200

export interface PrimaryOptions {
  /** Watches the hosts, and records each primary in the database before it is used. */
  watch: boolean
  /** Reports that another server is the primary now, or why there is none. */
  onChange?(message: string, details: object): void
}

export interface PrimaryStatus {
  /** Whether the primary responded when it was last examined. */
  isSeen: boolean
  timeline: number | null
  /** How often another server or timeline became the one in use, since the process started. */
  changes: number
  /** Why no server may be used. */
  refusal: Choice['refusal']
  /** How many bytes of the log the standbys do not have yet, by host. */
  standbys: readonly { host: string; behindBytes: number }[]
}

export class Primary {
  readonly #reports: Report[]
  readonly #watched: WatchedHost[]
  readonly #options: PrimaryOptions
  readonly #clients = new Set<pg.ClientBase>()
  #current: PostgresHost
  /** The server that connections may lead to. */
  #adopted: Pick<ServerState, 'systemIdentifier' | 'timeline'> | undefined
  #known: Known | undefined
  #refusal: Choice['refusal']
  #deciding: Promise<void> = Promise.resolve()
  #changes = 0

  constructor(hosts: readonly [PostgresHost, ...PostgresHost[]], config: pg.ClientConfig, options: PrimaryOptions) {
    this.#options = options
    this.#current = hosts[0]
    this.#reports = hosts.map((host) => ({ host }))
    this.#watched = hosts.map(
      (host, index) =>
        new WatchedHost(host, {
          config,
          isMoving: hosts.length === 1,
          everyMs: () => this.#everyMs(),
          onReport: (state, error) => this.#note(index, { host, state, error }),
        }),
    )
  }

  /** The host that new connections lead to. */
  get host(): PostgresHost {
    return this.#current
  }

  get status(): PrimaryStatus {
    const primary = this.#currentReport?.state
    const standbys = this.#reports.flatMap(({ host, state }) =>
      state?.inRecovery && primary?.logBytes && state.logBytes !== null
        ? [{ host: placeOf(host), behindBytes: Math.max(primary.logBytes - state.logBytes, 0) }]
        : [],
    )
    const { timeline = null } = this.#adopted ?? {}
    const isSeen = this.#refusal === undefined && primary?.inRecovery === false
    return { isSeen, timeline, changes: this.#changes, refusal: this.#refusal, standbys }
  }

  get #currentReport(): Report | undefined {
    return this.#reports.find(({ host }) => host === this.#current)
  }

  #everyMs(): number {
    if (this.#refusal !== undefined || this.#currentReport?.error !== undefined) return WATCH_WITHOUT_PRIMARY_MS
    return this.#reports.length === 1 ? WATCH_ONE_MS : WATCH_MS
  }

  /** Throws why no server may be used. */
  throwIfRefused(): void {
    if (this.#refusal !== undefined) throw this.#refusal
  }

  /** Examines all hosts, so that the first decision knows of each. Throws why there is no primary. */
  async find(): Promise<void> {
    await Promise.all(this.#watched.map((watched) => watched.look()))
    await this.#decide()
    this.throwIfRefused()
    const silent = this.#reports.find(({ error }) => error !== undefined)?.error
    if (this.#adopted === undefined && silent !== undefined) throw silent
  }

  start(): void {
    if (this.#options.watch) for (const watched of this.#watched) watched.start()
  }

  /** Something suggests that the primary changed: a connection broke, or leads to another server. */
  suspect(): void {
    if (this.#options.watch) for (const watched of this.#watched) watched.wake()
  }

  /** Examines a new connection. Throws if it does not lead to the primary. */
  async admit(client: pg.ClientBase, host: PostgresHost): Promise<void> {
    const state = await examine(client)
    const { primary, refusal } = choose([{ host, state }], this.#known, host)
    if (primary === undefined || !this.#isAdopted(state) || !this.#isRecorded(state)) {
      this.suspect()
      throw refusal ?? new Error('Connection terminated: another server became the primary')
    }
    this.throwIfRefused()
    this.#clients.add(client)
    client.once('end', () => this.#clients.delete(client))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#watched.map((watched) => watched.stop()))
    await this.#deciding
  }

  async #note(index: number, report: Report): Promise<void> {
    this.#reports[index] = report
    // The first decision waits until every host was examined, see `find`.
    if (this.#reports.every(({ state, error }) => state !== undefined || error !== undefined)) await this.#decide()
  }

  /** Sequentially: adopting a primary takes some round trips. */
  #decide(): Promise<void> {
    this.#deciding = this.#deciding.then(() => this.#decideNow())
    return this.#deciding
  }

  async #decideNow(): Promise<void> {
    const { primary, refusal, former } = choose(this.#reports, this.#known, this.#current)
    this.#learn(primary)
    if (refusal !== undefined) return this.#refuse(refusal)
    if (primary === undefined) return
    const isFirst = this.#adopted === undefined
    if (!this.#isAdopted(primary.state) || !this.#isRecorded(primary.state)) {
      // Before anything else is decided from the former primary.
      this.#refusal ??= notReady(primary.host, 'is being adopted')
      this.#disconnect()
      if (!(await this.#adopt(primary))) return
    }
    if (this.#current !== primary.host || this.#refusal !== undefined) {
      if (this.#current !== primary.host) this.#disconnect()
      this.#current = primary.host
      this.#refusal = undefined
      if (!isFirst)
        this.#report(`PostgreSQL at ${placeOf(primary.host)} is the primary`, { timeline: primary.state.timeline })
    }
    await this.#fence(former, primary)
  }

  /** Remembers the cluster, and the latest timeline of it, also when its server is gone again. */
  #learn(primary: Examined | undefined): void {
    this.#known ??= primary && { systemIdentifier: primary.state.systemIdentifier, timeline: 0 }
    if (this.#known === undefined) return
    for (const { state } of this.#reports)
      if (state !== undefined && isSameCluster(state, this.#known))
        this.#known.timeline = Math.max(this.#known.timeline, knownTimeline(state))
  }

  #isAdopted({ systemIdentifier, timeline }: ServerState): boolean {
    const known = this.#adopted
    return known?.systemIdentifier === systemIdentifier && known?.timeline === timeline
  }

  #isRecorded(state: ServerState): boolean {
    return !this.#options.watch || isRecorded(state)
  }

  /** Records the primary in its database. Returns whether it may be used. */
  async #adopt({ host, state }: Examined): Promise<boolean> {
    const watched = this.#watched[this.#reports.findIndex((report) => report.host === host)]
    try {
      if (this.#options.watch && !isRecorded(state) && watched !== undefined)
        await watched.use(async (client) => {
          let isConfirmed = true
          client.once('notice', (notice) => {
            if (isUnconfirmed(notice)) isConfirmed = false
          })
          await recordPrimary(client, state, this.#adopted === undefined)
          state.epoch = (await examine(client)).epoch
          if (!isConfirmed || !isRecorded(state)) throw new Error('its standbys do not confirm changes')
        })
    } catch (error) {
      this.#refuse(notReady(host, `cannot be used yet: ${(error as Error).message}`))
      return false
    }
    if (this.#adopted !== undefined) this.#changes++
    this.#adopted = { systemIdentifier: state.systemIdentifier, timeline: state.timeline }
    return true
  }

  #refuse(refusal: Choice['refusal']): void {
    if (this.#refusal?.message !== refusal?.message) this.#report(refusal?.message ?? '', {})
    this.#refusal = refusal
    this.#disconnect()
  }

  /** Marks former primaries that still run. One that refuses the mark is not used by this process all the same. */
  async #fence(former: readonly Examined[], { state: { timeline } }: Examined): Promise<void> {
    for (const { host, state } of former) {
      if (timeline === null || state.timeline === null || state.timeline >= timeline) continue
      if ((state.epoch?.supersededBy ?? 0) >= timeline) continue
      const watched = this.#watched[this.#reports.findIndex((report) => report.host === host)]
      const found = { timeline: state.timeline, later: timeline }
      this.#report(`PostgreSQL at ${placeOf(host)} is a former primary that still runs`, found)
      await watched?.use((client) => supersede(client, timeline)).catch(() => {})
    }
  }

  /** Closes every connection; statements under way fail as if the server had. */
  #disconnect(): void {
    for (const client of this.#clients) sever(client)
    this.#clients.clear()
  }

  #report(message: string, details: object): void {
    this.#options.onChange?.(message, details)
  }
}

/** Breaks a connection as a network does. The driver fails what it has under way, and the pool opens another connection. */
function sever(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: Duplex } }
  connection.stream.destroy(new Error('Connection terminated: the server is not the primary any more'))
}
