/** Work that a server repeats for as long as it lives. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'

export interface RepeatOptions {
  /** Between the end of one run and the start of the next; default: until it is woken. */
  everyMs?: number
  log: Log
  /** The log message about a failed run; the next run is made anyway. */
  failure: string
}

/** As long as a timer can wait. */
const LONG_MS = 2 ** 31 - 1

export interface Polling {
  /** Starts the next run now. During a run: right after it. */
  wake(): void
  /** Starts no further run, and resolves when the current one has ended. */
  stop(): Promise<void>
}

/** Runs `work` now and then repeatedly, never twice at the same time. A long run checks `stopping` between its parts. */
export function poll(
  work: (stopping: AbortSignal) => Promise<unknown>,
  { everyMs = LONG_MS, log, failure }: RepeatOptions,
): Polling {
  const stopping = new AbortController()
  let woken = new AbortController()
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = new AbortController()
      await work(stopping.signal).catch((err: unknown) => log.warn({ err }, failure))
      await sleep(everyMs, undefined, { signal: woken.signal }).catch(() => {})
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

/** The same for work that nobody wakes. Returns a function that stops it. */
export const repeat = (
  work: (stopping: AbortSignal) => Promise<unknown>,
  options: RepeatOptions,
): (() => Promise<void>) => poll(work, options).stop
