/** `proxy` passes calls unchanged, and its findings about them agree with a server. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { startCli } from '#testing/processes/cli.ts'
import { cliInProcess as cli } from '#testing/processes/in-process-cli.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { HOSTED_KEY, HOSTED_TOKEN, startHostedService } from '#testing/stand-ins/hosted-service.ts'
import { verdictOf } from '../../cli/proxy/findings.ts'
import { inspectRequest } from '../../cli/proxy/requests.ts'

const folder = temporaryFolder()
let files = 0

interface Line {
  path: string
  status: number
  verdict: string
  operation?: string
  fields: string[]
  findings: { verdict: string; reason: string; message: string }[]
}

const linesIn = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Starts a proxy in front of a service; `stop` is Ctrl-C. */
async function startProxy(to: string) {
  const file = path.join(folder, `${files++}.ndjson`)
  const proxy = startCli(['proxy', '--to', to, '--record', file])
  const [, url = ''] = await proxy.until(/(http:\S+) passes calls to/)
  async function stop() {
    proxy.child.kill('SIGINT')
    const ended = await proxy.ended
    return { ...ended, calls: linesIn(readFileSync(file, 'utf8')) }
  }
  return { url, file, stop }
}

const post = (url: string, path: string, headers: Record<string, string>, body: unknown) =>
  fetch(`${url}/v2/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const acme = { organizationId: 'acme' }
const grant = (resource: object) => ({ data: { user: { userId: 'ada' }, permissions: { resources: [resource] } } })

/** Calls of a program, and the finding that the proxy must report for each; the last field of some is a part of the reason. */
const CALLS: readonly (readonly [verdict: string, path: string, body: unknown, message?: RegExp])[] = [
  ['works', 'organizations/add', { data: { organizations: [{ ...acme, plan: 'gold', createdBy: 'kim' }] } }],
  ['works', 'organizations/documents/add', { data: { ...acme, documents: [{ documentId: 'roadmap' }] } }],
  ['works', 'auth/permissions/add', grant({ ...acme, type: 'document', id: 'roadmap', expiresAt: 4_102_444_800.5 })],
  ['works', 'workspace/domains/get', ''],
  ['differs', 'auth/permissions/get', { data: { ...acme, userIds: ['ada'], documentIds: ['roadmap'] } }, /accessType/],
  ['differs', 'workspace/emailconfig/get', {}, /masked/],
  ['strict', 'users/get', { data: { ...acme, locale: 'en' } }, /locale is not a known field/],
  [
    'strict',
    'workspace/apikeyconfig/update',
    { data: { expiringSoonSeconds: 60, aiModelApiKey: [{}] } },
    /aiModelApiKey belongs/,
  ],
  ['fails', 'auth/permissions/add', grant({ ...acme, type: 'document', id: 'roadmap', expires_at: 1 }), /expiresAt/],
  [
    'fails',
    'auth/permissions/add',
    grant({ ...acme, type: 'document', id: 'x', expiresAt: 4_102_444_800_000 }),
    /milliseconds/,
  ],
  [
    'fails',
    'organizations/documents/add',
    { data: { ...acme, documents: [{ documentId: 'x', accesRole: 'viewer' }] } },
    /accessRole/,
  ],
  ['fails', 'users/add', { data: { ...acme, users: [{ userId: 42 }] } }, /userId must be a string/],
  ['fails', 'users/get', { ...acme }, /data is required/],
  ['fails', 'users/get', '{"data":', /not valid JSON/],
  ['fails', 'recordings/get', { data: acme }, /records no sound/],
  ['fails', 'auth/permissions/add', grant({ type: 'document', id: 'roadmap' }), /organizationId is required when type/],
  ['fails', 'organization/documents/add', { data: acme }, /did you mean \/v2\/organizations\/documents\/add/],
  ['fails', 'somewhere/else', { data: acme }, /not part of the contract$/],
]

describe('the finding about a call', () => {
  for (const STRICT_FIELDS of ['true', 'false'])
    it(`agrees with a server with STRICT_FIELDS=${STRICT_FIELDS}`, async () => {
      const server = await sharedServer(STRICT_FIELDS === 'true' ? {} : { STRICT_FIELDS })
      const { headers } = await server.newKey()
      const proxy = await startProxy(server.url)
      for (const [, path, body] of CALLS) await (await post(proxy.url, path, headers, body)).text()
      const { calls, code, stdout } = await proxy.stop()
      assert.equal(code, 0)
      assert.deepEqual(
        calls.map(({ verdict, path }) => [verdict, path]),
        CALLS.map(([verdict, path]) => [verdict, `/v2/${path}`]),
      )
      for (const [index, { verdict, status, findings }] of calls.entries()) {
        const isRefused = verdict === 'fails' || (verdict === 'strict' && STRICT_FIELDS === 'true')
        assert.equal(status >= 400, isRefused, `${JSON.stringify(CALLS[index])}: ${status}`)
        const message = CALLS[index]?.[3]
        if (message !== undefined) assert.match(findings.map((finding) => finding.message).join('\n'), message)
      }
      assert.match(
        stdout,
        /18 calls: 4 would work, 2 would differ, 2 would fail unless STRICT_FIELDS=false, 10 would fail\./,
      )
    })
})

describe('a valid call', () => {
  it('works, whatever the operation', () => {
    for (const { path, example } of OPERATIONS) {
      const body = Buffer.from(JSON.stringify({ data: example }))
      const headers = { 'content-type': 'application/json' }
      const call = { method: 'POST', path, headerPrefix: undefined, headers, body, bytes: body.length }
      const { findings } = inspectRequest(call)
      assert.ok(['works', 'differs'].includes(verdictOf(findings)), `${path}: ${JSON.stringify(findings)}`)
    }
  })
})

describe('a recording', () => {
  it('has names of fields, no values and no credentials, and can be summarized again', async () => {
    const hosted = await startHostedService()
    const proxy = await startProxy(hosted.url)
    const headers = { 'x-acme-api-key': HOSTED_KEY, 'x-acme-auth-token': HOSTED_TOKEN }
    const document = { documentId: 'roadmap', secretPlan: 'take over the world' }
    const update = { data: { ...acme, documents: [document, { documentId: 'nowhere' }] } }
    const updated = await post(proxy.url, 'organizations/documents/update?token=in-the-query', headers, update)
    assert.equal(updated.status, 500)
    await post(proxy.url, 'webhooks/s3cr3ts3cr3ts3cr3ts3cr3t', headers, update)
    const { calls, stdout } = await proxy.stop()
    const text = readFileSync(proxy.file, 'utf8')
    for (const secret of [HOSTED_TOKEN, HOSTED_KEY, 'in-the-query', 's3cr3t', 'take over', 'nowhere'])
      assert.doesNotMatch(text, new RegExp(secret))
    assert.deepEqual(calls[0]?.fields, [
      'organizationId',
      'documents',
      'documents[].documentId',
      'documents[].secretPlan',
    ])
    assert.match(calls[0]?.findings[0]?.message ?? '', /a success here, with a result for each document/)
    assert.match(stdout, /Start the server with HEADER_PREFIX=acme\./)

    writeFileSync(proxy.file, '{"at":"202\n{"at":"20', { flag: 'a' }) // as after a kill in the middle of a line, twice
    const again = await cli(['proxy', 'report', proxy.file])
    assert.equal(again.code, 5, again.stderr)
    assert.ok(stdout.endsWith(again.stdout), again.stdout)
    const { findings, ...counts } = JSON.parse((await cli(['proxy', 'report', proxy.file, '--json'])).stdout)
    assert.deepEqual(counts, {
      ...{ calls: 2, works: 0, differs: 1, strict: 0, fails: 1 },
      ...{ headerPrefixes: ['acme'], damagedLines: 2 },
    })
    assert.deepEqual(
      findings.map((one: { verdict: string }) => one.verdict),
      ['fails', 'differs'],
    )
  })

  it('is refused if the file is not a recording', async () => {
    const file = path.join(folder, 'other.ndjson')
    writeFileSync(file, '{"record":"export"}\n{}\n')
    const { code, stderr } = await cli(['proxy', 'report', file])
    assert.equal(code, 2)
    assert.match(stderr, /The first line of the file is not a recorded call/)
  })
})

/** A service that returns what it got. */
async function startEcho(): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method, url, rawHeaders } = request
    const echoed = gzipSync(JSON.stringify({ method, url, rawHeaders, body: Buffer.concat(chunks).toString('base64') }))
    response.writeHead(418, 'Like That', [
      ...['content-type', 'application/json', 'content-encoding', 'gzip'],
      ...['set-cookie', 'a=1', 'set-cookie', 'b=2'],
    ])
    response.end(echoed)
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  cleanUp(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

describe('the proxy', () => {
  it('passes calls and responses unchanged, also large ones and unknown ones', async () => {
    const echo = await startEcho()
    const proxy = await startProxy(`${echo.url}/base/`)
    const body = Buffer.alloc(3_000_000, 'ü')
    const response = await fetch(`${proxy.url}/v2/organizations/add?a=1&a=2`, {
      method: 'PUT',
      headers: { 'x-own': 'yes', constructor: 'too', 'content-type': 'application/octet-stream' },
      body,
    })
    const { method, url, rawHeaders, body: sent } = (await response.json()) as Record<string, string>
    assert.deepEqual([response.status, response.statusText], [418, 'Like That'])
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2'])
    assert.deepEqual([method, url], ['PUT', '/base/v2/organizations/add?a=1&a=2'])
    assert.ok(Buffer.from(sent ?? '', 'base64').equals(body))
    const names = Array.from(rawHeaders ?? '').filter((_, index) => index % 2 === 0)
    assert.ok(names.includes('constructor'), String(names))
    assert.ok(names.includes('x-own') && names.filter((name) => name === 'host').length === 1, String(names))
    const { calls, code } = await proxy.stop()
    assert.deepEqual([code, calls[0]?.verdict, calls[0]?.status], [0, 'fails', 418])
  })

  it('survives a body that nests deeper than any call', async () => {
    const echo = await startEcho()
    const proxy = await startProxy(echo.url)
    for (const [open, close] of [
      ['{"a":', '}'],
      ['[', ']'],
    ] as const) {
      const data = `${open.repeat(100_000)}1${close.repeat(100_000)}`
      assert.equal((await post(proxy.url, 'organizations/add', {}, `{"data":${data}}`)).status, 418)
    }
    assert.equal((await post(proxy.url, 'workspace/domains/get', {}, {})).status, 418)
    const { calls, code } = await proxy.stop()
    assert.deepEqual([code, calls.map(({ verdict }) => verdict)], [0, ['fails', 'fails', 'works']])
  })

  it('responds with 502 and a sentence if the service cannot be reached', async () => {
    const echo = await startEcho()
    echo.server.close()
    const proxy = await startProxy(echo.url)
    const response = await post(proxy.url, 'organizations/get', {}, {})
    assert.equal(response.status, 502)
    assert.match(JSON.stringify(await response.json()), /commonhold proxy cannot reach http:.*ECONNREFUSED/)
    const { calls, code } = await proxy.stop()
    assert.deepEqual([code, calls[0]?.status, calls[0]?.verdict], [0, 502, 'works'])
  })

  it('ends with Ctrl-C although a program hung up, and finishes the call of another', async () => {
    const slow = createServer((request, response) => {
      setTimeout(() => response.end('{}'), request.url === '/v2/never' ? 60_000 : 600)
    })
    slow.listen(0, '127.0.0.1').unref()
    await once(slow, 'listening')
    cleanUp(() => slow.closeAllConnections())
    const proxy = await startProxy(`http://127.0.0.1:${(slow.address() as AddressInfo).port}`)
    await assert.rejects(fetch(`${proxy.url}/v2/never`, { signal: AbortSignal.timeout(200) }))
    const arrived = once(slow, 'request')
    const finished = post(proxy.url, 'workspace/domains/get', {}, {})
    await arrived
    const { calls, code } = await proxy.stop()
    assert.equal((await finished).status, 200)
    assert.deepEqual([code, calls.map(({ status }) => status)], [0, [0, 200]])
  })

  it('reports invalid options', async () => {
    const wrong = await cli(['proxy', '--to', 'ftp://example.com'])
    assert.deepEqual([wrong.code, /http or https URL/.test(wrong.stderr)], [2, true])
    const missing = await cli(['proxy'])
    assert.deepEqual([missing.code, /--to/.test(missing.stderr)], [2, true])
  })
})
