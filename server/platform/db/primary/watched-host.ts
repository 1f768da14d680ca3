/** Examines one host again and again, over a connection of its own. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { PostgresHost } from '../postgres-url.ts'
import { examine, type ServerState } from './server-state.ts'

/** A host that has not responded for so long is examined over a new connection. */
const RESPOND_MS = 2_000
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
    try {
      await onReport(await this.use(examine), undefined)
    } catch (error) {
      await onReport(undefined, error as Error)
    }
    if (isMoving) this.#disconnect()
  }

  /** Uses the connection, which is closed when `use` fails. */
  async use<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
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
      this.#woken = new AbortController()
      const { signal } = this.#woken
      await sleep(this.#options.everyMs() - PAUSE_MS, undefined, { ref: false, signal }).catch(() => {})
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
    return client
  }

  #disconnect(client: pg.Client | undefined = this.#client): void {
    if (client === undefined) return
    if (client === this.#client) this.#client = undefined
    void client.end().catch(() => {})
  }
}
