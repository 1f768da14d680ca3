/**
 * Requests to addresses that callers choose (rules/events.md#outgoing-connections). What is guarded is the connection, not the URL: a name is
 * resolved once, every address it has is checked, and the connection goes to one of those very addresses. Redirects are
 * not followed, and an answer is read only so far.
 */
import { lookup as lookUp, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { addressInHost, isOwnAddress, isPublicAddress } from './addresses.ts'

/** What is kept of an answer. */
export const EXCERPT_BYTES_MAX = 1024
/** What is read of an answer; a longer one costs the connection. */
const ANSWER_BYTES_MAX = 16 * 1024
const HEADER_BYTES_MAX = 16 * 1024
const DNS_TIMEOUT_MS = 3_000
const DNS_TRIES = 2
/** A connection that is kept was checked when it was made. */
const KEEP_ALIVE_MS = 10_000

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<string[]>

export interface OutboundOptions {
  /** Addresses inside may be reached too. */
  allowPrivate: boolean
  resolve?: Resolve
  /** Which addresses may be reached; for tests, where all of them are inside. */
  isReachable?: (address: string) => boolean
}

export interface OutboundRequest {
  headers: Record<string, string>
  body: string
  /** Over everything: name, connection, answer. */
  timeoutMs: number
  signal?: AbortSignal
}

export interface OutboundResponse {
  /** Null: none came. */
  status: number | null
  /** Why none came, in a word or code. */
  error: string | null
  retryAfter: string | null
  /** The beginning of the answer's body. */
  excerpt: string
  durationMs: number
}

export interface Outbound {
  /** Never throws: that it failed is an answer too. */
  post(url: string, request: OutboundRequest): Promise<OutboundResponse>
  close(): Promise<void>
}

class NotAllowed extends Error {
  readonly code = 'address_not_allowed'
}

export function createOutbound({ allowPrivate, resolve, isReachable }: OutboundOptions): Outbound {
  const isAllowed = isReachable ?? ((address) => allowPrivate || (isPublicAddress(address) && !isOwnAddress(address)))
  const agent = new Agent({
    connect: guardedConnector(isAllowed, resolve ?? (allowPrivate ? resolveLocally : resolveInDns)),
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  })
  return {
    async post(url, { timeoutMs, signal, ...request }) {
      const began = performance.now()
      const timeout = AbortSignal.timeout(timeoutMs)
      const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
      const answer = await send(agent, url, request, either).catch((error: unknown) =>
        failure(timeout.aborted ? 'timeout' : wordOf(error)),
      )
      return { ...answer, durationMs: Math.round(performance.now() - began) }
    },
    close: () => agent.destroy(),
  }
}

type Sent = Omit<OutboundResponse, 'durationMs'>

const failure = (error: string): Sent => ({ status: null, error, retryAfter: null, excerpt: '' })

async function send(
  dispatcher: Dispatcher,
  url: string,
  request: Pick<OutboundRequest, 'headers' | 'body'>,
  signal: AbortSignal,
): Promise<Sent> {
  const { origin, pathname, search } = new URL(url)
  const answer = await dispatcher.request({ origin, path: pathname + search, method: 'POST', ...request, signal })
  const retryAfter = answer.headers['retry-after']
  return {
    status: answer.statusCode,
    error: null,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
    excerpt: await beginningOf(answer.body),
  }
}

/** The status has come: a body that then breaks off, goes on for too long or never ends changes nothing. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const kept: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (bytes < EXCERPT_BYTES_MAX) kept.push(chunk)
      bytes += chunk.length
      if (bytes > ANSWER_BYTES_MAX) break // which drops the connection
    }
  } catch {} // it broke off, or time is up
  return excerptOf(Buffer.concat(kept))
}

/** At most so many bytes, whole characters, and none that the database does not take. */
function excerptOf(bytes: Buffer): string {
  const text = bytes.subarray(0, EXCERPT_BYTES_MAX).toString('utf8').replaceAll('\0', '\ufffd')
  return new TextDecoder().decode(Buffer.from(text).subarray(0, EXCERPT_BYTES_MAX), { stream: true })
}

/** The code of an error, or of what it was caused by. Its message could name an address inside. */
function wordOf(error: unknown): string {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: unknown }
  if (error instanceof NotAllowed || (cause as Error | undefined) instanceof NotAllowed) return 'address_not_allowed'
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'error'
}

/** Connects to addresses that were checked, and to no others: those of a name are asked for once, by this. */
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
    if (!addresses.every(isAllowed)) throw new NotAllowed()
    return addresses
  }
  const connect = buildConnector({ lookup, allowH2: false, timeout: 0 } as buildConnector.BuildOptions)
  return (options, done) => {
    const address = addressInHost(options.hostname)
    if (address !== undefined && !isAllowed(address)) done(new NotAllowed(), null)
    else connect(options, done)
  }
}

const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES })

/** Asks the name servers without a thread: names that hang hold up nobody. */
async function resolveInDns(name: string): Promise<string[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length === 0 && v4.status === 'rejected') throw v4.reason
  return found
}

/** With names that only this machine knows. */
async function resolveLocally(name: string): Promise<string[]> {
  return (await lookUp(name, { all: true })).map(({ address }) => address)
}
