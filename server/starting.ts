/**
 * Responds while the database is upgraded or repaired, which can take minutes: probes learn that the server is alive,
 * that it is not ready, and why; browsers get a page that opens the console by itself when the server is ready.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { STARTING, STATUS } from '#contract/core/status.ts'
import { html } from '#platform/html.ts'

export interface Starting {
  /** Reports why the server is not ready yet, on standard error and at `/readyz`. */
  waitFor(what: string): void
  /** Frees the port for the server. */
  close(): Promise<void>
}

/** Repeats on standard error are at least this far apart. */
const SAY_MS = 2_000

/** An import would read all that the module exports, and with it load the client of the web standards: 0.08 s and 16 MB of each start. */
const { createServer } = process.getBuiltinModule('node:http')

export async function announceStart({ HOST, PORT }: { HOST: string; PORT: number }): Promise<Starting> {
  let why = 'The server is starting.'
  let said = Number.NEGATIVE_INFINITY
  const http = createServer(({ url, method, headers }, response) => {
    const isProbe = url === '/healthz' || url === '/readyz'
    const isOpened = !isProbe && method === 'GET' && headers.accept?.includes('text/html') === true
    const nonce = randomBytes(16).toString('base64')
    response
      .writeHead(url === '/healthz' ? 200 : STATUS.UNAVAILABLE.http, {
        ...(isOpened ? pageHeaders(nonce) : { 'content-type': 'application/json; charset=utf-8' }),
        ...{ connection: 'close', 'retry-after': '1', 'cache-control': 'no-store' },
      })
      .end(isOpened ? pageOf(why, nonce) : JSON.stringify(answerTo(url, why)))
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

const pageHeaders = (nonce: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
})

/** Asks with growing, random pauses; between two attempts the port can be free for a moment. */
const RELOAD = `
const why = document.getElementById('why')
let waitMs = 1000
async function ask() {
  try {
    const response = await fetch('/readyz', { cache: 'no-store' })
    if (response.ok) return location.reload()
    why.textContent = (await response.json()).why ?? why.textContent
  } catch {}
  waitMs = Math.min(waitMs * 1.5, 10000)
  setTimeout(ask, waitMs * (0.5 + Math.random() / 2))
}
setTimeout(ask, waitMs)`

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 1.5rem; box-sizing: border-box }
h1 { font-size: 1.25rem; font-weight: 600; margin: 0 0 0.5rem }
p { margin: 0 0 0.5rem; max-width: 34rem; overflow-wrap: anywhere }`

/** Without scripts, the browser loads it again every few seconds. */
const pageOf = (why: string, nonce: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Starting · Commonhold</title>
<noscript><meta http-equiv="refresh" content="5"></noscript>
<style nonce="${nonce}">${STYLE}</style>
<main>
<h1>Commonhold is starting</h1>
<p id="why" role="status">${html`${why}`.text}</p>
<p>This page opens by itself as soon as the server is ready.</p>
</main>
<script nonce="${nonce}">${RELOAD}
</script>
</html>
`

/** Probes get the same response as from the running server; any other call gets an error in the same form. */
function answerTo(url: string | undefined, why: string): object {
  if (url === '/healthz') return { status: 'ok' }
  if (url === '/readyz') return { status: 'not ready', why }
  return { error: { message: why, status: 'UNAVAILABLE', reason: 'database_unavailable', requestId: STARTING } }
}
