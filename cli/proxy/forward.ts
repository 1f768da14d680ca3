/** Passes calls on to a service, unchanged and streaming in both directions, and reports the findings about each. */
import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import https from 'node:https'
import { pipeline } from 'node:stream/promises'
import { verdictOf } from './findings.ts'
import { maskedPath, type RecordedCall } from './recording.ts'
import { inspectRequest } from './requests.ts'
import { inspectFailure } from './responses.ts'

/** The bytes of a body that are kept to be checked; all of it is passed on. */
const INSPECTED_BYTES_MAX = 1024 * 1024

/** The headers that belong to one connection, not to the call (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
]

/** A new connection for each call: a kept one may be closed by the service just as a call is sent. */
const AGENTS = { 'http:': new http.Agent({ keepAlive: false }), 'https:': new https.Agent({ keepAlive: false }) }

/** Passes a call on. Resolves when the response was passed back; failures of the service are responses with 502. */
export async function forward(target: URL, request: IncomingMessage, response: ServerResponse): Promise<RecordedCall> {
  const started = performance.now()
  const at = new Date().toISOString()
  const sent = collector(request)
  const received: { body: Collected | undefined; status: number; encoding: string | undefined } = {
    body: undefined,
    status: 0,
    encoding: undefined,
  }
  try {
    const answer = await exchange(target, request, response)
    received.status = answer.statusCode ?? 0
    received.encoding = answer.headers['content-encoding']
    received.body = collector(answer)
    response.sendDate = false // the date is that of the service, if it has one
    response.writeHead(received.status, answer.statusMessage, headersOf(answer))
    await pipeline(answer, response)
  } catch (error) {
    received.status = fail(target, request, response, error)
  }
  return described(request, received, sent, at, Math.round(performance.now() - started))
}

/** Sends the request, and resolves with the response when its headers have arrived. */
function exchange(target: URL, request: IncomingMessage, response: ServerResponse): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const isSecure = target.protocol === 'https:'
  const outgoing = (isSecure ? https : http).request({
    protocol: target.protocol,
    hostname: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port,
    method: request.method,
    path: target.pathname.replace(/\/$/, '') + (request.url ?? '/'),
    headers: { ...headersOf(request), host: target.host },
    agent: AGENTS[isSecure ? 'https:' : 'http:'],
  })
  outgoing.on('response', resolve)
  outgoing.on('error', reject)
  response.on('close', () => outgoing.destroy()) // the program hung up, or has its response
  pipeline(request, outgoing).catch(reject)
  return promise
}

/** Returns the headers of a message, with repeated ones as lists, without those of its connection. */
function headersOf({ rawHeaders, headers }: IncomingMessage): OutgoingHttpHeaders {
  const own = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const kept = new Map<string, string[]>() // a name may be `constructor`
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    if (HOP_BY_HOP.includes(name) || own.includes(name)) continue
    kept.set(name, [...(kept.get(name) ?? []), rawHeaders[at + 1] ?? ''])
  }
  return Object.fromEntries([...kept].map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}

/** Responds with 502 if that is still possible. Returns the status that the program got; 0 if it hung up. */
function fail(target: URL, request: IncomingMessage, response: ServerResponse, error: unknown): number {
  if (response.destroyed || request.socket.destroyed) return 0
  if (response.headersSent) {
    response.destroy()
    return response.statusCode
  }
  const code = (error as NodeJS.ErrnoException).code ?? (error as Error).message
  const message = `commonhold proxy cannot reach ${target.origin} (${code}).`
  const body = JSON.stringify({ error: { message, status: 'UNAVAILABLE', reason: 'proxy_target_unreachable' } })
  response.writeHead(BAD_GATEWAY, { 'content-type': 'application/json' }).end(body)
  return BAD_GATEWAY
}

const BAD_GATEWAY = 502

interface Collected {
  /** Undefined if the body was longer than the part that is kept. */
  readonly body: Buffer | undefined
  readonly bytes: number
}

/** Keeps the beginning of a stream that somebody else reads. */
function collector(stream: IncomingMessage): Collected {
  let chunks: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > INSPECTED_BYTES_MAX) chunks = []
    else chunks.push(chunk)
  })
  return {
    get body() {
      return bytes > INSPECTED_BYTES_MAX ? undefined : Buffer.concat(chunks)
    },
    get bytes() {
      return bytes
    },
  }
}

const PREFIXED = /^x-([a-z0-9]+(?:-[a-z0-9]+)*?)-(?:api-key|auth-token|workspace-id|workspace-auth-token)$/

function described(
  request: IncomingMessage,
  received: { body: Collected | undefined; status: number; encoding: string | undefined },
  sent: Collected,
  at: string,
  ms: number,
): RecordedCall {
  const { method = '', url = '/' } = request
  const [path = '/'] = url.split('?', 1)
  const headerPrefix = Object.keys(request.headers)
    .map((name) => PREFIXED.exec(name)?.[1])
    .find((word) => word !== undefined)
  const headers = {
    'content-type': request.headers['content-type'],
    'content-encoding': request.headers['content-encoding'],
  }
  const inspected = inspectRequest({ method, path, headerPrefix, headers, body: sent.body, bytes: sent.bytes })
  const isFailure = received.status >= FIRST_FAILURE
  const onFailure = isFailure ? inspectFailure(inspected.operation?.name, received.body?.body, received.encoding) : []
  const findings = [...inspected.findings, ...onFailure]
  return {
    at,
    method,
    path: maskedPath(path),
    ...(inspected.operation === undefined ? {} : { operation: inspected.operation.name }),
    status: received.status,
    ms,
    requestBytes: sent.bytes,
    responseBytes: received.body?.bytes ?? 0,
    ...(headerPrefix === undefined ? {} : { headerPrefix }),
    fields: inspected.fields,
    verdict: verdictOf(findings),
    findings,
  }
}

const FIRST_FAILURE = 400
