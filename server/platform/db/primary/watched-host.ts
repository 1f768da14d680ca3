/** Examines one host again and again, over a connection of its own. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { PostgresHost } from '../postgres-url.ts'
import { examine, RESPOND_MS, type ServerState } from './server-state.ts'

/** A name can be given to another server, while a connection stays with the former one. */
const RENEW_MS = 5_000
/** Between two examinations that were asked for. */
const PAUSE_MS = 100

export interface WatchOptions {
  config: pg.ClientConfig
  /** An address that may lead to another server at any time is examined over a new connection each time. */
  isMoving: boolean
  everyMs(): number
  onReport(state: ServerState | undefined, error: Error | undefined): Promise<void>
}

export class WatchedHost {
  readonly host: PostgresHost
  readonly #options: WatchOptions
  #client: pg.Client | undefined
  #connectedAt = 0
  #turn: Promise<unknown> = Promise.resolve()
  #woken = new AbortController()
  #stopped = false
  #running: Promise<void> | undefined

  constructor(host: PostgresHost, options: WatchOptions) {
    this.host = host
    this.#options = options
  }

  /** Examines the host once. */
  async look(): Promise<void> {
    const { isMoving, onReport } = this.#options
    const { state, error } = await this.#inTurn(async () => {
      if (performance.now() - this.#connectedAt > RENEW_MS) this.#disconnect()
      return this.#use(examine)
    }).then(
      (state) => ({ state, error: undefined }),
      (error: Error) => ({ state: undefined, error }),
    )
    await onReport(state, error)
    if (isMoving) await this.#inTurn(async () => this.#disconnect())
  }

  /** Uses the connection, which is closed when `use` fails. */
  use<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#use(use))
  }

  /** Makes the next look use a new connection: the name leads to another server. */
  renew(): void {
    this.#connectedAt = Number.NEGATIVE_INFINITY
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  async #use<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    try {
      return await use(await this.#connected())
    } catch (error) {
      this.#disconnect()
      throw error
    }
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Examines the host now, instead of at the next time. */
  wake(): void {
    this.#woken.abort()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.wake()
    this.#disconnect()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await sleep(PAUSE_MS, undefined, { ref: false })
      const { signal } = this.#woken
      await sleep(this.#options.everyMs() - PAUSE_MS, undefined, { ref: false, signal }).catch(() => {})
      this.#woken = new AbortController() // whoever wakes it from here on wants another look
      if (!this.#stopped) await this.look()
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client
    const client = new pg.Client({
      ...this.#options.config,
      connectionString: this.host.url,
      application_name: 'commonhold-watch',
      connectionTimeoutMillis: RESPOND_MS,
      query_timeout: RESPOND_MS,
    })
    client.on('error', () => this.#disconnect(client))
    await client.connect()
    await client.query(`set statement_timeout = ${RESPOND_MS}`) // poolers refuse it in the startup packet
    if (this.#stopped) await client.end()
    this.#client = client
    this.#connectedAt = performance.now()
    return client
  }

  #disconnect(client: pg.Client | undefined = this.#client): void {
    if (client === undefined) return
    if (client === this.#client) this.#client = undefined
    void client.end().catch(() => {})
  }
}
