/** Runs in the thread of the embedded engine (see engine.ts). An error here ends the thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import type { EngineRequest } from './engine.ts'
import { isPanic } from './engine-answer.ts'
import { isStorageLow } from './engine-storage.ts'

const options: PGliteOptions & { dataDir: string } = workerData
const engine = await PGlite.create(options)
let inTransaction = false
let isReadOnly = false

/**
 * Makes the session read-only while storage is low. An engine that cannot write its log dies, and does not start before there is
 * space: refusing changes earlier keeps reads working.
 */
async function followStorage(): Promise<void> {
  if (inTransaction || isStorageLow(options.dataDir) === isReadOnly) return
  isReadOnly = !isReadOnly
  await engine.exec(`set default_transaction_read_only = ${isReadOnly}`)
}

async function respond(request: EngineRequest): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  if (request === 'close') {
    await engine.close()
    parentPort?.close()
  } else if (request === 'renew') {
    await engine.exec('rollback')
    await engine.exec('discard all')
    inTransaction = false
    isReadOnly = false
  } else {
    await followStorage()
    // `execProtocolRaw` would also parse every response and keep the result indefinitely, 500 bytes per statement.
    await engine.execProtocolRawStream(request, { onRawData: (part) => parts.push(part.slice()) })
  }
  return joined(parts)
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}

/** The last byte of a response is the status of the transaction. */
const IDLE = 'I'.charCodeAt(0)

/** Requests run sequentially, so that none can interrupt an earlier one. */
let lastRequest = Promise.resolve()
parentPort?.on('message', (request: EngineRequest) => {
  lastRequest = lastRequest.then(async () => {
    const bytes = await respond(request)
    if (bytes.length > 0) inTransaction = bytes.at(-1) !== IDLE
    const isDead = isPanic(bytes)
    parentPort?.postMessage(bytes, [bytes.buffer])
    if (isDead) process.exit() // the thread: the engine would hang in its next statement
  })
})
parentPort?.postMessage(new Uint8Array()) // ready
