/**
 * The one clock is the database's. Statements that depend on time take `coalesce($now, clock_timestamp())`; `now()`
 * here answers null, and only tests put another clock in its place.
 */
export interface Clock {
  now(): Date | null
}

export const databaseClock: Clock = { now: () => null }
