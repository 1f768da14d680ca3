/** Connections on which nothing arrives, or too slowly: proxies keep them, and never take a refusal for a response. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { describe, it } from 'vitest'
import { cleanUp } from '#testing/clean-up.ts'
import { createHttpServer } from './server.ts'

/** The longest fixed time for which a known load balancer keeps idle connections. */
const LOAD_BALANCER_MS = 600_000

/** Waits only a moment for a request. */
const BRIEFLY = { requestTimeout: 100, headersTimeout: 100, connectionsCheckingInterval: 20 }

/** Starts a server and returns its connections too. */
async function start(waits: object = {}) {
  const log = pino({ level: 'silent' })
  const http = createHttpServer({ log, bodyBytesMax: 1024, trustProxy: undefined, requestCompleted: () => {} })
  const sockets: Socket[] = []
  http.server.on('connection', (socket: Socket) => sockets.push(socket))
  Object.assign(http.server, waits)
  cleanUp(() => http.close())
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  return { url, port: Number(new URL(url).port), sockets }
}

/** Sends text and nothing more, and returns all that the server sends until it closes the connection. */
async function responseTo(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  cleanUp(() => socket.destroy())
  let received = ''
  socket.setEncoding('utf8').on('data', (part: string) => {
    received += part
  })
  socket.write(text)
  await once(socket, 'close')
  return received
}

describe('a connection', () => {
  it('that is idle stays open for longer than load balancers keep it, and than callers are told', async () => {
    const { url, sockets } = await start()
    const response = await fetch(url)
    await response.text()
    const toldMs = Number(/^timeout=(\d+)$/.exec(response.headers.get('keep-alive') ?? '')?.[1]) * 1_000
    const openMs = sockets[0]?.timeout ?? 0
    assert.ok(openMs > Math.max(toldMs, LOAD_BALANCER_MS), `callers are told ${toldMs} ms, and closed after ${openMs}`)
  })

  it('on which nothing arrives is closed without a response', async () => {
    const { port } = await start(BRIEFLY)
    assert.equal(await responseTo(port, ''), '')
  })

  it('on which a request does not arrive completely gets a response that says so', async () => {
    const { port } = await start(BRIEFLY)
    const response = await responseTo(port, 'POST / HTTP/1.1\r\nhost: x\r\n')
    assert.match(response, /^HTTP\/1.1 400 .*The request did not arrive completely in time; send it again\./s)
  })
})
