/**
 * Bounds the connections of callers (rules/contract.md#connections). Each is an open file of the process: without any
 * left, the process could neither accept callers nor reach its database. A caller needs no credentials to keep connections
 * open, so when there are too many, the address that has most of them loses its own.
 */
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { IsWorkedOn } from './connection-turns.ts'
import { rateLimitKey } from './limits/rate-limit.ts'

/** The process keeps at most this number, even if it may open more files. */
const CONNECTIONS_MAX = 20_000
/** The part of the files of the process that connections may be. The rest is for receivers and logs. */
const PART_OF_FILES = 0.8
/** The files that a process needs in any case, besides the connections to its database: code, logs, a few receivers. */
const OWN_FILES = 64
const CONNECTIONS_MIN = 10
/** Fewer connections than a small installation needs. */
const CONNECTIONS_FEW = 100
/** The part of all connections that is closed together, because the largest address is looked up for it. */
const PART_CLOSED = 0.01
const WARNINGS_APART_MS = 60_000

/** Closes connections beyond `max`: idle ones, or with unfinished requests or unread responses, the oldest first. */
export function registerConnectionShares(app: FastifyInstance, isWorkedOn: IsWorkedOn, max: number): void {
  /** The connections of each address, in the order in which they were opened. */
  const ofAddress = new Map<string, Set<Socket>>()
  let count = 0
  let warnedAt = Number.NEGATIVE_INFINITY

  function forget(address: string, socket: Socket): void {
    const sockets = ofAddress.get(address)
    if (!sockets?.delete(socket)) return
    count--
    if (sockets.size === 0) ofAddress.delete(address)
  }

  function closeSome(): void {
    let [largest, sockets] = ['', new Set<Socket>()]
    for (const [address, its] of ofAddress) if (its.size > sockets.size) [largest, sockets] = [address, its]
    const connections = sockets.size
    let left = Math.ceil(max * PART_CLOSED)
    for (const socket of sockets) {
      if (isWorkedOn(socket)) continue
      forget(largest, socket)
      socket.destroy()
      if (--left === 0) break
    }
    if (performance.now() - warnedAt < WARNINGS_APART_MS) return
    warnedAt = performance.now()
    app.log.warn(
      { address: largest, connections, max },
      'too many connections: those of the address with most are closed',
    )
  }

  // Apps that do not listen get no connections.
  app.addHook('onListen', (done) => {
    if (max < CONNECTIONS_FEW)
      app.log.warn({ max }, 'the process may open few files; raise their number with ulimit -n')
    done()
  })
  app.server.on('connection', (socket: Socket) => {
    const address = rateLimitKey(socket.remoteAddress ?? '')
    if (count >= max) closeSome()
    if (count >= max) return void socket.destroy()
    const sockets = ofAddress.get(address)
    if (sockets === undefined) ofAddress.set(address, new Set([socket]))
    else sockets.add(socket)
    count++
    socket.once('close', () => forget(address, socket))
  })
}

/**
 * Returns the number of callers' connections that a process may keep, from the number of files that it may open and of
 * its connections to the database.
 */
export function connectionsMax(databaseConnections: number, files: number = filesMax()): number {
  const free = Math.min(files * PART_OF_FILES, files - databaseConnections - OWN_FILES)
  return Math.max(CONNECTIONS_MIN, Math.min(CONNECTIONS_MAX, Math.floor(free)))
}

/** Returns how many files the process may open. Node has raised the limit as far as it may. */
function filesMax(): number {
  try {
    const files = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return Number(files ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY // not Linux
  }
}
