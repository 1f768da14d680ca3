/**
 * A socket whose other end is the embedded engine, so that one driver (`pg`) serves both engines: the same types, the
 * same prepared statements, the same errors. Measured against PGlite's own `query()`: a prepared statement 0.08 ms
 * instead of 0.31 ms, because PGlite's API parses and plans every call anew.
 */
import { Duplex } from 'node:stream'
import type { Engine } from './engine.ts'

const SYNC = 0x53
const SIMPLE_QUERY = 0x51
const TERMINATE = 0x58

/** The type of the last message when `bytes` holds whole messages only, otherwise undefined. */
function lastMessageType(bytes: Buffer): number | undefined {
  let offset = 0
  let type: number | undefined
  while (offset + 5 <= bytes.length) {
    type = bytes[offset]
    offset += 1 + bytes.readInt32BE(offset + 1)
  }
  return offset === bytes.length ? type : undefined
}

export class EngineSocket extends Duplex {
  readonly #engine: Engine
  #unsent: Buffer = Buffer.alloc(0)
  #startedUp = false

  constructor(engine: Engine) {
    super()
    this.#engine = engine
  }

  connect(): this {
    queueMicrotask(() => this.emit('connect'))
    return this
  }

  // What the driver asks of a network socket and has no meaning here.
  setNoDelay = (): this => this
  setKeepAlive = (): this => this
  ref = (): this => this
  unref = (): this => this

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#send(chunk, done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  /** Hands whole queries to the engine: half a query would leave it waiting inside the call. */
  #send(chunk: Buffer, done: (error?: Error | null) => void): void {
    const bytes = this.#unsent.length === 0 ? chunk : Buffer.concat([this.#unsent, chunk])
    const startsUp = !this.#startedUp
    const last = startsUp ? SYNC : lastMessageType(bytes) // the start-up message has no type byte
    this.#startedUp = true
    if (last === TERMINATE) {
      this.push(null)
      done()
    } else if (last === SYNC || last === SIMPLE_QUERY) {
      this.#unsent = Buffer.alloc(0)
      this.#exchange(bytes, startsUp).then(
        () => done(),
        (error: Error) => done(error),
      )
    } else {
      this.#unsent = bytes
      done()
    }
  }

  async #exchange(bytes: Buffer, startsUp: boolean): Promise<void> {
    if (startsUp) await this.#engine.renew()
    this.push(await this.#engine.exchange(new Uint8Array(bytes))) // the driver writes the next query into its bytes
  }
}
