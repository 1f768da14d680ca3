/**
 * Runs the embedded engine in a thread of its own (ADR 0005): the server continues to serve requests while it works. If the
 * thread dies, its statements under way fail as with a broken connection; the next connection starts a new thread.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PGliteOptions } from '@electric-sql/pglite'
import { isStorageLow } from './engine-storage.ts'
import { isStorageFull, storageFull } from './pg-errors.ts'

/** Complete queries of the protocol, or a command to the engine itself. */
export type EngineRequest = Uint8Array<ArrayBuffer> | 'renew' | 'close'

interface Exchange {
  resolve: (answer: Uint8Array) => void
  reject: (error: Error) => void
}

export type EngineOptions = PGliteOptions & { dataDir: string }

export class Engine {
  readonly #options: EngineOptions
  #thread: Worker | undefined
  readonly #underWay: Exchange[] = []

  private constructor(options: EngineOptions) {
    this.#options = options
  }

  static async open(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options)
    await engine.#start().catch((error: Error) => Promise.reject(isStorageFull(error) ? error : (error.cause ?? error)))
    return engine
  }

  /** Resets the session. The engine has only one, and an earlier connection may have left state in it. */
  async renew(): Promise<void> {
    if (this.#thread === undefined) await this.#start()
    else await this.exchange('renew')
  }

  /**
   * Sends a request and returns its response; responses arrive in the order of requests. The bytes are transferred: the
   * caller must not use them again.
   */
  exchange(request: EngineRequest): Promise<Uint8Array> {
    this.#thread?.postMessage(request, typeof request === 'string' ? [] : [request.buffer])
    return this.#thread === undefined ? Promise.reject(lost()) : this.#response()
  }

  async close(): Promise<void> {
    if (this.#thread === undefined) return
    const ended = once(this.#thread, 'exit')
    this.#thread.postMessage('close' satisfies EngineRequest)
    await ended
  }

  #start(): Promise<unknown> {
    const thread = new Worker(new URL('./engine-thread.ts', import.meta.url), { workerData: this.#options })
    let cause: unknown
    thread.on('message', (answer: Uint8Array) => this.#underWay.shift()?.resolve(answer))
    thread.on('error', (error) => {
      cause = error
    })
    thread.on('exit', () => {
      this.#thread = undefined
      for (const { reject } of this.#underWay.splice(0)) reject(lost(cause))
    })
    this.#thread = thread
    // The first response reports that the engine is ready.
    return this.#response().catch((error: Error) => {
      // PGlite does not say why it cannot start.
      throw isStorageLow(this.#options.dataDir) ? storageFull('no space left on device', error) : error
    })
  }

  #response(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#underWay.push({ resolve, reject })
    })
  }
}

/** Returns the error for callers, who see a broken connection. */
const lost = (cause?: unknown): Error =>
  Object.assign(new Error('The embedded engine has died.', { cause }), { code: 'ECONNRESET' })
