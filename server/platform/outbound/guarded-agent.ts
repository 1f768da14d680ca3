/**
 * The HTTP client for addresses that callers choose (rules/events.md#outgoing-connections). The check is on the
 * connection, not on the URL: a name is resolved once, all its addresses are checked, and the connection goes to one of
 * them.
 */
import { lookup as lookUp, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import { addressInHost, isOwnAddress, isPublicAddress } from './addresses.ts'

const HEADER_BYTES_MAX = 16 * 1024
const DNS_TIMEOUT_MS = 3_000
const DNS_TRIES = 2
/** A kept-alive connection was checked when it was opened. */
const KEEP_ALIVE_MS = 10_000
/** A connection that takes longer is given up. No request waits that long for one. */
const CONNECT_MS = 15_000

/** Returns all addresses of a name. */
type Resolve = (name: string) => Promise<string[]>

export interface GuardOptions {
  allowPrivate: boolean
  resolve?: Resolve
  /** Replaces the check of addresses; for tests, whose addresses are all internal. */
  isReachable?: (address: string) => boolean
}

class AddressNotAllowed extends Error {
  readonly code = 'address_not_allowed'
}

export interface GuardedAgent {
  /** Ends with the signal of the request, also while there is no connection yet. */
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>
  /** Ends all requests under way. */
  destroy(): Promise<void>
}

/**
 * Returns an HTTP client that connects only to checked addresses. Its package is loaded with the first request, which
 * many servers never make.
 */
export function guardedAgent(options: GuardOptions): GuardedAgent {
  let opened: Promise<Agent> | undefined
  return {
    async request(request) {
      opened ??= openAgent(options)
      return untilAborted((await opened).request(request), request.signal as AbortSignal | undefined)
    },
    async destroy() {
      await (await opened)?.destroy()
    },
  }
}

/**
 * The agent itself looks at the signal only when it has a connection: a receiver that is silent in the handshake
 * would hold a request indefinitely.
 */
async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}

async function openAgent({ allowPrivate, resolve, isReachable }: GuardOptions): Promise<Agent> {
  // In the packaged server the module has only its default export.
  const { Agent, buildConnector } = (await import('undici')).default
  const isAllowed = isReachable ?? ((address) => allowPrivate || (isPublicAddress(address) && !isOwnAddress(address)))
  const lookup = guardedLookup(isAllowed, resolve ?? (allowPrivate ? resolveLocally : resolveInDns))
  const connectTo = buildConnector({ lookup, allowH2: false, timeout: CONNECT_MS } as buildConnector.BuildOptions)
  return new Agent({
    connect(options, done) {
      const address = addressInHost(options.hostname)
      if (address !== undefined && !isAllowed(address)) done(new AddressNotAllowed(), null)
      else connectTo(options, done)
    },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  })
}

/** Returns the code of an error or of its cause. Its message could reveal an internal address. */
export function errorCodeOf(error: unknown): string {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: unknown }
  if (error instanceof AddressNotAllowed || (cause as Error | undefined) instanceof AddressNotAllowed)
    return 'address_not_allowed'
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'error'
}

/** Returns a look-up that gives only checked addresses, and resolves each name once. */
function guardedLookup(isAllowed: (address: string) => boolean, resolve: Resolve): LookupFunction {
  async function checkedAddresses(name: string): Promise<string[]> {
    const addresses = await resolve(name)
    if (addresses.length === 0) throw Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' })
    if (!addresses.every(isAllowed)) throw new AddressNotAllowed()
    return addresses
  }
  return (name, options, done) => {
    checkedAddresses(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        if (options.all) done(null, found)
        else done(null, found[0]?.address ?? '', found[0]?.family)
      },
      (error) => done(error, '', 0),
    )
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

/** Resolves names as this machine does, including names that only this machine knows. */
async function resolveLocally(name: string): Promise<string[]> {
  return (await lookUp(name, { all: true })).map(({ address }) => address)
}
