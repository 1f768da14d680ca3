/**
 * The limits of a process, which the apps of its buckets share (ADR 0066). They limit callers without a known API key,
 * or the memory and the event loop that all apps share, so a caller of several buckets must not get them once for each
 * bucket.
 */
import { FailedCredentials } from './failed-credentials.ts'
import { LargeResults } from './large-results.ts'
import { MemoryBudget } from './memory-budget.ts'
import { type RateLimit, rateLimit } from './rate-limit.ts'

export interface ProcessLimits {
  failures: FailedCredentials
  perAddress: RateLimit
  memory: MemoryBudget
  largeResults: LargeResults
}

/** `perAddress`: public calls a minute of an address, and as many wrong credentials. */
export const processLimits = (perAddress: number): ProcessLimits => ({
  failures: new FailedCredentials(perAddress),
  perAddress: rateLimit('address', perAddress, 60),
  memory: new MemoryBudget(),
  largeResults: new LargeResults(),
})
