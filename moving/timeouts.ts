/** The time limits of calls. They are long, so that an export or import survives a restart of the server. */
import type { Bounds } from '#sdk/options.ts'

export const LONG_LIMITS: Bounds = { timeoutMs: 600_000, tryTimeoutMs: 120_000, triesMax: 12 }

/** Few attempts, so that a wrong address is reported quickly. */
export const FIRST_CALL_LIMITS: Bounds = { triesMax: 2 }
