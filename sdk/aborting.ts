/** Waiting that a signal ends at once. */

/** The longest delay of a timer. A timer with a longer delay would fire immediately. */
export const TIMER_MS_MAX = 2 ** 31 - 1

/** Waits, unless the signal is aborted: then it fails with its reason. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout>
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, TIMER_MS_MAX))
  })
  return orAborted(over, signal).finally(() => clearTimeout(timer))
}

/** Returns the value when it is there, unless the signal is aborted before: then it fails with its reason. */
export async function orAborted<Value>(value: Value | Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return value
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    void Promise.resolve(value)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}
