/** Work that a server repeats for as long as it lives. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'

export interface RepeatOptions {
  /** Between the end of one run and the start of the next; default: until it is woken, before the first run too. */
  everyMs?: number
  /** Before the first run; default with `everyMs`: none. */
  firstMs?: number
  log: Log
  /** The log message about a failed run; the next run is made anyway. */
  failure: string
}

/** The longest time that a timer of Node can wait. */
const LONG_MS = 2 ** 31 - 1

/** The first calls to a new server do not wait behind what can be done later: an embedded engine runs one statement at a time. */
const LATER_MS = 5_000

type Work = (stopping: AbortSignal) => Promise<unknown>

export interface Polling {
  /** Starts the next run now. During a run: right after it. */
  wake(): void
  /** Starts no further run, and resolves when the current one has ended. */
  stop(): Promise<void>
}

/** Runs `work` repeatedly, never twice at the same time. A long run checks `stopping` between its parts. */
export function poll(
  work: Work,
  { everyMs = LONG_MS, firstMs = everyMs === LONG_MS ? LONG_MS : 0, log, failure }: RepeatOptions,
): Polling {
  const stopping = new AbortController()
  let woken = new AbortController()
  async function run(): Promise<void> {
    for (let waitMs = firstMs; ; waitMs = everyMs) {
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: woken.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      woken = new AbortController()
      await work(stopping.signal).catch((err: unknown) => log.warn({ err }, failure))
    }
  }
  const ended = run()
  return {
    wake: () => woken.abort(),
    stop() {
      stopping.abort()
      woken.abort()
      return ended
    },
  }
}

type TimedOptions = RepeatOptions & { everyMs: number }

/** Runs `work` now and then repeatedly. Returns a function that stops it. */
export const repeat = (work: Work, options: TimedOptions): (() => Promise<void>) => poll(work, options).stop

/** The same for work that nobody waits for, such as the deletion of old rows. It begins some seconds later. */
export const repeatLater = (work: Work, options: TimedOptions): (() => Promise<void>) =>
  poll(work, { ...options, firstMs: LATER_MS }).stop
