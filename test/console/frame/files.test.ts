/** The files that the server sends under /console: the page and its assets, and nothing else, with safe headers. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { describe, it } from 'vitest'
import { cleanUp } from '#testing/clean-up.ts'
import { ensureConsole } from '#testing/processes/build.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import { ROOT } from '../../../scripts/root.ts'
import { serveSite } from '../../../server/features/console/site.ts'

await ensureConsole()
const server = await sharedServer()
const ASSETS = path.join(ROOT, 'console/dist/assets')
const SCRIPT = readdirSync(ASSETS).find((name) => /^index-.*\.js$/.test(name)) ?? ''
const STYLES = readdirSync(ASSETS).find((name) => /^index-.*\.css$/.test(name)) ?? ''

interface Sent {
  code: number
  headers: http.IncomingHttpHeaders
  body: Buffer
}

/** Requests a path verbatim: `fetch` would normalize it. */
function ask(target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const request = http.request(server.url, { path: target, method, headers, agent: false }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () =>
        resolve({ code: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }),
      )
    })
    request.on('error', reject)
    request.end()
  })
}

const askForScript = (headers?: Record<string, string>, method?: string) =>
  ask(`/console/assets/${SCRIPT}`, headers, method)

describe('the page of the console', () => {
  it('has the same headers however its path is spelt', async () => {
    const [usual, spelt] = [await ask('/console/'), await ask('/%63onsole/')]
    for (const name of ['cache-control', 'referrer-policy', 'x-content-type-options'])
      assert.ok(usual.headers[name] !== undefined && spelt.headers[name] === usual.headers[name], name)
  })

  it('is the same for every view, with a fresh nonce in each response, and is not cached', async () => {
    const [one, other] = [await ask('/console/'), await ask('/console/keys/x/access?id=%3Cscript%3E')]
    const nonces = [one, other].map(({ code, headers, body }) => {
      const [, nonce = ''] =
        /style-src 'self' 'nonce-([^']{24})'/.exec(String(headers['content-security-policy'])) ?? []
      assert.equal(code, 200)
      assert.ok(nonce !== '' && body.includes(nonce))
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.ok(!/unsafe|\*/.test(String(headers['content-security-policy'])))
      assert.ok(!/<script(?![^>]* src=)|<style|\son\w+=|__[A-Z_]+__/.test(body.toString()))
      return nonce
    })
    assert.notEqual(nonces[0], nonces[1])
    const withoutNonce = [one, other].map(({ body }, index) => body.toString().replaceAll(nonces[index] ?? '', ''))
    assert.equal(withoutNonce[0], withoutNonce[1])
  })

  it('contains the header prefix of the server', async () => {
    const { url } = await startServer({ HEADER_PREFIX: 'acme-2' })
    const text = await (await fetch(`${url}/console/`)).text()
    assert.match(text, /<meta name="header-prefix" content="acme-2"/)
  })

  it('is redirected to from the path without the slash', async () => {
    const { code, headers } = await ask('/console')
    assert.deepEqual([code, headers.location], [302, '/console/'])
  })
})

describe.each([
  ['client', 'index.js'],
  ['comments', 'commonhold-comments.js'],
])('the package of the %s', (name, file) => {
  it('is offered by every server, in its own version', async () => {
    const { code, headers, body } = await ask(`/console/commonhold-${name}.tgz`)
    assert.deepEqual([code, headers['content-type'], headers['cache-control']], [200, 'application/gzip', 'no-store'])
    const archive = gunzipSync(body).toString('latin1')
    assert.match(archive, new RegExp(`"name": "@commonhold/${name}",\\s+"version": "\\d`))
    assert.ok(archive.includes(`package/dist/${file}`))
  })
})

describe('a file of the console', () => {
  it('is sent in the requested encoding, and is cached indefinitely', async () => {
    const plain = await askForScript()
    const encodings = [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['br;q=0, gzip;q=0', undefined],
      ['identity', undefined],
      ['zstd', undefined],
    ] as const
    for (const [accepted, encoding] of encodings) {
      const { code, headers, body } = await askForScript({ 'accept-encoding': accepted })
      assert.deepEqual([code, headers['content-encoding']], [200, encoding], accepted)
      assert.equal(headers['content-type'], 'application/javascript; charset=utf-8')
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.match(headers.vary ?? '', /accept-encoding/i)
      const text = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body
      assert.ok(text.equals(plain.body), accepted)
    }
    assert.equal((await ask(`/console/assets/${STYLES}`)).headers['content-type'], 'text/css; charset=utf-8')
  })

  it('is not sent in response to a matching ETag or to HEAD', async () => {
    const { headers } = await askForScript()
    const again = await askForScript({ 'if-none-match': String(headers.etag) })
    assert.deepEqual([again.code, again.body.length], [304, 0])
    const head = await askForScript({}, 'HEAD')
    assert.deepEqual([head.code, head.body.length], [200, 0])
    assert.equal(head.headers['content-length'], headers['content-length'])
  })

  it('is sent completely, whatever range is requested', async () => {
    const { body } = await askForScript()
    for (const range of ['bytes=0-9', 'bytes=999999999-', 'bytes=-5', 'nonsense']) {
      const part = await askForScript({ range })
      assert.deepEqual([part.code, part.body.length], [200, body.length], range)
    }
  })
})

describe('a file that does not exist', () => {
  const OUTSIDE = [
    '/console/assets/nothing.js',
    '/console/assets/',
    '/console/assets//',
    '/console/assets/../index.html',
    '/console/assets/..%2findex.html',
    '/console/assets/%2e%2e/%2e%2e/package.json',
    '/console/assets/..%2f..%2f..%2fpackage.json',
    '/console/assets/..%5c..%5cpackage.json',
    '/console/assets/....//index.html',
    '/console/assets/%00',
    `/console/assets/${SCRIPT}%00.css`,
    `/console/assets/${SCRIPT}/`,
    '/console/assets/%252e%252e%252findex.html',
    '/console/%zz',
  ]

  it('is refused like any unknown path, without path traversal', async () => {
    for (const target of OUTSIDE)
      for (const encoding of ['identity', 'br']) {
        const { code, body } = await ask(target, { 'accept-encoding': encoding })
        assert.ok(code === 404 || code === 400, `${code} ${target}`)
        assert.match(JSON.parse(body.toString()).error.reason, /^(path_unknown|request_invalid)$/, target)
      }
    const stale = await askForScript({ 'if-match': '"another"' })
    assert.equal(stale.code, 404)
  })

  it('is refused with other methods', async () => {
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'TRACE'])
      for (const target of ['/console/', `/console/assets/${SCRIPT}`, '/console/session/start'])
        assert.ok([400, 404].includes((await ask(target, {}, method)).code), `${method} ${target}`)
  })
})

describe('every response', () => {
  it('cannot be sniffed, run scripts, or be framed', async () => {
    const answers = await Promise.all([
      ...['/console', '/console/', '/console/assets/nothing.js', '/console/assets/'].map((target) => ask(target)),
      askForScript(),
      ask('/console/session/start', {}, 'POST'),
      ask('/console/nothing', {}, 'POST'),
    ])
    for (const { code, headers } of answers) {
      assert.equal(headers['x-content-type-options'], 'nosniff', String(code))
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; .*frame-ancestors 'none'$/)
      assert.equal(headers['referrer-policy'], 'no-referrer')
      if (code !== 200) assert.equal(headers['cache-control'], 'no-store')
    }
  })
})

describe('the site of the pages', () => {
  const HASHES = { scripts: ["'sha256-c2NyaXB0'"], styles: [] }

  async function siteOf(files: Record<string, string>) {
    const folder = temporaryFolder()
    mkdirSync(path.join(folder, 'assets'))
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
    const app = Fastify()
    cleanUp(() => app.close())
    await serveSite(app, folder)
    return (url: string) => app.inject({ url })
  }

  it('is sent under its paths without endings, with a policy that allows only its own scripts', async () => {
    const files = { 'index.html': 'first', 'page.html': 'page', '404.html': 'nothing', 'assets/a.js': 'code' }
    const ask = await siteOf({ ...files, 'inline.json': JSON.stringify(HASHES) })
    const first = await ask('/docs/')
    assert.deepEqual([first.statusCode, first.body, first.headers['cache-control']], [200, 'first', 'no-cache'])
    assert.match(
      String(first.headers['content-security-policy']),
      /; script-src 'self' 'sha256-c2NyaXB0'; style-src 'self'; /,
    )
    assert.equal((await ask('/docs/page')).body, 'page')
    assert.match(String((await ask('/docs/assets/a.js')).headers['cache-control']), /immutable/)
    for (const url of ['/docs/none', '/docs/assets/', '/docs/..%2fpage', '/docs/%2e%2e/package.json']) {
      const { statusCode, headers } = await ask(url)
      assert.equal(statusCode, 404, url)
      if (url === '/docs/none') assert.match(String(headers['content-security-policy']), /^default-src 'none'/)
    }
    assert.equal((await ask('/docs')).headers.location, '/docs/')
  })

  it('says how to build it if it is not built', async () => {
    const { statusCode, body } = await (await siteOf({}))('/docs/guides/anything')
    assert.deepEqual([statusCode, body.includes('npm run build:site')], [503, true])
  })
})
