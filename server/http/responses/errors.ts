/** Turns errors into responses, in one place. An unexpected error becomes INTERNAL; only the log has its details. */
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorEnvelope } from '#contract/core/envelope.ts'
import { STATUS } from '#contract/core/status.ts'
import { whyNotOffered } from '#contract/not-offered.ts'
import { constraintOf, toStatusError } from '#platform/db/pg-errors.ts'
import { html } from '#platform/html.ts'
import { Abandoned } from '#platform/lifetime.ts'
import { reference, sendPage } from '#platform/page.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'

const invalid = (reason: string, message: string) => new StatusError('INVALID_ARGUMENT', reason, message)

/** The refusals of the HTTP layer, by Fastify's error code. */
const FASTIFY_ERRORS: Record<string, (bodyBytesMax: number) => StatusError> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => invalid('content_type_invalid', 'The content-type must be application/json.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => invalid('body_invalid', 'The body is empty; it must be a JSON object.'),
  FST_ERR_CTP_BODY_TOO_LARGE: (max) => invalid('body_too_large', `The body must not have more than ${max} bytes.`),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => invalid('body_invalid', 'The body is not as long as content-length says.'),
}

/** Returns whether the API key was deleted during the call; its credentials are then no longer valid. */
const isKeyDeleted = (error: unknown): boolean => /_api_key_id_fkey$/.test(constraintOf(error))

function statusErrorOf(error: unknown, bodyBytesMax: number): StatusError {
  if (error instanceof StatusError) return error
  const code = (error as Partial<FastifyError>).code ?? ''
  const known = FASTIFY_ERRORS[code]
  if (known !== undefined) return known(bodyBytesMax)
  if (code.startsWith('FST_') && ((error as Partial<FastifyError>).statusCode ?? 500) < 500)
    return invalid('request_invalid', (error as Error).message)
  if (isKeyDeleted(error)) return credentialsInvalid(error)
  return (
    toStatusError(error) ??
    new StatusError('INTERNAL', 'internal', 'An internal error occurred; the log has the cause under the requestId.', {
      cause: error,
    })
  )
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Browsers open the address themselves: a failure is a page, not JSON. */
    isPage?: boolean
  }
  interface FastifyInstance {
    /** Returns the error that callers get for an error of the database of this app. */
    namingDatabase?: (error: StatusError) => StatusError
  }
}

export const envelopeOf = (error: StatusError, requestId: string): ErrorEnvelope => ({
  error: {
    message: error.message,
    status: error.status,
    reason: error.reason,
    ...(error.details === undefined ? {} : { details: error.details }),
    requestId,
  },
})

function sendError(reply: FastifyReply, request: FastifyRequest, error: StatusError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds))
  if (request.routeOptions?.config?.isPage === true) return sendErrorPage(reply, request, error)
  return reply
    .code(STATUS[error.status].http)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(envelopeOf(error, request.id)))
}

/** Responds to a person whose browser opened the address itself. The log has every such failure, under the reference. */
function sendErrorPage(reply: FastifyReply, request: FastifyRequest, error: StatusError): FastifyReply {
  request.log.warn({ requestId: request.id, reason: error.reason }, 'a page was refused')
  const [title, next] = titleAndNext(error)
  return sendPage(reply, STATUS[error.status].http, {
    title,
    body: html`<p>${error.message}</p><p>${next}</p>${reference(request.id)}`,
  })
}

function titleAndNext({ status, retryAfterSeconds = 60 }: StatusError): [title: string, next: string] {
  if (status === 'RESOURCE_EXHAUSTED') return ['Too many attempts', `Try again in ${retryAfterSeconds} seconds.`]
  if (status === 'INVALID_ARGUMENT') return ['This address is not valid', 'Check that you have copied all of it.']
  return ['That did not work', 'Try again in a minute.']
}

/** The connections that end with the response to a path that cannot be decoded. */
const ending = new WeakSet<Socket>()

/**
 * Responds to a path that cannot be decoded, and closes the connection. Such a request is refused before routing, so no
 * hook has run, and it has taken no turn: of those that were sent ahead on the connection, only the first is answered.
 */
export function respondToFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { socket } = request.raw
  if (ending.has(socket)) return void reply.hijack()
  ending.add(socket)
  reply.headers({ 'x-request-id': request.id, connection: 'close' })
  sendError(reply, request, invalid('request_invalid', error.message))
}

/** The faults of requests that do not reach the pipeline, by Node's error code. */
const CLIENT_ERRORS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers are too long.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive completely in time; send it again.',
}

/**
 * Responds to bytes that are not HTTP, have too long headers or arrive too slowly, and closes the connection. There is
 * no request yet. A connection on which nothing has arrived is closed without a response: a proxy that opened it ahead
 * would take that for the response to the request that it sends next.
 */
export function respondToClientError(requestId: string, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  if (socket.bytesRead === 0) return void socket.destroy()
  const message = CLIENT_ERRORS[error.code ?? ''] ?? 'This is not a valid HTTP request.'
  const body = JSON.stringify(envelopeOf(invalid('request_invalid', message), requestId))
  socket.end(
    `HTTP/1.1 ${STATUS.INVALID_ARGUMENT.http} Bad Request\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** Returns the part of an error that callers may see, and logs the rest. */
export function reportableError(error: unknown, request: FastifyRequest, bodyBytesMax: number): StatusError {
  // A caller who goes away while sending has the error code of a database that does.
  const found =
    error === request.raw.errored
      ? invalid('body_invalid', 'The connection ended before the body did; send it again.')
      : statusErrorOf(error, request.routeOptions.bodyLimit ?? bodyBytesMax)
  const status = request.server.namingDatabase?.(found) ?? found
  if (status instanceof Abandoned) request.log.info({ req: request }, 'the caller hung up')
  else if (status.status === 'INTERNAL') request.log.error({ err: status.cause ?? status }, 'unexpected error')
  else if (STATUS[status.status].http >= 500) request.log.warn({ err: status.cause ?? status }, status.message)
  return status
}

export function registerErrors(app: FastifyInstance, bodyBytesMax: number): void {
  app.setErrorHandler(async (error, request, reply) => {
    const first = await request.context.lookUp?.then(
      () => undefined,
      (refusal: unknown) => refusal,
    )
    return sendError(reply, request, reportableError(first ?? error, request, bodyBytesMax))
  })
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?', 1)
    return sendError(reply, request, pathUnknown(request.method, path, app.hasRoute({ method: 'POST', url: path })))
  })
}

function pathUnknown(method: string, path: string, isOperation: boolean): StatusError {
  const why = method === 'POST' ? whyNotOffered(path) : undefined
  if (why !== undefined)
    return new StatusError('UNIMPLEMENTED', 'operation_not_implemented', `${path} is not offered. ${why}`)
  const message = isOperation
    ? `${path} is called with POST, not ${method}.`
    : `There is no ${method} ${path}; the operations are listed at /reference.`
  return new StatusError('NOT_FOUND', 'path_unknown', message)
}
