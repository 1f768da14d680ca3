/** When a message is tried again, and what becomes of an endpoint that fails. */
import type { OutboundResponse } from '#platform/outbound.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long after each failure the next attempt is: eight in all. */
const WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]

/** An endpoint that asks to be left alone for longer is asked again after this. */
const RETRY_AFTER_MAX_MS = HOUR

export const DISABLED_AFTER_DAYS = 5

const TOO_MANY_REQUESTS = 429
const UNAVAILABLE = 503
const GONE = 410

/** 2xx; a redirect is a failure like any other. */
export const isSuccess = (status: number | null): boolean => Math.floor((status ?? 0) / 100) === 2

/** It says itself that it is there no more. */
export const isGone = ({ status }: OutboundResponse): boolean => status === GONE

/** For how long an endpoint has asked not to be sent anything; a date or seconds. */
export function pauseMs({ status, retryAfter }: OutboundResponse, now: Date): number {
  if (retryAfter === null || (status !== TOO_MANY_REQUESTS && status !== UNAVAILABLE)) return 0
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * SECOND : Date.parse(retryAfter) - now.getTime()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}

/** How long to wait after failed attempt number `attempt`; null: it was the last. */
export function waitMs(attempt: number, pause: number): number | null {
  const wait = WAITS_MS[attempt - 1]
  return wait === undefined ? null : Math.max(wait, pause)
}
