/**
 * Knows which PostgreSQL server of `DATABASE_URL` is the primary, and lets connections be used only while they lead to
 * it (ADR 0063). Every connection is examined when it is opened, and all hosts repeatedly. When another server becomes
 * the primary, every connection to the former one is closed, even if a statement is under way.
 */
import type pg from 'pg'
import { type PostgresHost, placeOf } from '../postgres-url.ts'
import { type Choice, choose, type Examined, type Known, learn, notReady, type Report } from './choose.ts'
import { isRecorded, recordPrimary } from './epochs.ts'
import { Fence } from './fence.ts'
import { Admitted } from './primary-connections.ts'
import { examine, type ServerState } from './server-state.ts'
import { type PrimaryStatus, standbysOf } from './status.ts'
import { WatchedHosts } from './watched-hosts.ts'

const WATCH_MS = 1_000
/** A single address is watched over new connections, each of which costs a process of PostgreSQL. */
const WATCH_ONE_MS = 5_000
const WATCH_WITHOUT_PRIMARY_MS = 200
/** After the one address has led to another cluster for this time, it counts as moved there. */
const MOVED_MS = 3_000

export interface PrimaryOptions {
  /** Watches the hosts, and records each primary in the database before it is used. */
  watch: boolean
  /** Reports that another server is the primary now, or why there is none. */
  onChange?(message: string, details: object): void
  /** The only host leads to another cluster, whose events have to be made valid by a start. */
  onMoved?(message: string): void
}

export class Primary {
  readonly #hosts: WatchedHosts
  readonly #options: PrimaryOptions
  readonly #admitted = new Admitted()
  readonly #fence: Fence
  #current: PostgresHost
  /** The server that connections may lead to. */
  #adopted: Pick<ServerState, 'systemIdentifier' | 'timeline'> | undefined
  #known: Known | undefined
  #refusal: Choice['refusal']
  #deciding: Promise<void> = Promise.resolve()
  /** Whether it has committed a change since it was adopted, as its standbys must confirm. A read-only one has not. */
  #isConfirmed = false
  #movedAt: number | undefined
  #changes = 0

  constructor(hosts: readonly [PostgresHost, ...PostgresHost[]], config: pg.ClientConfig, options: PrimaryOptions) {
    this.#options = options
    this.#current = hosts[0]
    const watching = { config, everyMs: () => this.#everyMs(), onReport: () => this.#decide() }
    this.#hosts = new WatchedHosts(hosts, watching)
    this.#fence = new Fence((message, details) => this.#report(message, details))
  }

  /** The host that new connections lead to. */
  get host(): PostgresHost {
    return this.#current
  }

  get status(): PrimaryStatus {
    const primary = this.#currentReport?.state
    const { timeline = null } = this.#adopted ?? {}
    const isSeen = this.#refusal === undefined && primary?.inRecovery === false
    const standbys = standbysOf(this.#hosts.reports, primary)
    return { isSeen, timeline, changes: this.#changes, refusal: this.#refusal, standbys }
  }

  get #currentReport(): Report | undefined {
    return this.#hosts.reportOf(this.#current)
  }

  #everyMs(): number {
    if (this.#refusal !== undefined || this.#currentReport?.error !== undefined) return WATCH_WITHOUT_PRIMARY_MS
    return this.#hosts.reports.length === 1 ? WATCH_ONE_MS : WATCH_MS
  }

  /** Throws why no server may be used. */
  throwIfRefused(): void {
    if (this.#refusal !== undefined) throw this.#refusal
  }

  /** Examines all hosts, so that the first decision knows of each. Throws why there is no primary. */
  async find(): Promise<void> {
    await this.#hosts.look()
    await this.#decide()
    this.throwIfRefused()
    const silent = this.#hosts.reports.find(({ error }) => error !== undefined)?.error
    if (this.#adopted === undefined && silent !== undefined) throw silent
  }

  start(): void {
    if (this.#options.watch) this.#hosts.start()
  }

  /** Something suggests that the primary changed: a connection broke, or leads to another server. */
  suspect(): void {
    if (this.#options.watch) this.#hosts.wake()
  }

  /** From now on, the connection is closed when another server becomes the primary. */
  opens(client: pg.ClientBase): void {
    this.#admitted.add(client)
  }

  /** Examines a new connection. Throws if it does not lead to the primary. */
  async admit(client: pg.ClientBase, host: PostgresHost): Promise<void> {
    const state = await examine(client)
    const { primary, refusal } = choose([{ host, state }], this.#known, host)
    if (primary === undefined || !this.#mayLeadTo(state)) {
      learn(this.#known, state)
      this.#hosts.at(host)?.renew()
      this.suspect()
      throw refusal ?? new Error('Connection terminated: another server became the primary')
    }
    this.throwIfRefused()
    // A change that is made before the primary is recorded could get the number of a lost event.
    if (this.#options.watch && !this.#isConfirmed) await client.query('set default_transaction_read_only = on')
  }

  async stop(): Promise<void> {
    await this.#hosts.stop()
    await this.#deciding
  }

  /** Sequentially: adopting a primary takes some round trips. A failure is of this decision alone. */
  #decide(): Promise<void> {
    this.#deciding = this.#deciding
      .then(() => this.#decideNow())
      .catch((err: unknown) => this.#report('the primary could not be determined', { err }))
    return this.#deciding
  }

  async #decideNow(): Promise<void> {
    const { primary, refusal, isForeign = false, former } = choose(this.#hosts.reports, this.#known, this.#current)
    if (primary !== undefined) this.#known ??= { systemIdentifier: primary.state.systemIdentifier, timeline: 0 }
    for (const { state } of this.#hosts.reports) learn(this.#known, state)
    if (refusal !== undefined) this.#refuse(refusal)
    this.#noteMoved(isForeign)
    if (primary === undefined) return
    const isFirst = this.#adopted === undefined
    if (!this.#mayLeadTo(primary.state)) {
      // Before anything else is decided from the former primary.
      this.#refusal ??= notReady(primary.host, 'is being adopted')
      this.#admitted.sever()
    }
    const isReady = this.#mayLeadTo(primary.state) && (!this.#options.watch || this.#isConfirmed)
    if (!isReady && !(await this.#adopt(primary))) return
    if (this.#current !== primary.host || this.#refusal !== undefined) {
      if (this.#current !== primary.host) this.#admitted.sever()
      this.#current = primary.host
      this.#refusal = undefined
      if (!isFirst)
        this.#report(`PostgreSQL at ${placeOf(primary.host)} is the primary`, { timeline: primary.state.timeline })
    }
    for (const one of former) this.#fence.mark(one, primary, this.#hosts.at(one.host))
  }

  #noteMoved(isForeign: boolean): void {
    this.#movedAt = isForeign ? (this.#movedAt ?? performance.now()) : undefined
    if (this.#movedAt === undefined || this.#hosts.reports.length > 1 || performance.now() - this.#movedAt < MOVED_MS)
      return
    this.#options.onMoved?.(this.#refusal?.message ?? '')
  }

  #isAdopted({ systemIdentifier, timeline }: ServerState): boolean {
    const known = this.#adopted
    return known?.systemIdentifier === systemIdentifier && known?.timeline === timeline
  }

  /** Whether it may be used: it is the adopted one, and no dump was restored there since it was recorded. */
  #mayLeadTo(state: ServerState): boolean {
    return this.#isAdopted(state) && (!this.#options.watch || !this.#isConfirmed || isRecorded(state))
  }

  /** Records the primary in its database. Returns whether it may be used. */
  async #adopt({ host, state }: Examined): Promise<boolean> {
    try {
      const isFirst = this.#adopted === undefined
      const record = (client: pg.ClientBase) => recordPrimary(client, state, isFirst)
      const wasConfirmed = this.#isConfirmed
      if (this.#options.watch) this.#isConfirmed = (await this.#hosts.at(host)?.use(record)) ?? false
      if (this.#isConfirmed && !wasConfirmed) this.#admitted.sever() // they could only read
    } catch (error) {
      this.#refuse(notReady(host, `cannot be used yet: ${(error as Error).message}`, error))
      return false
    }
    if (this.#adopted !== undefined && !this.#isAdopted(state)) this.#changes++
    this.#adopted = { systemIdentifier: state.systemIdentifier, timeline: state.timeline }
    return true
  }

  #refuse(refusal: Choice['refusal']): void {
    if (this.#refusal?.message !== refusal?.message) this.#report(refusal?.message ?? '', {})
    this.#refusal = refusal
    this.#admitted.sever()
  }

  #report(message: string, details: object): void {
    this.#options.onChange?.(message, details)
  }
}
