/** Work in the background of the process, for requests of mails: they get their response before anything is looked up. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Log } from '#platform/log.ts'

/** The number of tasks that run at a time. If the queue is full as well, no more requests are accepted. */
const AT_ONCE_MAX = 4
const WAITING_MAX = 100

export function backgroundWork(log: Log) {
  // The request whose work it is ends before, with its lifetime and its transaction.
  const outside = AsyncLocalStorage.snapshot()
  const waiting: (() => Promise<void>)[] = []
  const running = new Set<Promise<void>>()

  function workOff(): void {
    while (running.size < AT_ONCE_MAX) {
      const work = waiting.shift()
      if (work === undefined) return
      const run = work()
        .catch((err: unknown) => log.warn({ err }, 'a login link could not be sent'))
        .finally(() => {
          running.delete(run)
          workOff()
        })
      running.add(run)
    }
  }

  return {
    /** Whether too much waits for more to be accepted. */
    get isFull(): boolean {
      return waiting.length >= WAITING_MAX
    },

    /** Runs the work soon, whatever waits: callers check before whether they can be accepted. */
    add(work: () => Promise<void>): void {
      waiting.push(work)
      outside(workOff)
    },

    /** Drops waiting work and resolves when running work is done. Callers can ask again. */
    async stop(): Promise<void> {
      waiting.length = 0
      await Promise.all(running)
    },
  }
}
