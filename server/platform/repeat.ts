/** What a server does now and then for as long as it lives. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'

export interface RepeatOptions {
  /** Between the end of one time and the beginning of the next. */
  everyMs: number
  log: Log
  /** What the log says of a time that failed; the next comes all the same. */
  failure: string
}

/**
 * Does it now and again, never twice at once. Answers what ends it, when what is under way has ended; a long work looks
 * at `stopping` between its parts.
 */
export function repeat(
  work: (stopping: AbortSignal) => Promise<unknown>,
  { everyMs, log, failure }: RepeatOptions,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  async function goOn(): Promise<void> {
    while (!signal.aborted) {
      await work(signal).catch((err: unknown) => log.warn({ err }, failure))
      await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
  }
  const ended = goOn()
  return () => {
    stopping.abort()
    return ended
  }
}
