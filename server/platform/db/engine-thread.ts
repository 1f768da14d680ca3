/** Runs in the thread of the embedded engine (see engine.ts). An error here ends the thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import type { EngineRequest } from './engine.ts'

const engine = await PGlite.create(workerData)

async function respond(request: EngineRequest): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  if (request === 'close') {
    await engine.close()
    parentPort?.close()
  } else if (request === 'renew') {
    await engine.exec('rollback')
    await engine.exec('discard all')
  } else {
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

/** Requests run sequentially, so that none can interrupt an earlier one. */
let lastRequest = Promise.resolve()
parentPort?.on('message', (request: EngineRequest) => {
  lastRequest = lastRequest.then(async () => {
    const bytes = await respond(request)
    parentPort?.postMessage(bytes, [bytes.buffer])
  })
})
parentPort?.postMessage(new Uint8Array()) // ready
