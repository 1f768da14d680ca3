/**
 * Follows the stream `POST /v2/live` with a user token. A broken stream is resumed at its last position, on any server,
 * until the caller stops.
 */
import { orAborted, sleep } from './aborting.ts'
import { type Caller, TokenFailure } from './caller.ts'
import { CommonholdError, causeOf } from './errors.ts'
import type { LiveEvent, LiveRequest } from './generated/operations.ts'
import { readResponse } from './response.ts'

const PATH = '/v2/live'
const RETRY_MS = 1_000
const RETRY_MS_MAX = 60_000
/** The server sends a comment every 15 seconds. */
const SILENCE_MS_MAX = 45_000

export interface LiveOptions {
  /** Stops: the loop ends with `signal.reason`. */
  signal?: AbortSignal | undefined
  /** Where to resume: `lastEventId` of an event that was received before, from the same user and organization. */
  lastEventId?: string | undefined
}

/**
 * An event of the stream, and the position before it. A reader that resumes from there misses nothing, and may receive
 * some events twice.
 */
export type ReceivedLiveEvent = Exclude<LiveEvent, { event: 'end' }> & { lastEventId: string }

/**
 * Yields the events of the stream indefinitely. A lost connection is opened again after a delay, which grows with each
 * failure and is partly random, so that the pages of a server do not all return to it at the same time. The function of
 * the user token is also called again if it fails, because it often needs the same network. A permanent refusal of the
 * server is thrown.
 */
export async function* followLive(
  caller: Caller,
  data: LiveRequest,
  { signal, lastEventId = '' }: LiveOptions = {},
): AsyncGenerator<ReceivedLiveEvent, never, undefined> {
  let position = lastEventId
  for (let failures = 0; ; failures++) {
    let waitMs = 0
    try {
      for await (const block of blocksOf(caller, data, position, signal)) {
        // Only line feeds end lines: at a line separator (U+2028), which a comment may have, `$` and `.` of an expression would.
        const field = (name: string) => new RegExp(`(^|\n)${name}: ?([^\n]*)`).exec(block)?.[2]
        const received = { event: field('event'), data: JSON.parse(field('data') ?? '{}') }
        if (received.event === 'ready') failures = 0
        if (received.event !== undefined && received.event !== 'end')
          yield { ...received, lastEventId: position } as ReceivedLiveEvent
        position = field('id') ?? position
      }
    } catch (error) {
      signal?.throwIfAborted()
      const isForgotten = error instanceof CommonholdError && error.reason === 'page_token_invalid' && position !== ''
      if (isForgotten)
        position = '' // the page loads again what it shows
      else if (!(error instanceof TokenFailure || (error instanceof CommonholdError && error.retryable))) throw error
      waitMs = (error as Partial<CommonholdError>).retryAfterMs ?? 0
    }
    const delayMs = Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** failures) * (0.5 + Math.random())
    await sleep(waitMs + delayMs, signal)
  }
}

/** Yields the blocks of one stream until the server ends it. Throws a `CommonholdError` if it is refused, lost or silent. */
async function* blocksOf(
  caller: Caller,
  data: LiveRequest,
  position: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const credentials = await orAborted(caller.headers(), signal)
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const restart = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MS_MAX)
  }
  try {
    restart()
    const response = await fetch(caller.server.url + PATH, {
      method: 'POST',
      headers: {
        ...credentials,
        'content-type': 'application/json',
        ...(position && { 'last-event-id': position }),
      },
      body: JSON.stringify({ data }),
      redirect: 'manual',
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
    })
    const isStream = /^text\/event-stream/.test(response.headers.get('content-type') ?? '')
    if (!response.ok || !isStream || response.body === null)
      return void readResponse(caller, 'live', response, await response.text())
    yield* split(response.body, restart)
  } catch (error) {
    if (error instanceof CommonholdError) throw error
    throw new CommonholdError({
      operation: 'live',
      status: 'UNAVAILABLE',
      reason: 'unreachable',
      message: `The stream of ${caller.server.url} broke${causeOf(error)}. ${caller.connectionHint}`.trim(),
      cause: error,
    })
  } finally {
    clearTimeout(timer)
    silence.abort() // or the connection stays open when the caller has left the loop
  }
}

/** Yields the blocks of a stream, which empty lines separate. */
async function* split(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let pending = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    onBytes()
    const blocks = (pending + decoder.decode(part.value, { stream: true })).split('\n\n')
    pending = blocks.pop() ?? ''
    yield* blocks
  }
}
