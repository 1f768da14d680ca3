/**
 * The limits of a process, which the apps of its buckets share (ADR 0066). They are about callers without a known API key, or about the
 * memory and the event loop that all apps have in common: whoever calls several buckets must not get them once for each.
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
