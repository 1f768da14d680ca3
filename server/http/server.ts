/** Creates the HTTP server: its limits, the ids of requests, and a log line for each request. */
import { randomBytes } from 'node:crypto'
import { type FastifyInstance, fastify, LogController } from 'fastify'
import type { Log } from '#platform/log.ts'
import { keepAddresses } from './limits/forwarded-for.ts'
import { operationOf, registerRequestContext } from './request-context.ts'
import { respondToClientError, respondToFrameworkError } from './responses/errors.ts'

/** A request that has not arrived completely by then is refused. */
const REQUEST_TIMEOUT_MS = 60_000
/**
 * How long callers are told to keep an idle connection, and how much longer it stays open here (rules/contract.md#connections).
 * A proxy that keeps connections for longer would at times send a call into one that closes at that moment, and respond
 * with 502. Google's load balancers keep them for ten minutes, Caddy for two.
 */
const IDLE_TOLD_MS = 72_000
const IDLE_LONGER_MS = 548_000

export interface HttpServerOptions {
  log: Log
  bodyBytesMax: number
  trustProxy: string[] | undefined
  /** Called after each response. */
  requestCompleted(operation: string, status: number, ms: number): void
}

export function createHttpServer({
  log,
  bodyBytesMax,
  trustProxy,
  requestCompleted,
}: HttpServerOptions): FastifyInstance {
  const nextId = createRequestIds()
  const http = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyBytesMax,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: IDLE_TOLD_MS,
    trustProxy: trustProxy ?? false,
    genReqId: nextId,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: respondToFrameworkError,
    clientErrorHandler: (error, socket) => respondToClientError(nextId(), error, socket),
  }) as unknown as FastifyInstance
  http.server.keepAliveTimeoutBuffer = IDLE_LONGER_MS
  registerRequestContext(http)
  http.addHook('onRequest', (request, reply, done) => {
    if (trustProxy !== undefined) keepAddresses(request.raw.headers)
    reply.header('x-request-id', request.id)
    done()
  })
  http.addHook('onResponse', (request, reply, done) => {
    if (request.context.isHandedOver) return done()
    const ms = reply.elapsedTime
    requestCompleted(operationOf(request), reply.statusCode, ms)
    request.log.info({ req: request, res: reply, ms: Math.round(ms) }, 'request')
    done()
  })
  return http
}

/** Returns a generator of ids that are unique across all processes: a random part for the process and a count within it. */
function createRequestIds(): () => string {
  const run = randomBytes(6).toString('hex')
  let count = 0
  return () => `${run}-${(++count).toString(36)}`
}

/** Returns the URL that the server listens on, such as `http://127.0.0.1:8080`, with the actual port. */
export function listeningUrl(http: FastifyInstance, host: string): string {
  const address = http.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
