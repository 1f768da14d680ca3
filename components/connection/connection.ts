/** Calls the server as the user of a token, and knows who that is. */
import { CallError } from './call-error.ts'
import type { Options } from './options.ts'
import type { Person } from './records.ts'

const TIMEOUT_MS = 20_000

interface Envelope {
  result?: { data?: unknown; nextPageToken?: string; pageToken?: string }
  error?: { status?: string; message?: string; reason?: string }
}

export interface Page<Data> {
  data: Data
  nextPageToken?: string
}

/** A token that is fetched, or undefined if nobody is signed in. */
export type Token = Promise<string | undefined>

export class Connection {
  readonly url: string
  #source: Options['token']
  #token: Token | undefined
  /** The user of the first token. */
  #userId: string | undefined
  readonly #becameOther: (() => void) | undefined

  /** With `becameOther`, which is called when a token is of another user than the first, no call is made with that token. */
  constructor({ url, token }: Pick<Options, 'url' | 'token'>, becameOther?: () => void) {
    this.url = (url ?? '').replace(/\/+$/, '')
    this.#source = token
    this.#becameOther = becameOther
  }

  /** Returns the token, which is fetched once for all calls. */
  token(): Token {
    this.#token ??= this.#fetch()
    return this.#token
  }

  #fetch(): Token {
    const source = this.#source
    const fetched = async () => this.#ofSameUser(tokenIn(typeof source === 'function' ? await source() : source))
    const token: Token = Promise.race([fetched(), late()]).catch((error: unknown) => {
      if (this.#token === token) this.#token = undefined
      throw error instanceof CallError ? error : new CallError('UNREACHABLE', String(error))
    })
    return token
  }

  /** Returns a token. Throws if it is of another user than the one before. */
  #ofSameUser(token: string | undefined): string | undefined {
    const userId = claimsOf(token)?.userId
    if (userId === undefined || this.#becameOther === undefined) return token
    this.#userId ??= userId
    if (userId === this.#userId) return token
    this.#becameOther()
    throw new CallError('UNAUTHENTICATED', 'Somebody else is signed in now.')
  }

  /** Fetches the next token from another function. */
  fetchTokenFrom(source: Options['token']): void {
    if (source === this.#source) return
    this.#source = source
    this.#token = undefined
  }

  /**
   * Fetches another token with the next call, unless that was done since `used` was: many calls fail together when a token
   * expires. Returns false if there is only one.
   */
  renew(used: Token): boolean {
    if (this.#token === used) this.#token = undefined
    return typeof this.#source === 'function'
  }

  async user(): Promise<Person> {
    const used = this.token()
    let claims = claimsOf(await used)
    if (claims === undefined && this.renew(used)) claims = claimsOf(await this.token())
    if (claims === undefined) throw new CallError('UNAUTHENTICATED', 'There is no user token.')
    return claims
  }

  /** Makes a call. One that is repeated with the same `key` is done once. */
  async call<Data>(path: string, data: object, key?: string): Promise<Data> {
    return (await this.page<Data>(path, data, key)).data
  }

  async page<Data>(path: string, data: object, key?: string): Promise<Page<Data>> {
    const used = this.token()
    try {
      return await this.#send<Data>(path, data, key, used)
    } catch (error) {
      const isStale = error instanceof CallError && error.status === 'UNAUTHENTICATED' && this.renew(used)
      if (!isStale) throw error
      return this.#send<Data>(path, data, key, this.token())
    }
  }

  /** Opens a stream of events with a token, after the one with `lastId`. */
  async open(path: string, data: object, used: Token, lastId: string, signal: AbortSignal): Promise<Response> {
    const headers = { ...(await this.#headers(used)), ...(lastId && { 'last-event-id': lastId }) }
    return fetch(`${this.url}/v2/${path}`, { method: 'POST', headers, body: JSON.stringify({ data }), signal })
  }

  async #headers(used: Token): Promise<Record<string, string>> {
    const token = await used
    if (!token) {
      // The server would refuse the call without the headers that let the page read why.
      this.renew(used)
      throw new CallError('UNAUTHENTICATED', 'There is no user token.')
    }
    return { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  }

  async #send<Data>(path: string, data: object, key: string | undefined, used: Token): Promise<Page<Data>> {
    const headers = { ...(await this.#headers(used)), ...(key && { 'idempotency-key': key }) }
    const response = await fetch(`${this.url}/v2/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ data }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new CallError('UNREACHABLE', String(error))
    })
    const { result, error } = (await response.json().catch(() => ({}))) as Envelope
    if (result === undefined) {
      // A proxy in between has errors of its own.
      const status = error?.status ?? (response.status >= 500 ? 'UNAVAILABLE' : 'UNKNOWN')
      throw new CallError(status, error?.message ?? `HTTP ${response.status}`, error?.reason)
    }
    return { data: result.data as Data, nextPageToken: result.nextPageToken ?? result.pageToken }
  }
}

/** Rejects after the time that a call may take: a request to the back end of the page may hang after a change of networks. */
function late(): Promise<never> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

/** Returns a token. Throws for a text that cannot be one, such as the error page of a gateway in front of the back end. */
function tokenIn(text: string | undefined): string | undefined {
  const token = text?.trim()
  if (token !== undefined && !/^[!-~]*$/.test(token)) throw new TypeError('The function token returned no token.')
  return token
}

/** Returns the user of a token, without verifying it: the server does that with every call. */
export function claimsOf(token = ''): Person | undefined {
  try {
    const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0))
    const { sub, name, email } = JSON.parse(new TextDecoder().decode(bytes))
    return typeof sub === 'string' ? { userId: sub, ...(name && { name }), ...(email && { email }) } : undefined
  } catch {
    return undefined
  }
}
