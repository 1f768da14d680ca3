/**
 * The embedded engine in a thread of its own (ADR 0020): requests are read and answered while it works. A thread that
 * dies takes what was under way with it, as a broken connection would; the next connection starts another.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PGliteOptions } from '@electric-sql/pglite'

/** Whole queries of the protocol, or what is done to the engine itself. */
export type EngineRequest = Uint8Array<ArrayBuffer> | 'renew' | 'close'

interface Exchange {
  resolve: (answer: Uint8Array) => void
  reject: (error: Error) => void
}

export class Engine {
  readonly #options: PGliteOptions
  #thread: Worker | undefined
  readonly #underWay: Exchange[] = []

  private constructor(options: PGliteOptions) {
    this.#options = options
  }

  static async open(options: PGliteOptions): Promise<Engine> {
    const engine = new Engine(options)
    await engine.#start().catch((error: Error) => Promise.reject(error.cause ?? error))
    return engine
  }

  /** Makes the session a new one. The engine has one for ever; a connection before may have left something in it. */
  async renew(): Promise<void> {
    if (this.#thread === undefined) await this.#start()
    else await this.exchange('renew')
  }

  /** Answers in the order of the requests. The bytes of a request no longer belong to the caller. */
  exchange(request: EngineRequest): Promise<Uint8Array> {
    this.#thread?.postMessage(request, typeof request === 'string' ? [] : [request.buffer])
    return this.#thread === undefined ? Promise.reject(lost()) : this.#answer()
  }

  async close(): Promise<void> {
    if (this.#thread === undefined) return
    const ended = once(this.#thread, 'exit')
    this.#thread.postMessage('close' satisfies EngineRequest)
    await ended
  }

  #start(): Promise<unknown> {
    const thread = new Worker(new URL('./engine-thread.ts', import.meta.url), { workerData: this.#options })
    let why: unknown
    thread.on('message', (answer: Uint8Array) => this.#underWay.shift()?.resolve(answer))
    thread.on('error', (error) => {
      why = error
    })
    thread.on('exit', () => {
      this.#thread = undefined
      for (const { reject } of this.#underWay.splice(0)) reject(lost(why))
    })
    this.#thread = thread
    return this.#answer() // the first says that it is ready
  }

  #answer(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#underWay.push({ resolve, reject })
    })
  }
}

/** Read as what it is to the callers: a connection that broke. */
const lost = (cause?: unknown): Error =>
  Object.assign(new Error('The embedded engine has died.', { cause }), { code: 'ECONNRESET' })
