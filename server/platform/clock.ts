/**
 * The clock. The time is that of the database: statements that depend on it use `coalesce($now, clock_timestamp())`, and
 * `now()` returns null. Only tests use another clock.
 */
export interface Clock {
  now(): Date | null
}

export const databaseClock: Clock = { now: () => null }
