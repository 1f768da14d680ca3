/** The limit of test mails, counted by each process: they go out at once, to an address that the tenant chooses. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { StatusError } from '#platform/status-error.ts'

const TESTS_MAX = 10
const HOUR_SECONDS = 3_600

/** Returns a function that counts a test mail of a workspace to an address. It throws RESOURCE_EXHAUSTED above the limit of either. */
export function createTestLimit() {
  const limiter = new RateLimiterMemory({ points: TESTS_MAX, duration: HOUR_SECONDS })
  return async (workspaceId: string, recipient: string): Promise<void> => {
    for (const who of [`workspace ${workspaceId}`, `address ${recipient.toLowerCase()}`])
      await limiter.consume(who).catch((refusal: unknown) => {
        throw refusal instanceof RateLimiterRes ? tooMany(refusal.msBeforeNext) : refusal
      })
  }
}

const tooMany = (waitMs: number) =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'rate_limited',
    `Too many test mails: the limit is ${TESTS_MAX} in an hour, for each workspace and each address.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) },
  )
