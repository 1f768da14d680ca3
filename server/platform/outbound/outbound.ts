/**
 * Posts requests to addresses that callers choose (rules/events.md#outgoing-connections), through the guarded agent.
 * Redirects are not followed. Only the beginning of a response is read, or as much as the request allows.
 */
import type { Dispatcher } from 'undici'
import { errorCodeOf, type GuardedAgent, type GuardOptions, guardedAgent } from './guarded-agent.ts'

/** The part of a response that is kept. */
export const EXCERPT_BYTES_MAX = 1024
/** The part of a response that is read. A longer response closes the connection. */
const RESPONSE_BYTES_MAX = 16 * 1024

export interface OutboundRequest {
  headers: Record<string, string>
  body: string
  /** The timeout of the whole request: name resolution, connection, response. */
  timeoutMs: number
  signal?: AbortSignal
}

export interface OutboundResponse {
  /** Null: there was no response. */
  status: number | null
  /** Why there was no response, as a code. */
  error: string | null
  retryAfter: string | null
  /** The beginning of the body. */
  excerpt: string
  durationMs: number
}

/** A request whose response matters. */
interface OutboundQuestion extends OutboundRequest {
  /** A longer response is an error. */
  responseBytesMax: number
}

export interface OutboundAnswer extends Pick<OutboundResponse, 'status' | 'error'> {
  /** The whole body of a response that reports success; otherwise empty. */
  body: Buffer
}

export interface Outbound {
  /** Posts a request. Never throws: a failure is returned as an error. */
  post(url: string, request: OutboundRequest): Promise<OutboundResponse>
  /**
   * Posts a request and reads the response to its end. Never throws: a failure is returned as an error, such as
   * `response_too_large`, or `response_encoded` if the body is compressed although the request did not allow it.
   */
  ask(url: string, question: OutboundQuestion): Promise<OutboundAnswer>
  close(): Promise<void>
}

export function createOutbound(options: GuardOptions): Outbound {
  const agent = guardedAgent(options)
  return {
    async post(url, request) {
      const began = performance.now()
      const sent = await inTime(request, (signal) => send(agent, url, request, signal), failure)
      return { ...sent, durationMs: Math.round(performance.now() - began) }
    },
    ask: (url, question) => inTime(question, (signal) => ask(agent, url, question, signal), unanswered),
    close: () => agent.destroy(),
  }
}

/** Runs `work` until its timeout or signal; returns what `failed` makes of the code of its error. */
function inTime<Result>(
  { timeoutMs, signal }: Pick<OutboundRequest, 'timeoutMs' | 'signal'>,
  work: (signal: AbortSignal) => Promise<Result>,
  failed: (error: string) => Result,
): Promise<Result> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
  return work(either).catch((error: unknown) => failed(timeout.aborted ? 'timeout' : errorCodeOf(error)))
}

function begin(
  agent: GuardedAgent,
  url: string,
  { headers, body }: OutboundRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url)
  return agent.request({ origin, path: pathname + search, method: 'POST', headers, body, signal })
}

type Sent = Omit<OutboundResponse, 'durationMs'>

const failure = (error: string): Sent => ({ status: null, error, retryAfter: null, excerpt: '' })

async function send(agent: GuardedAgent, url: string, request: OutboundRequest, signal: AbortSignal): Promise<Sent> {
  const response = await begin(agent, url, request, signal)
  const retryAfter = response.headers['retry-after']
  return {
    status: response.statusCode,
    error: null,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
    excerpt: await readExcerpt(response.body),
  }
}

const NOTHING = Buffer.alloc(0)

const unanswered = (error: string): OutboundAnswer => ({ status: null, error, body: NOTHING })

async function ask(
  agent: GuardedAgent,
  url: string,
  { responseBytesMax, ...request }: OutboundQuestion,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  const { statusCode: status, headers, body } = await begin(agent, url, request, signal)
  const encoding = headers['content-encoding'] ?? 'identity'
  const isReadable = status === 200 && encoding === 'identity'
  const whole = await readWhole(body, isReadable ? responseBytesMax : 0)
  if (status !== 200) return { status, error: null, body: NOTHING }
  if (encoding !== 'identity') return { status, error: 'response_encoded', body: NOTHING }
  return whole === undefined
    ? { status, error: 'response_too_large', body: NOTHING }
    : { status, error: null, body: whole }
}

/** Reads a body; undefined if it has more bytes. A body that was not read to its end drops the connection. */
export async function readWhole(body: Dispatcher.ResponseData['body'], bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads the beginning of a body. The status has arrived, so a body that breaks off, is too long or never ends is not an error. */
async function readExcerpt(body: Dispatcher.ResponseData['body']): Promise<string> {
  const kept: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (bytes < EXCERPT_BYTES_MAX) kept.push(chunk)
      bytes += chunk.length
      if (bytes > RESPONSE_BYTES_MAX) break // drops the connection
    }
  } catch {} // the body broke off, or the timeout passed
  return excerptOf(Buffer.concat(kept))
}

/** Returns an excerpt of whole characters, without NUL, which the database cannot store. */
function excerptOf(bytes: Buffer): string {
  const text = bytes.subarray(0, EXCERPT_BYTES_MAX).toString('utf8').replaceAll('\0', '\ufffd')
  return new TextDecoder().decode(Buffer.from(text).subarray(0, EXCERPT_BYTES_MAX), { stream: true })
}
