/** Drains the connections at a stop: requests that callers sent before it still get a response. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const QUIET_MS = 100
const DRAIN_MS_MAX = 2_000

export interface ConnectionDrain {
  /** Closes each connection after its next response, from now on. */
  announce(): void
  isAnnounced(): boolean
}

/**
 * Delays the closing of the server until no request has arrived for a moment. A closing server drops idle connections
 * and connections that it has not accepted yet, including requests that were sent on them and not read.
 */
export function registerConnectionDrain(app: FastifyInstance): ConnectionDrain {
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
  })
  return {
    announce() {
      announced = true
    },
    isAnnounced: () => announced,
  }
}
