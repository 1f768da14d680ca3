/** From an HTTP answer to what a call answers, or to an error that says what was wrong and what to do next. */
import type { Caller } from './call.ts'
import { CommonholdError, type Failure, type Reason } from './errors.ts'
import type { Status } from './generated/errors.ts'
import type { Page } from './options.ts'

interface Envelope {
  result?: { data?: unknown; nextPageToken?: string }
  error?: { status: Status; reason: Reason; message: string; details?: unknown; requestId?: string }
}

export function readAnswer(caller: Caller, operation: string, response: Response, text: string): Page<unknown> {
  const { result, error } = envelopeOf(text)
  if (result !== undefined && response.ok)
    return { data: result.data, ...(result.nextPageToken === undefined ? {} : { nextPageToken: result.nextPageToken }) }
  const retryAfterMs = waitAskedFor(response)
  const known =
    error === undefined
      ? foreign(caller, operation, response, text)
      : { ...error, message: `${error.message}${hint(caller, error.reason)}` }
  throw new CommonholdError({ ...known, operation, retryAfterMs })
}

/** Empty for what is not ours. */
function envelopeOf(text: string): Envelope {
  const { result, error } = (parsed(text) ?? {}) as {
    [Part in keyof Envelope]: Partial<Envelope[Part]> & { status?: string }
  }
  if (result?.status === 'success') return { result }
  return typeof error?.status === 'string' && typeof error.message === 'string'
    ? { error: error as Envelope['error'] }
    : {}
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What to look at next, where the server cannot know it. */
function hint({ server, whenRefused }: Caller, reason: Reason): string {
  if (reason === 'credentials_invalid') return ` ${whenRefused}`
  if (reason === 'header_missing')
    return ` The client sends ${server.header('…')}; a server with another HEADER_PREFIX needs it as headerPrefix of the client.`
  if (reason === 'path_unknown') return ` The server at ${server.url} has another version than this client.`
  return ''
}

/** An answer that is not of Commonhold: of something in between, or of something else at this address. */
function foreign({ server }: Caller, operation: string, response: Response, text: string): Omit<Failure, 'operation'> {
  const { status: http, type } = response
  const to = response.headers.get('location')
  const answered = `${operation}: ${server.url} answered ${http}`
  if (type === 'opaqueredirect' || (http >= 300 && http < 400))
    return notCommonhold(
      `${operation}: ${server.url} redirects${to === null ? '' : ` to ${to}`}. Give the address that it leads to as url.`,
    )
  if (http === 429)
    return {
      status: 'RESOURCE_EXHAUSTED',
      reason: 'rate_limited',
      message: `${answered}: too many requests, says something before the server.`,
    }
  if (http === 413)
    return {
      status: 'INVALID_ARGUMENT',
      reason: 'body_too_large',
      message: `${answered}: something before the server takes no body as long as this one.`,
    }
  if (http >= 500)
    return {
      status: 'UNAVAILABLE',
      reason: 'gateway_failed',
      message: `${answered}, and not Commonhold itself but something before it: is the server behind it down, or starting? ${excerpt(text)}`,
    }
  if (response.ok && /json/.test(response.headers.get('content-type') ?? '') && parsed(text) === undefined)
    return {
      status: 'INTERNAL',
      reason: 'answer_unreadable',
      message: `${answered} with JSON that is cut off or garbled: ${excerpt(text)}`,
    }
  return notCommonhold(
    `${answered}, but what answers there is not Commonhold: ${excerpt(text)} Is the url right? It is the address of the server, without /v2.`,
  )
}

const notCommonhold = (message: string): Omit<Failure, 'operation'> => ({
  status: 'UNIMPLEMENTED',
  reason: 'not_commonhold',
  message,
})

/** The beginning of a foreign body, in one line: the title, where it is a page. */
function excerpt(text: string): string {
  const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1]
  const shown = (title ?? text).replace(/\s+/g, ' ').trim().slice(0, 120)
  return shown === '' ? '(an empty body).' : `“${shown}”.`
}

/** `Retry-After` in milliseconds: seconds, or a date. */
function waitAskedFor({ headers }: Response): number | undefined {
  const asked = headers.get('retry-after')
  if (asked === null) return undefined
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1_000 : Date.parse(asked) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
