/**
 * Drains the connections at a stop: requests that callers sent before it still get a response, and callers who send or
 * read too slowly do not keep the server from stopping.
 */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { IsWorkedOn } from './connection-turns.ts'

const QUIET_MS = 100
const DRAIN_MS_MAX = 2_000
/** How long a closing server waits for the rest of a request, and for a caller to read a response. */
const CALLER_MS_MAX = 5_000
/** How long it waits for all calls. The rest of the time of a stop is for jobs. */
const CALLS_MS_MAX = 20_000
const LOOK_MS = 250

export interface ConnectionDrain {
  /** Closes each connection after its next response, from now on. */
  announce(): void
  isAnnounced(): boolean
}

/**
 * Delays the closing of the server until no request has arrived for a moment. A closing server drops idle connections
 * and connections that it has not accepted yet, including requests that were sent on them and not read.
 */
export function registerConnectionDrain(app: FastifyInstance, isWorkedOn: IsWorkedOn): ConnectionDrain {
  const open = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  let requests = 0
  let announced = false
  app.addHook('onRequest', (_request, reply, done) => {
    requests++
    if (announced) reply.header('connection', 'close')
    done()
  })
  app.addHook('preClose', async () => {
    const end = performance.now() + DRAIN_MS_MAX
    let before: number
    do {
      before = requests
      for (const pauseMs of [QUIET_MS, 1, 1]) await sleep(pauseMs) // the last two give the event loop turns to accept and to read
    } while (requests !== before && performance.now() < end)
    if (app.server.listening) closeWaiting(app, open, isWorkedOn)
  })
  return {
    announce() {
      announced = true
    },
    isAnnounced: () => announced,
  }
}

/**
 * Closes the connections for whose callers a closing server would wait: Node checks no time-outs of requests any more,
 * and does not count a connection as idle on which nothing has ever arrived.
 */
function closeWaiting(app: FastifyInstance, open: ReadonlySet<Socket>, isWorkedOn: IsWorkedOn): void {
  const began = performance.now()
  const workedOnAt = new Map<Socket, number>()
  const timer = setInterval(() => {
    const now = performance.now()
    for (const socket of open) {
      if (now - began > CALLS_MS_MAX) socket.destroy()
      else if (isWorkedOn(socket)) workedOnAt.set(socket, now)
      else if (socket.bytesRead === 0 || now - (workedOnAt.get(socket) ?? began) > CALLER_MS_MAX) socket.destroy()
    }
  }, LOOK_MS)
  timer.unref()
  app.server.once('close', () => clearInterval(timer))
}
