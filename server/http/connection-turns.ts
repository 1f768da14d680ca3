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
/**
 * A connection with more requests waiting is closed. They arrive because Node parses all that it has read, 64 kB, before
 * it pauses: so many fit in there only if they are tiny, without credentials. Each takes about 6 kB of memory.
 */
const WAITING_ON_ONE_MAX = 500
/** While more requests wait on all connections together, a connection with more than `WAITING_MAX` is closed. */
const WAITING_ON_ALL_MAX = 10_000

interface Turns {
  /** The reply to the request that is being worked on, or whose response is not taken yet. */
  current: FastifyReply | undefined
  /** Begin the requests that wait, in order. */
  readonly waiting: (() => void)[]
}

/** Whether the server works on a request of a connection: not while its body is missing, or its response waits for a reader. */
export type IsWorkedOn = (socket: Socket) => boolean

/** Must be registered before every hook that does work. `ended` is called at the end of each request, answered or not. */
export function registerConnectionTurns(
  app: FastifyInstance,
  ended: (request: FastifyRequest, reply: FastifyReply) => void,
): IsWorkedOn {
  const connections = new WeakMap<Socket, Turns>()
  let waitingOnAll = 0

  function turnsOf(socket: Socket): Turns {
    const found = connections.get(socket)
    if (found !== undefined) return found
    const turns: Turns = { current: undefined, waiting: [] }
    connections.set(socket, turns)
    return turns
  }

  function beginNext(socket: Socket, turns: Turns): void {
    turns.current = undefined
    const next = turns.waiting.shift()
    if (next === undefined) return
    waitingOnAll--
    // Nobody gets the responses any more. What waits was not begun, and is forgotten with the connection.
    if (socket.destroyed) {
      waitingOnAll -= turns.waiting.splice(0).length
      return
    }
    if (turns.waiting.length === WAITING_MAX) socket.resume()
    socket.setTimeout(0) // while it is worked on
    next()
  }

  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    if (socket.destroyed) return // the rest of what was read before it was closed
    const turns = turnsOf(socket)
    const begin = () => {
      turns.current = reply
      whenOver(reply, () => {
        beginNext(socket, turns)
        ended(request, reply)
      })
      done()
    }
    if (turns.current === undefined) return begin()
    turns.waiting.push(AsyncResource.bind(begin)) // not in the async context of the request before it
    waitingOnAll++
    if (turns.waiting.length <= WAITING_MAX) return
    if (turns.waiting.length > WAITING_ON_ONE_MAX || waitingOnAll > WAITING_ON_ALL_MAX) socket.destroy()
    else socket.pause()
  })

  // Node sets the time-out of idle connections itself once the response is taken. Progress with a response counts as activity.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.raw.socket.setTimeout?.(UNTAKEN_MS)
    done(null, payload)
  })

  return (socket) => {
    const reply = connections.get(socket)?.current
    if (reply === undefined || !reply.request.raw.complete) return false
    return !reply.raw.writableEnded && !reply.raw.writableNeedDrain
  }
}
