/** One call: its tries, the waits between them, its bounds, and what becomes of the answer. */
import { readAnswer } from './answer.ts'
import { CommonholdError, causeOf } from './errors.ts'
import type { Method } from './generated/methods.ts'
import type { Bounds, KeyedCallOptions, Page } from './options.ts'
import type { Server } from './server.ts'

export interface Caller {
  server: Server
  bounds: Bounds
  /** Headers with the credentials, for each try. */
  headers(): Record<string, string> | Promise<Record<string, string>>
  /** For people whose credentials were refused: which ones they were, without secrets, and what to look at. */
  whenRefused: string
  /** For people whose calls reach nothing: what else to look at. */
  whenUnreachable: string
}

const DEFAULTS = { timeoutMs: 60_000, tryTimeoutMs: 35_000, triesMax: 5 }
const WAIT_MS = 250
const WAIT_MS_MAX = 8_000

/** What timers can count; more would be none. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** Failures after which nothing was done, whatever the call was. */
const NOTHING_DONE = ['ABORTED', 'RESOURCE_EXHAUSTED']

/** `name` is how callers write the method. */
export async function call(
  caller: Caller,
  name: string,
  [path, effect]: Method,
  data: unknown,
  options: KeyedCallOptions = {},
): Promise<Page<unknown>> {
  const { signal, idempotencyKey } = options
  const bound = (name: keyof Bounds): number => options[name] ?? caller.bounds[name] ?? DEFAULTS[name]
  const triesMax = bound('triesMax')
  const end = performance.now() + bound('timeoutMs')
  const key = effect === 'keyed' ? (idempotencyKey ?? (triesMax > 1 && newKey())) : false
  const mayBeMadeTwice = effect !== 'once'
  const body = JSON.stringify({ data })
  for (let tries = 1; ; tries++) {
    try {
      return await once(caller, name, path, {
        body,
        key,
        signal,
        timeoutMs: Math.min(bound('tryTimeoutMs'), end - performance.now(), TIMER_MS_MAX),
      })
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof CommonholdError) || !error.retryable || tries >= triesMax) throw error
      if (!mayBeMadeTwice && !NOTHING_DONE.includes(error.status)) throw error
      const waitMs = (error.retryAfterMs ?? 0) + Math.random() * Math.min(WAIT_MS_MAX, WAIT_MS * 2 ** (tries - 1))
      if (performance.now() + waitMs >= end) throw error
      await sleep(waitMs, signal)
      if (performance.now() >= end) throw error // woken late
    }
  }
}

/** `crypto.randomUUID` is not on pages over plain http, which the console may be. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

interface Try {
  body: string
  key: string | false
  signal: AbortSignal | undefined
  timeoutMs: number
}

async function once(
  caller: Caller,
  name: string,
  path: string,
  { body, key, signal, timeoutMs }: Try,
): Promise<Page<unknown>> {
  const { server } = caller
  const credentials = await caller.headers()
  signal?.throwIfAborted()
  const giveUp = new AbortController()
  const abort = () => giveUp.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  const timer = setTimeout(() => giveUp.abort(TIMED_OUT), timeoutMs)
  const url = server.url + path
  try {
    const headers = {
      ...credentials,
      'content-type': 'application/json',
      ...(key === false ? {} : { 'idempotency-key': key }),
    }
    // A redirect that is followed becomes a GET, and could carry the credentials to another server.
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: giveUp.signal })
    return readAnswer(caller, name, response, await response.text())
  } catch (error) {
    if (error instanceof CommonholdError) throw error
    const timedOut = giveUp.signal.reason === TIMED_OUT
    throw new CommonholdError({
      operation: name,
      status: timedOut ? 'DEADLINE_EXCEEDED' : 'UNAVAILABLE',
      reason: timedOut ? 'timed_out' : 'unreachable',
      message: timedOut
        ? `${name}: no answer from ${server.url} within ${Math.round(timeoutMs)} ms. timeoutMs and tryTimeoutMs of the client, or of the call, allow more.`
        : `${name}: cannot reach ${server.url}${causeOf(error)}. Is the server running, and is the url right? ${caller.whenUnreachable}`.trim(),
      cause: error,
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

const TIMED_OUT = Symbol('timed out')

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(ms, TIMER_MS_MAX),
    )
    signal?.addEventListener('abort', stop, { once: true })
  })
}
