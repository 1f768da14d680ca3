/** Answers the probes while the database is upgraded or repaired, which can take minutes: alive, not ready, and why. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { STATUS } from '#contract/core/status.ts'

export interface Starting {
  /** Reports why the server is not ready yet, on standard error and at `/readyz`. */
  waitFor(what: string): void
  /** Frees the port for the server. */
  close(): Promise<void>
}

/** Repeats on standard error are at least this far apart. */
const SAY_MS = 2_000

export async function announceStart({ HOST, PORT }: { HOST: string; PORT: number }): Promise<Starting> {
  let why = 'The server is starting.'
  let said = Number.NEGATIVE_INFINITY
  const http = createServer(({ url }, response) => {
    const status = url === '/healthz' ? 200 : STATUS.UNAVAILABLE.http
    const headers = { 'content-type': 'application/json; charset=utf-8', connection: 'close', 'retry-after': '1' }
    response.writeHead(status, headers).end(JSON.stringify(answerTo(url, why)))
  })
  // Where the port is taken, the server itself says so when it listens.
  http.on('error', () => {})
  if (PORT !== 0) http.listen(PORT, HOST)
  return {
    waitFor(what) {
      why = what
      if (performance.now() - said < SAY_MS) return
      said = performance.now()
      process.stderr.write(`${what}\n`)
    },
    async close() {
      if (!http.listening) return
      http.close()
      http.closeAllConnections()
      await once(http, 'close')
    },
  }
}

/** Probes get the same response as from the running server; any other call gets an error in the same form. */
function answerTo(url: string | undefined, why: string): object {
  if (url === '/healthz') return { status: 'ok' }
  if (url === '/readyz') return { status: 'not ready', why }
  return { error: { message: why, status: 'UNAVAILABLE', reason: 'database_unavailable', requestId: 'start' } }
}
