/** Tracks whether the server responds: every call reports its outcome here, and one probe asks again until it does. */
import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { CommonholdError } from '#sdk/errors.ts'
import { createListeners } from '../listeners.ts'

/** A server that starts, or waits for its database, responds with the last of these. */
const UNREACHABLE_REASONS: readonly string[] = ['unreachable', 'timed_out', 'gateway_failed', 'database_unavailable']

export const isUnreachable = (error: unknown): boolean =>
  error instanceof CommonholdError && UNREACHABLE_REASONS.includes(error.reason)

/** The first probe follows at once, because most failures are of one connection. */
const FIRST_MS_MAX = 500
const DELAY_MS_MIN = 1_000
const DELAY_MS_MAX = 30_000
/** A server that fails again sooner than this is treated as if it had never responded. */
const STABLE_MS = 10_000

/** Returns a random delay, so that the pages of a server do not return to it at the same time. */
function delayBefore(probe: number): number {
  if (probe === 0) return Math.random() * FIRST_MS_MAX
  return DELAY_MS_MIN + Math.random() * (Math.min(DELAY_MS_MAX, DELAY_MS_MIN * 3 ** probe) - DELAY_MS_MIN)
}

let isResponding = true
/** Probes that failed since the server responded for a while. */
let failures = 0
let respondingSince = 0
let timer: ReturnType<typeof setTimeout> | undefined
let probe: (() => Promise<boolean>) | undefined
const { listen, notify } = createListeners()

function set(value: boolean): void {
  if (isResponding === value) return
  isResponding = value
  // Queries wait while the server does not respond, and are refetched once when it does.
  onlineManager.setOnline(value)
  clearTimeout(timer)
  if (value) respondingSince = performance.now()
  else {
    if (performance.now() - respondingSince > STABLE_MS) failures = 0
    wait()
  }
  notify()
}

function wait(): void {
  timer = setTimeout(tryNow, delayBefore(failures))
}

/** Asks the server now. A page that nobody looks at asks when somebody does. */
export async function tryNow(): Promise<void> {
  clearTimeout(timer)
  if (isResponding || document.visibilityState === 'hidden') return
  if (await probe?.()) return set(true)
  failures++
  notify()
  if (!isResponding) wait()
}

/** `call` returns whether the server responds; it must not be retried by itself. */
export function startProbing(call: () => Promise<boolean>): void {
  probe = call
  respondingSince = performance.now()
  // The browser knows whether it has a network, but not whether this server responds.
  onlineManager.setEventListener(() => () => {})
  addEventListener('online', () => void tryNow())
  document.addEventListener('visibilitychange', () => void tryNow())
}

export function reportError(error: unknown): void {
  if (error instanceof CommonholdError) set(!isUnreachable(error))
}

export const reportSuccess = (): void => set(true)

/** Resolves when the server responds. */
export function whenReachable(): Promise<void> {
  if (isResponding) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = listen(() => {
      if (!isResponding) return
      stop()
      resolve()
    })
  })
}

/** Returns false when a call and the probe after it have failed: a single lost connection is nothing to report. */
export const useReachable = (): boolean => useSyncExternalStore(listen, () => isResponding || failures === 0)
