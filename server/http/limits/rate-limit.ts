/**
 * Rate limits, counted by each process: requests per second for each tenant, public requests per minute for each
 * address (rules/contract.md#rate-limits).
 */
import { isIPv6 } from 'node:net'
import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { StatusError } from '#platform/status-error.ts'

export interface RateLimit {
  /** Counts one call of `who`, a tenant or an address. Throws RESOURCE_EXHAUSTED with `Retry-After` above the limit. */
  consume(who: string, reply: FastifyReply): Promise<void>
}

/**
 * Returns the key that a call of `who` is counted under. One subscriber has a whole /64 of IPv6 addresses and could call
 * from each of them, so a /64 counts as one. An IPv4-mapped IPv6 address counts as its IPv4 address; anything else as itself.
 */
export function rateLimitKey(who: string): string {
  if (!isIPv6(who)) return who
  const shortest = new URL(`http://[${who.replace(/%.*/, '')}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/
    .exec(shortest)
    ?.slice(1)
    .map((part) => Number.parseInt(part, 16))
  if (mapped !== undefined) return mapped.flatMap((part) => [part >> 8, part & 255]).join('.')
  const [front = [], back = []] = shortest.split('::').map((side) => (side === '' ? [] : side.split(':')))
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/**
 * Returns when a window of `seconds` ends. The limiter computes it by the clock of this machine, which may have been set
 * back by a day meanwhile; its timer, which ends the window, does not depend on the clock.
 */
export const secondsUntilReset = ({ msBeforeNext }: { msBeforeNext: number }, seconds: number): number =>
  Math.min(Math.max(Math.ceil(msBeforeNext / 1_000), 0), seconds)

/** Each limit adds an item to the list of the header. */
export function addHeader(reply: FastifyReply, name: string, item: string): void {
  const items = reply.getHeader(name)
  reply.header(name, items === undefined ? item : `${items}, ${item}`)
}

const unlimited: RateLimit = { consume: async () => {} }

/**
 * Allows `points` calls in `seconds`; 0 means no limit. `name` appears in the `RateLimit` headers
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export function rateLimit(name: string, points: number, seconds: number): RateLimit {
  if (points === 0) return unlimited
  const limiter = new RateLimiterMemory({ points, duration: seconds })
  return {
    async consume(who, reply) {
      const state = await limiter.consume(rateLimitKey(who)).catch((refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return refusal
        throw refusal
      })
      const resetSeconds = secondsUntilReset(state, seconds)
      addHeader(reply, 'RateLimit-Policy', `"${name}";q=${points};w=${seconds}`)
      addHeader(reply, 'RateLimit', `"${name}";r=${state.remainingPoints};t=${resetSeconds}`)
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
