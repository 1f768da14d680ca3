/** Waits for something that happens at an unknown time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { patient } from './run/mode.ts'

/** If something has not happened by then, it never will. */
const WAIT_MS = patient(60_000)

/** Waits until `find` returns something, and returns it. */
export async function eventually<T>(
  what: string,
  find: () => T | undefined | Promise<T | undefined>,
  waitMs: number = WAIT_MS,
  everyMs = 20,
): Promise<T> {
  for (const deadline = Date.now() + waitMs; Date.now() < deadline; await sleep(everyMs)) {
    const found = await find()
    if (found !== undefined) return found
  }
  throw new Error(`there was no ${what} within ${waitMs / 1000} s`)
}

export const until = (what: string, holds: () => boolean | Promise<boolean>, everyMs?: number): Promise<true> =>
  eventually(what, async () => ((await holds()) ? true : undefined), WAIT_MS, everyMs)
