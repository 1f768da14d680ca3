/** Makes one call: its attempts, the delays between them and its time limits. */
import { orAborted, sleep, TIMER_MS_MAX } from './aborting.ts'
import { type Caller, TokenFailure } from './caller.ts'
import { CommonholdError, causeOf } from './errors.ts'
import type { Method } from './generated/methods.ts'
import { throwIfItemsFailed } from './items.ts'
import type { Bounds, KeyedCallOptions, Page } from './options.ts'
import { type Answer, readResponse } from './response.ts'

const DEFAULTS = { timeoutMs: 60_000, tryTimeoutMs: 35_000, triesMax: 5 }
const DELAY_MS = 250
const DELAY_MS_MAX = 8_000

/** Statuses which mean that the server changed nothing, for every operation. */
const NOTHING_CHANGED = ['ABORTED', 'RESOURCE_EXHAUSTED']

/** `name` is the method as callers write it. */
export async function call(
  caller: Caller,
  name: string,
  method: Method,
  data: unknown,
  options: KeyedCallOptions = {},
): Promise<Page<unknown>> {
  const make = () => attempts(caller, name, method, data, options)
  const { warnings, ...page } = await make().catch(async (error: Partial<CommonholdError>) => {
    const isRefused = error.reason === 'credentials_invalid'
    if (isRefused && (await caller.signsInAgain?.(options.signal))) return make()
    throw error
  })
  // After the attempts: what onWarning throws is not a failure of the call, which must not be repeated for it.
  for (const warning of warnings) caller.defaults.onWarning?.(warning, name)
  if (/items$/.test(method) && (options.throwOnItemFailure ?? caller.defaults.throwOnItemFailure))
    throwIfItemsFailed(name, page.data as object)
  return page
}

async function attempts(
  caller: Caller,
  name: string,
  method: Method,
  data: unknown,
  options: KeyedCallOptions,
): Promise<Answer> {
  const [path = '', effect] = method.split(' ')
  const { signal, idempotencyKey } = options
  const bound = (name: keyof Bounds): number => options[name] ?? caller.defaults[name] ?? DEFAULTS[name]
  const triesMax = bound('triesMax')
  const deadline = performance.now() + bound('timeoutMs')
  const key = effect === 'keyed' ? (idempotencyKey ?? (triesMax > 1 && newKey())) : false
  if (key !== false && !/^[!-~]([ -~]{0,253}[!-~])?$/.test(key))
    throw new TypeError(`${name}: idempotencyKey must be 1 to 255 printable ASCII characters`)
  const isRepeatable = effect !== 'once'
  const body = bodyOf(name, data)
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(caller, name, path.startsWith('/') ? path : `/v2/${path}`, {
        body,
        key,
        signal,
        timeoutMs: Math.min(bound('tryTimeoutMs'), deadline - performance.now(), TIMER_MS_MAX),
      })
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof CommonholdError) || !error.retryable || tries >= triesMax) throw error
      if (caller.isRetried?.(error) === false) throw error
      if (!isRepeatable && !NOTHING_CHANGED.includes(error.status)) throw error
      const delayMs = (error.retryAfterMs ?? 0) + Math.random() * Math.min(DELAY_MS_MAX, DELAY_MS * 2 ** (tries - 1))
      if (performance.now() + delayMs >= deadline) throw error
      await sleep(delayMs, signal)
      if (performance.now() >= deadline) throw error // the timer fired late
    }
  }
}

/** `crypto.randomUUID` is absent from pages served over plain HTTP, and the console may be one. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

interface Attempt {
  body: string
  key: string | false
  signal: AbortSignal | undefined
  timeoutMs: number
}

async function attempt(
  caller: Caller,
  name: string,
  path: string,
  { body, key, signal, timeoutMs }: Attempt,
): Promise<Answer> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  const timer = setTimeout(() => controller.abort(TIMED_OUT), timeoutMs)
  const url = caller.server.url + path
  let credentials: Record<string, string> | undefined
  try {
    credentials = await orAborted(caller.headers(), controller.signal)
    const headers = {
      ...credentials,
      'content-type': 'application/json',
      ...(key === false ? {} : { 'idempotency-key': key }),
    }
    // Following a redirect would turn the call into a GET, and could send the credentials to another server.
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: controller.signal })
    return readResponse(caller, name, response, await response.text())
  } catch (error) {
    if (error instanceof CommonholdError) throw error
    if (controller.signal.reason === TIMED_OUT)
      throw timedOut(name, credentials === undefined ? 'userToken' : caller.server.url, timeoutMs, error)
    if (controller.signal.aborted || credentials !== undefined) throw unreachable(caller, name, error)
    throw error instanceof TokenFailure ? error.cause : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

const TIMED_OUT = Symbol('timed out')

const timedOut = (operation: string, whom: string, timeoutMs: number, cause: unknown) =>
  new CommonholdError({
    operation,
    status: 'DEADLINE_EXCEEDED',
    reason: 'timed_out',
    message: `No response from ${whom} within ${Math.round(timeoutMs)} ms. To allow more, raise timeoutMs and tryTimeoutMs.`,
    cause,
  })

const unreachable = ({ server, connectionHint }: Caller, operation: string, cause: unknown) =>
  new CommonholdError({
    operation,
    status: 'UNAVAILABLE',
    reason: 'unreachable',
    message:
      `Cannot reach ${server.url}${causeOf(cause)}. Is the server running, and is the url right? ${connectionHint}`.trim(),
    cause,
  })

/**
 * Returns the body of a call. `JSON.stringify` writes NaN, infinite numbers and invalid dates as null. In most calls null means
 * that a field is absent, so a grant with `expiresAt: NaN` would never expire. Throws a TypeError that names such a field.
 * `name` is the method as callers write it.
 */
export function bodyOf(name: string, data: unknown): string {
  const body = JSON.stringify({ data })
  if (body.includes('null'))
    JSON.stringify(data, function (this: Record<string, unknown>, field, value: unknown) {
      const given = this[field]
      if (given !== null && (value === null || (typeof value === 'number' && !Number.isFinite(value))))
        throw new TypeError(`${name}: ${field} must not be ${given}`)
      return value
    })
  return body
}
