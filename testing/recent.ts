/** Times that the server sets. */
import assert from 'node:assert/strict'

/** A time in whole milliseconds may have been rounded up. */
const ROUNDING_MS = 1

/** Asserts that a time, in milliseconds, is later than the start of this process and not in the future. */
export function assertRecent(ms: number | null): void {
  assert.ok(ms !== null && ms > performance.timeOrigin && ms <= Date.now() + ROUNDING_MS, `${ms} at ${Date.now()}`)
}
