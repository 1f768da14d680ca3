/**
 * Sends requests to addresses that callers choose (rules/events.md#outgoing-connections). The check is on the connection, not on the URL: a
 * name is resolved once, all its addresses are checked, and the connection goes to one of them. Redirects are not followed,
 * and of a response only the beginning is read, or as much as the request allows.
 */
import { lookup as lookUp, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { addressInHost, isOwnAddress, isPublicAddress } from './addresses.ts'

/** The part of a response that is kept. */
export const EXCERPT_BYTES_MAX = 1024
/** The part of a response that is read. A longer response closes the connection. */
const RESPONSE_BYTES_MAX = 16 * 1024
const HEADER_BYTES_MAX = 16 * 1024
const DNS_TIMEOUT_MS = 3_000
const DNS_TRIES = 2
/** A kept-alive connection was checked when it was opened. */
const KEEP_ALIVE_MS = 10_000

/** Returns all addresses of a name. */
export type Resolve = (name: string) => Promise<string[]>

export interface OutboundOptions {
  /** Also allows internal addresses. */
  allowPrivate: boolean
  resolve?: Resolve
  /** Replaces the check of addresses; for tests, whose addresses are all internal. */
  isReachable?: (address: string) => boolean
}

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
export interface OutboundQuestion extends OutboundRequest {
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
   * `response_too_large`, or `response_encoded` when the body is compressed, which was not asked for.
   */
  ask(url: string, question: OutboundQuestion): Promise<OutboundAnswer>
  close(): Promise<void>
}

class AddressNotAllowed extends Error {
  readonly code = 'address_not_allowed'
}

/** Returns an HTTP client that connects only to checked addresses. */
export function guardedAgent({ allowPrivate, resolve, isReachable }: OutboundOptions): Agent {
  const isAllowed = isReachable ?? ((address) => allowPrivate || (isPublicAddress(address) && !isOwnAddress(address)))
  return new Agent({
    connect: guardedConnector(isAllowed, resolve ?? (allowPrivate ? resolveLocally : resolveInDns)),
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  })
}

export function createOutbound(options: OutboundOptions): Outbound {
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
  dispatcher: Dispatcher,
  url: string,
  { headers, body }: OutboundRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url)
  return dispatcher.request({ origin, path: pathname + search, method: 'POST', headers, body, signal })
}

type Sent = Omit<OutboundResponse, 'durationMs'>

const failure = (error: string): Sent => ({ status: null, error, retryAfter: null, excerpt: '' })

async function send(dispatcher: Dispatcher, url: string, request: OutboundRequest, signal: AbortSignal): Promise<Sent> {
  const response = await begin(dispatcher, url, request, signal)
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
  dispatcher: Dispatcher,
  url: string,
  { responseBytesMax, ...request }: OutboundQuestion,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  const { statusCode: status, headers, body } = await begin(dispatcher, url, request, signal)
  const encoding = headers['content-encoding'] ?? 'identity'
  const isReadable = status === 200 && encoding === 'identity'
  const whole = await readWhole(body, isReadable ? responseBytesMax : 0)
  if (status !== 200) return { status, error: null, body: NOTHING }
  if (encoding !== 'identity') return { status, error: 'response_encoded', body: NOTHING }
  return whole === undefined
    ? { status, error: 'response_too_large', body: NOTHING }
    : { status, error: null, body: whole }
}

/** Reads a body; undefined if it has more bytes. Whatever is left of it drops the connection. */
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

/** Returns the code of an error or of its cause. Its message could reveal an internal address. */
export function errorCodeOf(error: unknown): string {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: unknown }
  if (error instanceof AddressNotAllowed || (cause as Error | undefined) instanceof AddressNotAllowed)
    return 'address_not_allowed'
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'error'
}

/** Returns a connector that connects only to checked addresses. It resolves each name itself, once. */
function guardedConnector(isAllowed: (address: string) => boolean, resolve: Resolve): buildConnector.connector {
  const lookup: LookupFunction = (name, options, done) => {
    checkedAddresses(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        if (options.all) done(null, found)
        else done(null, found[0]?.address ?? '', found[0]?.family)
      },
      (error) => done(error, '', 0),
    )
  }
  async function checkedAddresses(name: string): Promise<string[]> {
    const addresses = await resolve(name)
    if (addresses.length === 0) throw Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' })
    if (!addresses.every(isAllowed)) throw new AddressNotAllowed()
    return addresses
  }
  const connect = buildConnector({ lookup, allowH2: false, timeout: 0 } as buildConnector.BuildOptions)
  return (options, done) => {
    const address = addressInHost(options.hostname)
    if (address !== undefined && !isAllowed(address)) done(new AddressNotAllowed(), null)
    else connect(options, done)
  }
}

const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES })

/** Queries the name servers without using a thread, so that slow names do not block others. */
async function resolveInDns(name: string): Promise<string[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length === 0 && v4.status === 'rejected') throw v4.reason
  return found
}

/** Resolves names as this machine does, including those that only it knows. */
async function resolveLocally(name: string): Promise<string[]> {
  return (await lookUp(name, { all: true })).map(({ address }) => address)
}
