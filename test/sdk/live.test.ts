/** The client follows a live stream: events have types, and the stream resumes where the connection broke, until the caller stops. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'vitest'
import { deleteThreads } from '#contract/comments/threads.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { CommonholdError, createUserClient, type ReceivedLiveEvent } from '#sdk/index.ts'
import { afterThisFile } from '#testing/clean-up.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, newKeyWithDocuments, ON_ROADMAP, organizationId } from '#testing/threads.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a server that gives these answers in order, and returns its address and the requested positions. */
async function scripted(...answers: Answer[]): Promise<{ url: string; positions: (string | undefined)[] }> {
  const positions: (string | undefined)[] = []
  const server = createServer((request, response) => {
    positions.push(request.headers['last-event-id'] as string | undefined)
    const answer = answers.shift()
    if (answer === undefined) response.destroy()
    else answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterThisFile(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, positions }
}

const stream =
  (text: string, after: 'end' | 'break' | 'open'): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.write(text)
    if (after === 'end') response.end()
    if (after === 'break') setTimeout(() => response.destroy(), 50)
  }
const refusal =
  (http: number, status: string, reason: string): Answer =>
  (_, response) =>
    response
      .writeHead(http, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { status, reason, message: 'No.', requestId: 'r' } }))
const READY = 'event: ready\ndata: {"documents":{}}\n\n'
const inbox = (id: string) =>
  `event: inbox\ndata: {"organizationId":"acme","notificationIds":["${id}"]}\n\nid: after-${id}\n\n`

async function followed(url: string, count = Number.POSITIVE_INFINITY) {
  const received: ReceivedLiveEvent[] = []
  try {
    for await (const event of createUserClient({ url, userToken: 'a.b.c' }).live({ organizationId: 'acme' })) {
      received.push(event)
      if (received.length === count) break
    }
    return { received, error: undefined }
  } catch (error) {
    return { received, error }
  }
}

describe('live', () => {
  it('yields the events of the server with their types, and stops with the signal', async () => {
    const server = await sharedServer()
    const key = await newKeyWithDocuments(server)
    const { token } = await key.call(generateToken, { userId: 'ada' })
    const client = createUserClient({ url: server.url, userToken: () => token })
    const stop = new AbortController()
    const seen: unknown[] = []
    const following = async () => {
      for await (const { event, data, lastEventId } of client.live(
        { organizationId, documentIds: ['roadmap'] },
        { signal: stop.signal },
      )) {
        if (event === 'ready') {
          seen.push(data.documents.roadmap)
          await addThread(key)
        } else if (event === 'thread' && data.thread) {
          seen.push(data.thread.comments.length)
          assert.notEqual(lastEventId, '')
          await key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: [data.annotationId] })
        } else if (event === 'thread') {
          seen.push(data.thread)
          stop.abort(new Error('enough'))
        }
      }
    }
    await assert.rejects(following(), /enough/)
    assert.deepEqual(seen, [true, 1, null])
  })

  it('resumes from the last position after a broken connection, a stop of the server and its failures', async () => {
    const { url, positions } = await scripted(
      stream(`${READY}${inbox('1')}: heartbeat\nid: later\n\n`, 'break'),
      refusal(503, 'UNAVAILABLE', 'shutting_down'),
      stream(`${READY}${inbox('2')}event: end\ndata: {"reason":"stopping"}\n\n`, 'end'),
      stream(`event: new_kind\ndata: {}\n\n${inbox('3')}`, 'open'),
    )
    const { received } = await followed(url, 6)
    assert.deepEqual(
      received.map(({ event, lastEventId }) => [event, lastEventId]),
      [
        ['ready', ''],
        ['inbox', ''],
        ['ready', 'later'],
        ['inbox', 'later'],
        ['new_kind', 'after-2'],
        ['inbox', 'after-2'],
      ],
    )
    assert.deepEqual(positions, [undefined, 'later', 'later', 'after-2'])
  })

  it('starts again if the server no longer knows the position, and throws permanent refusals', async () => {
    const { url, positions } = await scripted(
      stream(`${READY}id: old\n\n`, 'end'),
      refusal(400, 'INVALID_ARGUMENT', 'page_token_invalid'),
      stream(READY, 'end'),
      refusal(401, 'UNAUTHENTICATED', 'credentials_invalid'),
    )
    const { received, error } = await followed(url)
    assert.deepEqual([received.length, positions], [2, [undefined, 'old', undefined, undefined]])
    assert.ok(error instanceof CommonholdError && error.reason === 'credentials_invalid')
  })

  it('yields texts with line separators, which JSON does not escape', async () => {
    const id = '\u2028event: end\u2029\u0085'
    const { url, positions } = await scripted(stream(`${READY}${inbox(id)}`, 'open'))
    const { received, error } = await followed(url, 2)
    assert.deepEqual([error, positions.length], [undefined, 1])
    assert.deepEqual(received[1]?.data, { organizationId: 'acme', notificationIds: [id] })
  })

  it('waits for the function of the user token when it fails, and stops also while it hangs', async () => {
    const { url, positions } = await scripted(stream(READY, 'open'))
    let calls = 0
    const stop = new AbortController()
    const userToken = () => {
      if (++calls === 1) throw new TypeError('fetch failed')
      return calls === 2 ? 'a.b.c' : new Promise<string>(() => {})
    }
    const client = createUserClient({ url, userToken })
    for await (const { event } of client.live({ organizationId: 'acme' })) if (event === 'ready') break
    assert.deepEqual([calls, positions.length], [2, 1])
    const hanging = client.live({ organizationId: 'acme' }, { signal: stop.signal }).next()
    setTimeout(() => stop.abort(new Error('enough')), 50)
    await assert.rejects(hanging, /enough/)
  })

  it('closes the connection when the caller leaves the loop', async () => {
    const closed = Promise.withResolvers<void>()
    const { url } = await scripted((request, response) => {
      request.once('close', () => closed.resolve())
      stream(READY, 'open')(request, response)
    })
    await followed(url, 1)
    await closed.promise
  })
})
