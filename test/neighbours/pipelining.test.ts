/**
 * The server works on requests that a caller sends ahead on one connection one at a time, as the caller reads their
 * responses (rules/contract.md#pipelined-requests).
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'vitest'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { IN_BUCKETS } from '#testing/buckets.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { startServer } from '#testing/server.ts'

const METRICS_TOKEN = 'metrics-token-of-this-test'
const server = await startServer({ METRICS_TOKEN })
const key = await server.newKey()

/** A page of two megabytes; a connection of this machine buffers a few of them that nobody reads. */
const TEXT = 'a text of lines that compresses\n'.repeat(1_900)
await key.call(addDocuments, {
  ...{ organizationId: 'acme', createOrganization: true },
  documents: Array.from({ length: 40 }, (_, nth) => ({ documentId: `d${nth}`, filler: TEXT })),
})
const PAGES = 20
const PAGE = { organizationId: 'acme' }

function requestOf({ headers }: Client, path: string, data: object): string {
  const body = JSON.stringify({ data })
  const lines = { ...headers, host: 'x', 'content-type': 'application/json', 'content-length': body.length }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`
}

/** Sends requests on one connection, and reads nothing. */
async function sendAhead(requests: readonly string[]): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {})
  socket.pause()
  cleanUp(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(requests.join(''))
  return socket
}

/** Returns the statuses of `count` responses, which are read to their ends. */
async function statusesOf(socket: Socket, count: number): Promise<string[]> {
  let rest = Buffer.alloc(0)
  const statuses: string[] = []
  for await (const chunk of socket) {
    rest = Buffer.concat([rest, chunk as Buffer])
    for (;;) {
      const headEnd = rest.indexOf('\r\n\r\n')
      if (headEnd < 0) break
      const head = rest.subarray(0, headEnd).toString('latin1')
      const end = headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1])
      if (rest.length < end) break
      statuses.push(head.slice(9, 12))
      rest = rest.subarray(end)
    }
    if (statuses.length === count) break
  }
  return statuses
}

/** Returns how many pages of documents were begun, in the database of the key. */
async function pagesBegun(): Promise<number> {
  const answer = await fetch(`${server.url}/metrics${IN_BUCKETS ? '?bucket=tested' : ''}`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  })
  const runs = /commonhold_statement_duration_seconds_count\{statement="documents.list"\} (\d+)/.exec(
    await answer.text(),
  )
  return Number(runs?.[1] ?? 0)
}

/** Returns the number of pages begun once it no longer grows. */
async function settled(): Promise<number> {
  let last = await pagesBegun()
  await eventually('no more pages', async () => {
    for (let look = 0; look < 5; look++) await key.post(getOrganizations.path, {})
    const before = last
    last = await pagesBegun()
    return (last === before && last > 0) || undefined
  })
  return last
}

describe('requests that are sent ahead on a connection', () => {
  it('are not begun while nobody reads the responses, and are all answered once somebody reads them', async () => {
    const before = await pagesBegun()
    const socket = await sendAhead(Array.from({ length: PAGES }, () => requestOf(key, getDocuments.path, PAGE)))
    const begun = (await settled()) - before
    assert.ok(begun >= 1 && begun < PAGES / 2, `${begun} of ${PAGES} pages were begun`)
    // Large calls of the same key still find memory, because the connection holds one response.
    assert.equal((await key.post(getDocuments.path, PAGE)).http, 200)
    assert.deepEqual(
      await statusesOf(socket, PAGES),
      Array.from({ length: PAGES }, () => '200'),
    )
  })

  it('are forgotten when the connection ends', async () => {
    const socket = await sendAhead(Array.from({ length: PAGES }, () => requestOf(key, getDocuments.path, PAGE)))
    const begun = await settled()
    socket.destroy()
    assert.ok((await settled()) - begun < PAGES / 2)
  })

  it('are answered in order, however many there are', async () => {
    const known = requestOf(key, getOrganizations.path, {})
    const unknown = requestOf(key, '/v2/nothing', {})
    const count = 500
    const socket = await sendAhead(Array.from({ length: count }, (_, nth) => (nth % 3 === 0 ? unknown : known)))
    const expected = Array.from({ length: count }, (_, nth) => (nth % 3 === 0 ? '404' : '200'))
    assert.deepEqual(await statusesOf(socket, count), expected)
  })

  it('close their connection if so many wait that they would fill the memory', async () => {
    /** Returns whether the connection was closed before all responses came. */
    const isClosed = (socket: Socket, count: number) =>
      statusesOf(socket, count).then(
        ({ length }) => length < count,
        () => true, // it was reset
      )
    const known = requestOf(key, getOrganizations.path, {})
    const tiny = Array.from({ length: 1_800 }, () => 'GET /x HTTP/1.1\r\nhost: x\r\n\r\n')
    assert.ok(await isClosed(await sendAhead([known, ...tiny]), 1_801))
    const many = await Promise.all(
      Array.from({ length: 80 }, () => sendAhead(Array.from({ length: 240 }, () => known))),
    )
    await Promise.any(many.map(async (socket) => assert.ok(await isClosed(socket, 240))))
    for (const socket of many) socket.destroy()
    // Requests that waited on closed connections no longer count.
    const few = await Promise.all(Array.from({ length: 80 }, () => sendAhead([known, known, known])))
    for (const socket of few) assert.deepEqual(await statusesOf(socket, 3), ['200', '200', '200'])
  })

  it('end with the first path that cannot be decoded, which closes the connection', async () => {
    const known = requestOf(key, getOrganizations.path, {})
    const undecodable = 'GET /v2/%ff HTTP/1.1\r\nhost: x\r\n\r\n'
    const socket = await sendAhead([known, ...Array.from({ length: 500 }, () => undecodable), known])
    assert.deepEqual(await statusesOf(socket, Number.POSITIVE_INFINITY), ['200', '400'])
  })
})
