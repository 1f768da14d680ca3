/** Turns an HTTP response into the result of a call, or into an error that says what went wrong and what to do next. */
import type { Caller } from './caller.ts'
import { CommonholdError, type Failure, type Reason } from './errors.ts'
import type { Status } from './generated/errors.ts'
import type { Warning } from './generated/warnings.ts'
import type { Page } from './options.ts'

interface Envelope {
  result?: { data?: unknown; nextPageToken?: string; warnings?: Warning[] }
  error?: { status: Status; reason: Reason; message: string; details?: unknown; requestId?: string }
}

/** The result of a call, and its warnings. */
export interface Answer extends Page<unknown> {
  warnings: readonly Warning[]
}

/** Returns the result of a successful call; throws a `CommonholdError` for any other response. */
export function readResponse(caller: Caller, operation: string, response: Response, text: string): Answer {
  const { result, error } = envelopeOf(text)
  if (result !== undefined && response.ok) {
    const { data, nextPageToken, warnings = [] } = result
    return { data, warnings, ...(nextPageToken === undefined ? {} : { nextPageToken }) }
  }
  const retryAfterMs = retryAfterOf(response)
  const failure =
    error === undefined
      ? failureOfForeign(caller, response, text)
      : { ...error, message: `${error.message}${hint(caller, error.reason)}` }
  throw new CommonholdError({ ...failure, operation, retryAfterMs })
}

/** Returns an empty object when the body is not an envelope of Commonhold. */
function envelopeOf(text: string): Envelope {
  const { result, error } = (parsed(text) ?? {}) as {
    [Part in keyof Envelope]: Partial<Envelope[Part]> & { status?: string }
  }
  if (result?.status === 'success') return { result }
  return typeof error?.status === 'string' && typeof error.message === 'string'
    ? { error: error as Envelope['error'] }
    : {}
}

/** Returns undefined when the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Says what to check next when only the client knows it. */
function hint({ server, credentialsHint }: Caller, reason: Reason): string {
  if (reason === 'credentials_invalid') return ` ${credentialsHint}`
  if (reason === 'header_missing')
    return ` The client sends ${server.header('…')}; if the server has another HEADER_PREFIX, set headerPrefix of the client to it.`
  if (reason === 'path_unknown') return ` The server at ${server.url} may be of another version than this client.`
  return ''
}

/** Describes a response that is not from Commonhold: it came from a proxy, or the address belongs to another program. */
function failureOfForeign({ server }: Caller, response: Response, text: string): Omit<Failure, 'operation'> {
  const { status: http, type } = response
  const responded = `${server.url} responded with ${http}`
  if (type === 'opaqueredirect' || (http >= 300 && http < 400)) {
    const location = response.headers.get('location')
    const target = location === null ? '' : ` to ${location}`
    return notCommonhold(`${server.url} redirects${target}. Set url to the address it redirects to.`)
  }
  if (http === 429)
    return {
      status: 'RESOURCE_EXHAUSTED',
      reason: 'rate_limited',
      message: `${responded}: a proxy or gateway in front of the server received too many requests.`,
    }
  if (http === 413)
    return {
      status: 'INVALID_ARGUMENT',
      reason: 'body_too_large',
      message: `${responded}: a proxy or gateway in front of the server does not accept a body this large.`,
    }
  if (http >= 500)
    return {
      status: 'UNAVAILABLE',
      reason: 'gateway_failed',
      message: `${responded}. The response is from a proxy or gateway, not from Commonhold: is the server behind it down or starting? ${excerpt(text)}`,
    }
  if (response.ok && /json/.test(response.headers.get('content-type') ?? '') && parsed(text) === undefined)
    return {
      status: 'INTERNAL',
      reason: 'answer_unreadable',
      message: `${responded} and JSON that is truncated or malformed: ${excerpt(text)}`,
    }
  return notCommonhold(
    `${responded}, but the response is not from Commonhold: ${excerpt(text)} Is the url right? It must be the address of the server, without /v2.`,
  )
}

const notCommonhold = (message: string): Omit<Failure, 'operation'> => ({
  status: 'UNIMPLEMENTED',
  reason: 'not_commonhold',
  message,
})

/** Returns the title of an HTML page, or the beginning of any other body, on one line. */
function excerpt(text: string): string {
  const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1]
  const shown = (title ?? text).replace(/\s+/g, ' ').trim().slice(0, 120)
  return shown === '' ? '(an empty body).' : `“${shown}”.`
}

/** Returns `Retry-After`, which is a number of seconds or a date, in milliseconds from now. */
function retryAfterOf({ headers }: Response): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
