/** Reverse proxies with the configuration of docs/guides/run-in-production.md, in front of real servers. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { LIVE_PATH } from '#contract/comments/live.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { blocksOf } from '#testing/pages/blocks.ts'
import { createLastingStore, type ServerProcess, startProcess } from '#testing/processes/process.ts'
import {
  CALLER,
  isHere,
  type ProxyName,
  type ReverseProxy,
  startReverseProxy,
} from '#testing/processes/reverse-proxies.ts'
import { callSteadily } from '#testing/processes/steady-calls.ts'
import { addThread, newKeyWithDocuments, organizationId } from '#testing/threads.ts'
import { read } from '../repository/sources.ts'

const BLOCKS = blocksOf(read('docs/guides/run-in-production.md')).filter(({ words }) =>
  words.includes('test/readme/proxies.test.ts'),
)
const titleOf = ({ language, content }: (typeof BLOCKS)[number]) =>
  `${language}, ${content.includes('/readyz') ? 'two servers' : 'one server'}${isHere(language as ProxyName) ? '' : ' (is not here)'}`
const resource = { type: 'document', id: 'roadmap', organizationId } as const
const SETTINGS = { TRUST_PROXY: '127.0.0.1', STOP_DELAY_SECONDS: '5', PUBLIC_URL: 'https://api.example.com' }

const post = ({ call }: ReverseProxy, key: Client, path: string, body: string, headers = {}) =>
  call(path, { method: 'POST', headers: { 'content-type': 'application/json', ...key.headers, ...headers }, body })

/** The address of the caller of each request to a path, in the logs of servers. */
const addressesOf = (servers: readonly ServerProcess[], path: string): string[] =>
  servers.flatMap(({ output }) =>
    output.stdout.split('\n').flatMap((line) => (line.includes(`"${path}"`) ? [JSON.parse(line).req.ip] : [])),
  )

/** Opens a stream for Ada, and returns the names of the events that have arrived. */
async function follow({ call }: ReverseProxy, key: Client): Promise<string[]> {
  const { token } = await key.call(generateToken, { userId: 'ada' })
  const { status, body } = await call(LIVE_PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ data: { organizationId, documentIds: ['roadmap'] } }),
  })
  assert.equal(status, 200)
  const events: string[] = []
  const reading = async () => {
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? [])
      events.push(...[...String(part).matchAll(/^event: (\w+)/gm)].map(([, name = '']) => name))
  }
  reading().catch(() => {}) // the test is over
  return events
}

describe.each(BLOCKS.map((block) => ({ title: titleOf(block), block })))('$title', ({ block }) => {
  const name = block.language as ProxyName
  const isChecked = block.content.includes('/readyz')

  it.skipIf(!isHere(name))('passes calls, large bodies, streams and the addresses of callers', async () => {
    const store = await createLastingStore()
    const servers = [await startProcess({ ...store.settings, ...SETTINGS })]
    if (isChecked) servers.push(await startProcess({ ...store.settings, ...SETTINGS }))
    const proxy = await startReverseProxy(
      name,
      block.content,
      servers.map(({ url }) => url),
    )
    const key = await newKeyWithDocuments(servers[0]?.client as ServerProcess['client'])

    const documents = JSON.stringify({ data: { organizationId, documents: [{ documentId: 'a' }] } })
    const added = await post(proxy, key, addDocuments.path, documents.padEnd(LIMITS.bodyBytesMax, ' '))
    assert.equal(added.status, 200, await added.text())

    for (const forged of ['203.0.113.7', '127.0.0.1', 'unknown'])
      await (await post(proxy, key, '/forged', '{}', { 'x-forwarded-for': forged, forwarded: `for=${forged}` })).text()
    await until('the lines of the log', () => addressesOf(servers, '/forged').length === 3)
    assert.deepEqual(addressesOf(servers, '/forged'), [CALLER, CALLER, CALLER])

    const encoded = await proxy.call('/v2/auth/jwks/a%2Fb')
    assert.match(encoded.headers.get('content-type') ?? '', /json/, await encoded.text())

    const events = await follow(proxy, key)
    await until('the begin of the stream', () => events.includes('ready'))
    await addThread(key, {})
    await until('a thread', () => events.includes('thread'))
  })

  it.skipIf(!isHere(name) || !isChecked)('loses no call when servers are replaced', async (t) => {
    const store = await createLastingStore()
    const start = (port: string) => startProcess({ ...store.settings, ...SETTINGS, PORT: port })
    const servers = [await start('0'), await start('0')]
    const proxy = await startReverseProxy(
      name,
      block.content,
      servers.map(({ url }) => url),
    )
    const key = await newKeyWithDocuments(servers[0]?.client as ServerProcess['client'])
    const stop = callSteadily((path, body) => post(proxy, key, path, body), { resource, callers: 8, pauseMs: 5 })
    for (const [nth, old] of servers.entries()) {
      const { port } = new URL(old.url)
      assert.equal((await old.kill('SIGTERM')).code, 0)
      const server = await start(port)
      servers[nth] = server
      await until('calls through the proxy', () => addressesOf([server], checkPermissions.path).length > 0)
    }
    t.annotate(`${await stop()} answered`)
  })

  it.skipIf(!isHere(name) || !isChecked)(
    'passes calls to the other server from the moment at which one is killed',
    async () => {
      const store = await createLastingStore()
      const start = () => startProcess({ ...store.settings, ...SETTINGS })
      const servers = [await start(), await start()]
      const proxy = await startReverseProxy(
        name,
        block.content,
        servers.map(({ url }) => url),
      )
      const key = await newKeyWithDocuments(servers[0]?.client as ServerProcess['client'])
      const body = JSON.stringify({ data: { checks: [{ userId: 'ada', resource }] } })
      await until('calls to both servers', async () => {
        await (await post(proxy, key, checkPermissions.path, body)).text()
        return servers.every((server) => addressesOf([server], checkPermissions.path).length > 0)
      })
      await servers[0]?.kill('SIGKILL')
      const statuses: number[] = []
      for (let nth = 0; nth < 20; nth++) {
        const answer = await proxy.call('/version') // without a body, which the tried version of Caddy loses
        await answer.text()
        statuses.push(answer.status)
      }
      assert.deepEqual(statuses, Array(20).fill(200))
    },
  )
})
