/** Limits of calls, per process: requests a second for each API key, requests a minute for each address of public calls (decisions A10). */
import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { StatusError } from '#platform/status-error.ts'

export interface RateLimit {
  /** Counts one call of `who`; RESOURCE_EXHAUSTED with `Retry-After` when it is one too many. */
  consume(who: string, reply: FastifyReply): Promise<void>
}

const unlimited: RateLimit = { consume: async () => {} }

/** `points` calls in `seconds`; 0 points is no limit. `name` goes into the `RateLimit` headers (draft-ietf-httpapi-ratelimit-headers). */
export function rateLimit(name: string, points: number, seconds: number): RateLimit {
  if (points === 0) return unlimited
  const limiter = new RateLimiterMemory({ points, duration: seconds })
  return {
    async consume(who, reply) {
      const state = await limiter.consume(who).catch((refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return refusal
        throw refusal
      })
      const resetSeconds = Math.ceil(state.msBeforeNext / 1000)
      reply.header('RateLimit-Policy', `"${name}";q=${points};w=${seconds}`)
      reply.header('RateLimit', `"${name}";r=${state.remainingPoints};t=${resetSeconds}`)
      if (state.consumedPoints > points)
        throw new StatusError(
          'RESOURCE_EXHAUSTED',
          'rate_limited',
          `Too many requests: the limit is ${points} in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
          {
            retryAfterSeconds: Math.max(resetSeconds, 1),
          },
        )
    },
  }
}
