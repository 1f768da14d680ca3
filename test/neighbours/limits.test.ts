/**
 * An API key may use a limited amount at once and in a second. Above that, its calls are refused with advice, and no
 * other key's calls are (rules/contract.md#rate-limits).
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import { describe, it } from 'vitest'
import { getThreads } from '#contract/comments/threads.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Answer, Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { FULL } from '#testing/run/mode.ts'
import { startServer } from '#testing/server.ts'
import { addThread, comment, newKeyWithDocuments } from '#testing/threads.ts'
import { refused } from '../conformance/support/refused.ts'

function assertLimited(answer: Answer, message: RegExp): number {
  const error = refused(answer, 'RESOURCE_EXHAUSTED')
  assert.equal(error.reason, 'rate_limited')
  assert.match(error.message, message)
  return Number(answer.headers.get('retry-after'))
}

describe('an API key', () => {
  it('may use the database for DATABASE_MS_PER_KEY in a second, and a minute of that at once', async () => {
    const server = await startServer({ DATABASE_MS_PER_KEY: '10' })
    const [busy, quiet] = [await server.newKey(), await server.newKey()]
    let answer: Answer
    let calls = 0
    do {
      answer = await busy.post(addOrganizations.path, { organizations: [{ organizationId: `o${calls}` }] })
      const [, left] = /^"database";r=(\d+);t=\d+$/.exec(answer.headers.get('ratelimit') ?? '') ?? []
      assert.ok(calls > 0 || Number(left) > 10, `${left} ms are left after the first call`)
      assert.equal(answer.headers.get('ratelimit-policy'), '"database";q=600;w=60')
    } while (answer.http === 200 && ++calls < 1_000)
    assert.ok(assertLimited(answer, /too much database time: the limit is 10 ms per second/) >= 1)
    assert.equal((await quiet.post(getOrganizations.path, {})).http, 200)
  })

  it('may have CONCURRENT_CALLS_PER_KEY calls under way', async () => {
    const server = await startServer({ CONCURRENT_CALLS_PER_KEY: '3' })
    const [busy, quiet] = [await server.newKey(), await server.newKey()]
    const call = (key: Client) => key.post(getOrganizations.path, {})
    const begun = await Promise.all(Array.from({ length: 5 }, () => begin(server.url, busy, { bytes: 10 })))
    const answers: string[] = []
    for (const socket of begun) socket.once('data', (data) => answers.push(String(data))).resume()
    await eventually('two refusals', () => answers.length >= 2 || undefined)
    assertLimited(await call(busy), /Too many concurrent calls: the limit is 3 for each API key/)
    assert.deepEqual(
      answers.map((answer) => answer.split(' ')[1]),
      ['429', '429'],
    )
    assert.equal((await call(quiet)).http, 200)
    for (const socket of begun) socket.destroy()
    await eventually('an answer, once they are over', async () => (await call(busy)).http === 200 || undefined)
  })

  it('may have large bodies in memory, up to half of the free memory', async () => {
    const server = await startServer()
    const [busy, quiet] = [await server.newKey(), await server.newKey()]
    // With any heap, these bodies take half of the free memory, or the last of them is refused, and then a larger one
    // is refused too. If a larger one is counted before some of them, it takes their place for a while, so more follow.
    const bytes = 4 * 1024 * 1024
    const held = Math.ceil(getHeapStatistics().heap_size_limit / 16 / bytes / 2)
    for (let nth = 0; nth < held; nth++) await begin(server.url, busy, { bytes })
    const documents = [
      { documentId: 'large', filler: 'x'.repeat(60_000) },
      { documentId: 'l2', filler: 'x'.repeat(60_000) },
    ]
    const large = { organizationId: 'acme', createOrganization: true, documents }
    const refusal = await eventually('a refusal, once all of them are counted', async () => {
      const answer = await busy.post(addDocuments.path, { ...large, more: 'x'.repeat(1.9 * bytes) })
      if (answer.http === 429) return answer
      await begin(server.url, busy, { bytes })
      return undefined
    })
    assertLimited(refusal, /Too many large bodies and responses at once/)
    assert.equal((await busy.post(getOrganizations.path, {})).http, 200)
    assert.equal((await quiet.post(addDocuments.path, large)).http, 200)
  })

  it.skipIf(!FULL)('may leave responses unread, up to half of the memory that is free', async () => {
    const server = await startServer()
    const [busy, quiet] = [await server.newKey(), await server.newKey()]
    const data = { organizationId: 'acme', documentIds: await addLargeDocuments(busy, 250) }
    const most = Math.ceil(getHeapStatistics().heap_size_limit / 16 / 15e6)
    for (let nth = 0; nth < most; nth++) await begin(server.url, busy, { path: getDocuments.path, data })
    const refusal = await eventually('a refusal of a call whose response is large', async () => {
      const answer = await busy.post(getDocuments.path, data)
      return answer.http === 429 ? answer : undefined
    })
    assertLimited(refusal, /Too many large bodies and responses at once/)
    const change = { organizationId: 'acme', documents: [{ documentId: 'more' }] }
    assert.equal((await busy.post(addDocuments.path, change)).http, 200)
    await addLargeDocuments(quiet, 2)
    assert.equal((await quiet.post(getDocuments.path, { organizationId: 'acme' })).http, 200)
  })
})

/** This value has 62,700 bytes in JSON. */
const LARGE = 'a text of lines that compresses\n'.repeat(1_900)

/** Adds documents of 62 KB each, and returns their ids. */
async function addLargeDocuments(key: Client, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, nth) => `d${String(nth).padStart(3, '0')}`)
  for (let at = 0; at < count; at += 50)
    await key.call(addDocuments, {
      ...{ organizationId: 'acme', createOrganization: true },
      documents: ids.slice(at, at + 50).map((documentId) => ({ documentId, filler: LARGE })),
    })
  return ids
}

/** Begins a call, and reads nothing of the response. The body is `data`, or has this many bytes, none of which are sent. */
async function begin(
  url: string,
  { headers }: Client,
  { path = addDocuments.path, ...body }: { path?: string; data: object } | { path?: string; bytes: number },
): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
  socket.pause()
  cleanUp(() => socket.destroy())
  await once(socket, 'connect')
  const text = 'data' in body ? JSON.stringify(body) : ''
  const length = 'data' in body ? text.length : body.bytes
  const lines = Object.entries({ ...headers, 'content-type': 'application/json', 'content-length': length, host: 'x' })
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`)
  return socket
}

describe('a page of large records', () => {
  it('ends after two megabytes, and the next one continues', async () => {
    const server = await startServer()
    const key = await server.newKey()
    const ids = await addLargeDocuments(key, 100)
    const seen: string[] = []
    let pages = 0
    for (let pageToken: string | undefined; pages === 0 || pageToken !== undefined; pages++) {
      const { text, body } = await key.post(getDocuments.path, {
        organizationId: 'acme',
        ...(pageToken && { pageToken }),
      })
      assert.ok(text.length < 2.2 * 1024 * 1024, `${text.length} bytes`)
      seen.push(...body.result.data.map(({ id }: { id: string }) => id))
      pageToken = body.result.nextPageToken ?? body.result.pageToken
    }
    assert.deepEqual(seen, ids)
    assert.equal(pages, 3)
  })

  it('by their ids has at most 16 megabytes; a call for more is refused', async () => {
    const key = await (await startServer()).newKey()
    const documentIds = await addLargeDocuments(key, 300)
    const answer = await key.post(getDocuments.path, { organizationId: 'acme', documentIds })
    assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'too_many_bytes')
    const found = await key.call(getDocuments, { organizationId: 'acme', documentIds: documentIds.slice(0, 250) })
    assert.deepEqual(
      found.map(({ id }) => id),
      documentIds.slice(0, 250),
    )
  })

  it('is bounded likewise for organizations', async () => {
    const key = await (await startServer()).newKey()
    const organizationIds = Array.from({ length: 270 }, (_, nth) => `o${nth}`)
    for (let at = 0; at < organizationIds.length; at += 90) {
      const organizations = organizationIds
        .slice(at, at + 90)
        .map((organizationId) => ({ organizationId, filler: LARGE }))
      await key.call(addOrganizations, { organizations })
    }
    const answer = await key.post(getOrganizations.path, { organizationIds })
    assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'too_many_bytes')
    assert.equal((await key.call(getOrganizations, { organizationIds: organizationIds.slice(0, 240) })).length, 240)
  })

  it('is bounded likewise for threads', async () => {
    const key = await newKeyWithDocuments(await startServer())
    const commentHtml = 'x'.repeat(LIMITS.commentHtmlCharactersMax)
    const commentData = Array.from({ length: 100 }, () => comment('ada', { commentHtml }))
    for (const annotationId of ['a', 'b', 'c', 'd']) await addThread(key, { annotationId, commentData })
    const answer = await key.post(getThreads.path, { organizationId: 'acme', annotationIds: ['a', 'b', 'c', 'd'] })
    assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'too_many_bytes')
    const found = await key.call(getThreads, { organizationId: 'acme', annotationIds: ['a', 'b', 'c'] })
    assert.equal((found as unknown[]).length, 3)
  })
})
