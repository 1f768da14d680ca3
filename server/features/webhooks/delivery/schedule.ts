/** Decides when a message is tried again, and when a failing endpoint is disabled. */
import type { OutboundResponse } from '#platform/outbound/outbound.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The wait after each failed attempt; there are eight attempts. */
const WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]

/** The longest pause that an endpoint can ask for. */
const RETRY_AFTER_MAX_MS = HOUR

export const DISABLED_AFTER_DAYS = 5

const TOO_MANY_REQUESTS = 429
const UNAVAILABLE = 503
const GONE = 410

/** Whether the status is 2xx; a redirect is a failure. */
export const isSuccess = (status: number | null): boolean => Math.floor((status ?? 0) / 100) === 2

/** Whether the endpoint says that it no longer exists. */
export const isGone = ({ status }: OutboundResponse): boolean => status === GONE

/** Returns how long an endpoint has asked to be left alone (Retry-After: a date or seconds). */
export function pauseMs({ status, retryAfter }: OutboundResponse, now: Date): number {
  if (retryAfter === null || (status !== TOO_MANY_REQUESTS && status !== UNAVAILABLE)) return 0
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SECOND : Date.parse(retryAfter) - now.getTime()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}

/** Returns the wait after failed attempt number `attempt`; null: it was the last. */
export function waitMs(attempt: number, pause: number): number | null {
  const wait = WAITS_MS[attempt - 1]
  return wait === undefined ? null : Math.max(wait, pause)
}
