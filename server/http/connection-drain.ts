/** The beginning of a stop: what callers had sent before it is still read and answered. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const QUIET_MS = 100
const DRAIN_MS_MAX = 2_000

export interface ConnectionDrain {
  /** The server is about to stop: answers end their connections from here on. */
  announce(): void
  isAnnounced(): boolean
}

/**
 * A server that closes cuts off the connections that look idle and those it has not accepted yet, with any request that
 * was sent on them and not read. So it goes on until nothing new has come for a moment.
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
      for (const pauseMs of [QUIET_MS, 1, 1]) await sleep(pauseMs) // the last two: turns in which to accept and to read
    } while (requests !== before && performance.now() < end)
  })
  return {
    announce() {
      announced = true
    },
    isAnnounced: () => announced,
  }
}
