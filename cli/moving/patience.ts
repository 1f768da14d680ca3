/** How long calls are waited for: moving takes long, and a server may be started anew meanwhile. */
import type { Bounds } from '#sdk/options.ts'

export const PATIENT: Bounds = { timeoutMs: 600_000, tryTimeoutMs: 120_000, triesMax: 12 }

/** A wrong address is told soon. */
export const FIRST_CALL: Bounds = { triesMax: 2 }
