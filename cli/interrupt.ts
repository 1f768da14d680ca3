/** Runs work that lasts until Ctrl-C, which therefore counts as success. */
import { isAbort } from './failures.ts'

export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupt = new AbortController()
  const stop = () => interrupt.abort()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop)
  try {
    await work(interrupt.signal)
  } catch (error) {
    if (!interrupt.signal.aborted || !isAbort(error)) throw error
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop)
  }
}
