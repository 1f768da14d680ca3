/**
 * Stands between an example and the server, as a network does: it passes calls on, loses them, or responds in the
 * server's place.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cleanUp } from '#testing/clean-up.ts'

interface Call {
  path: string
  headers: IncomingHttpHeaders
  body: string
  response: ServerResponse
  /** The number of earlier calls on the same connection. */
  earlier: number
}

type Behaviour = (call: Call, server: string) => unknown

export interface Gate {
  readonly url: string
  /** Sets what happens to calls from now on. */
  behaviour: Behaviour
  /** The number of connections that were opened so far. */
  connections: number
  /** Refuses connections, like a server that is down. */
  close(): Promise<void>
  open(): Promise<void>
}

/** Hands the call to the server, with these headers in place of its own. */
export const passOn =
  (headers: Record<string, string> = {}): Behaviour =>
  async ({ path, headers: given, body, response }, server) => {
    const names = ['content-type', 'x-service-api-key', 'x-service-auth-token']
    const own = Object.fromEntries(names.map((name) => [name, String(given[name])]))
    const answer = await fetch(server + path, { method: 'POST', headers: { ...own, ...headers }, body })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  }

export const respond =
  (status: number, body: string, headers: Record<string, string> = {}): Behaviour =>
  ({ response }) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)

/** The decision that everything is allowed, with any status. */
export const allow = (status: number): Behaviour => respond(status, ALLOWED)

/** Redirects to an address where everything is allowed. A client that follows it has sent the credentials there. */
export const redirect: Behaviour = (call, server) =>
  (call.path === '/elsewhere' ? allow(200) : respond(307, '', { location: '/elsewhere' }))(call, server)

const ALLOWED = '{"result":{"status":"success","message":"","data":{"checks":[{"allowed":true}]}}}'

/** A client that waits this long gives up too late. */
const LATE_MS = 30_000

/** Responds too late, and then allows everything. */
export const respondLate: Behaviour = (call, server) => {
  const timer = setTimeout(() => allow(200)(call, server), LATE_MS)
  call.response.once('close', () => clearTimeout(timer))
}

/** Allows everything, but ends the response too late. Until then it sends a space at a time: no single read takes long. */
export const trickle: Behaviour = ({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const spaces = setInterval(() => response.write(' '), 200)
  const timer = setTimeout(() => response.end(ALLOWED), LATE_MS)
  response.once('close', () => {
    clearInterval(spaces)
    clearTimeout(timer)
  })
}

/** Closes a reused connection instead of responding, like a server that restarts. */
export const closeKept: Behaviour = (call, server) =>
  call.earlier > 0 ? call.response.destroy() : passOn()(call, server)

export async function startGate(server: string): Promise<Gate> {
  const earlier = new WeakMap<object, number>()
  const http = createServer(async (request, response) => {
    const call = {
      path: request.url ?? '',
      headers: request.headers,
      response,
      earlier: earlier.get(request.socket) ?? 0,
    }
    earlier.set(request.socket, call.earlier + 1)
    const body = Buffer.concat(await request.toArray()).toString()
    await gate.behaviour({ ...call, body }, server)
  })
  http.on('connection', () => {
    gate.connections++
  })
  const listen = async (port: number) => {
    http.listen(port, '127.0.0.1').unref()
    await once(http, 'listening')
  }
  await listen(0)
  const { port } = http.address() as AddressInfo
  const gate: Gate = {
    url: `http://127.0.0.1:${port}`,
    behaviour: passOn(),
    connections: 0,
    async close() {
      const closed = once(http, 'close')
      http.close()
      http.closeAllConnections()
      await closed
    },
    open: () => listen(port),
  }
  cleanUp(() => {
    http.closeAllConnections()
    http.close()
  })
  return gate
}
