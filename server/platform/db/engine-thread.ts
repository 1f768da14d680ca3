/** What runs in the thread of the embedded engine (see engine.ts). Whatever fails here ends the thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import type { EngineRequest } from './engine.ts'

const engine = await PGlite.create(workerData)

async function answer(request: EngineRequest): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  if (request === 'close') {
    await engine.close()
    parentPort?.close()
  } else if (request === 'renew') {
    await engine.exec('rollback')
    await engine.exec('discard all')
  } else {
    // Not `execProtocolRaw`: it also parses every answer for itself and keeps what it parsed for ever, 500 bytes a statement.
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

/** One at a time, so that no request can get into the middle of one before it. */
let before = Promise.resolve()
parentPort?.on('message', (request: EngineRequest) => {
  before = before.then(async () => {
    const bytes = await answer(request)
    parentPort?.postMessage(bytes, [bytes.buffer])
  })
})
parentPort?.postMessage(new Uint8Array()) // ready
