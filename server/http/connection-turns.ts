/**
 * Works on one request of a connection at a time (rules/contract.md#pipelined-requests). Requests that a caller sends
 * ahead wait until the earlier response was taken, so a caller who reads nothing holds one response and not one for
 * each request. If nothing of a response is taken for a while, its connection is closed.
 */
import { AsyncResource } from 'node:async_hooks'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { whenOver } from './request-end.ts'

/** A caller that takes nothing of a response for this long has disconnected, or never intended to read it. */
const UNTAKEN_MS = 30_000
/** A connection with more requests waiting is not read further. */
const WAITING_MAX = 32

interface Turns {
  /** Whether a request is being worked on, or its response is not taken yet. */
  isBusy: boolean
  /** Begin the requests that wait, in order. */
  readonly waiting: (() => void)[]
}

/** Must be registered before every hook that does work. `ended` is called at the end of each request, answered or not. */
export function registerConnectionTurns(
  app: FastifyInstance,
  ended: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const connections = new WeakMap<Socket, Turns>()

  function turnsOf(socket: Socket): Turns {
    const found = connections.get(socket)
    if (found !== undefined) return found
    const turns = { isBusy: false, waiting: [] }
    connections.set(socket, turns)
    return turns
  }

  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const turns = turnsOf(socket)
    const begin = () => {
      turns.isBusy = true
      whenOver(reply, () => {
        beginNext(socket, turns)
        ended(request, reply)
      })
      done()
    }
    if (!turns.isBusy) return begin()
    turns.waiting.push(AsyncResource.bind(begin)) // not in the async context of the request before it
    if (turns.waiting.length > WAITING_MAX) socket.pause()
  })

  // Node sets the time-out of idle connections itself once the response is taken. Progress with a response counts as activity.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.raw.socket.setTimeout?.(UNTAKEN_MS)
    done(null, payload)
  })
}

function beginNext(socket: Socket, turns: Turns): void {
  turns.isBusy = false
  const next = turns.waiting.shift()
  if (next === undefined) return
  // Nobody gets the responses any more. What waits was not begun, and is forgotten with the connection.
  if (socket.destroyed) return void turns.waiting.splice(0)
  if (turns.waiting.length === WAITING_MAX) socket.resume()
  socket.setTimeout(0) // while it is worked on
  next()
}
