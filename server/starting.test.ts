/** The responses of a server while it starts: probes and programs get JSON, and browsers get a page. */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { it } from 'vitest'
import { cleanUp } from '#testing/clean-up.ts'
import { announceStart } from './starting.ts'

const HOST = '127.0.0.1'

/** Returns a port that was free just now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST)
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

it('answers browsers with a page, and everything else as the running server would', async () => {
  const port = await freePort()
  const starting = await announceStart({ HOST, PORT: port })
  cleanUp(starting.close)
  starting.waitFor('Waiting for <b>PostgreSQL</b> & "more".')
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`http://${HOST}:${port}${path}`, init)
    const { status, headers } = response
    return { status, headers, type: headers.get('content-type') ?? '', text: await response.text() }
  }
  const html = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
  for (const path of ['/console/', '/console/keys/chk_live_1/access?id=a', '/']) {
    const page = await get(path, html)
    assert.equal(page.status, 503)
    assert.match(page.type, /^text\/html/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    assert.match(page.text, /Waiting for &lt;b&gt;PostgreSQL&lt;\/b&gt; &amp; &quot;more&quot;\./)
    const [, nonce = ''] = /script-src 'nonce-([^']+)'/.exec(page.headers.get('content-security-policy') ?? '') ?? []
    assert.ok(nonce.length > 20 && page.text.includes(`<script nonce="${nonce}">`))
  }
  const post = { method: 'POST', body: '{}', ...html }
  for (const [path, init] of [
    ['/v2/organizations/get', post],
    ['/console/', {}],
    ['/console/session/get', post],
  ] as const) {
    const { status, type, text } = await get(path, init)
    assert.deepEqual([status, type], [503, 'application/json; charset=utf-8'])
    assert.equal(JSON.parse(text).error.reason, 'database_unavailable')
  }
  assert.deepEqual(await get('/healthz', html).then(({ status, text }) => [status, JSON.parse(text)]), [
    200,
    { status: 'ok' },
  ])
  assert.equal(JSON.parse((await get('/readyz', html)).text).status, 'not ready')
})
