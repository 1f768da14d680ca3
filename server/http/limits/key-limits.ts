/**
 * The resources of a process that one account may use (rules/contract.md#rate-limits): requests a second, concurrent calls,
 * bytes of bodies in memory, and time of the database. Everything in progress counts, so a caller who uses too much is refused,
 * and others are not. The account is an API key, or a workspace for the calls that manage its keys. Memory is shared between
 * workspaces, like everything that tenants share: a workspace does not get more by having more keys.
 */
import type { FastifyReply } from 'fastify'
import { StatusError } from '#platform/status-error.ts'
import { whenOver } from '../request-end.ts'
import type { MemoryBudget } from './memory-budget.ts'
import { addHeader, rateLimit } from './rate-limit.ts'
import type { Usage } from './usage.ts'

export interface KeyLimitOptions {
  /** Requests a second. Of each limit, 0 means none. */
  requests: number
  /** Calls under way. */
  concurrent: number
  /** Milliseconds of the database a second. */
  databaseMs: number
}

export interface KeyLimits extends Pick<Usage, 'largest'> {
  /** Counts one call. Throws RESOURCE_EXHAUSTED with `Retry-After` above a limit. */
  consume(
    caller: { workspaceId: string; apiKeyId?: string },
    reply: FastifyReply,
    /** `isStream`: it stays open, and does not count as a concurrent call. */
    options?: { isStream?: boolean },
  ): Promise<void>
  /**
   * Counts the bytes of a response until it is sent: a tenant that does not read its responses holds its own share of
   * the memory. Throws RESOURCE_EXHAUSTED above that share, except for writes, whose response must not look like a
   * refusal.
   */
  hold(response: string | Buffer, reply: FastifyReply, options: { isWrite: boolean }): void
  /** Counts time of the database. It is known only afterwards, so the next call is refused, not this one. */
  charge(account: string, ms: number): void
}

/** An account may use the database for this long before its limit a second applies. */
const BURST_SECONDS = 60

export function keyLimits(
  { requests, concurrent, databaseMs }: KeyLimitOptions,
  usage: Usage,
  memory: MemoryBudget,
): KeyLimits {
  const rate = rateLimit('key', requests, 1)
  const calls = new Map<string, number>()
  const database = new TimeBudget(databaseMs)
  return {
    charge(account, ms) {
      database.charge(account, ms)
      usage.charge(account, ms)
    },
    largest: () => usage.largest(),
    async consume({ workspaceId: tenant, apiKeyId: account = tenant }, reply, { isStream = false } = {}) {
      Object.assign(reply.request.context, { tenant, account })
      const underWay = calls.get(account) ?? 0
      if (concurrent > 0 && underWay >= concurrent)
        throw refused(`Too many concurrent calls: the limit is ${concurrent} for each API key or workspace.`, 1)
      database.admit(account, reply)
      if (isStream) return rate.consume(account, reply)
      const bytes = memory.take(tenant, bytesOfBody(reply))
      calls.set(account, underWay + 1)
      whenOver(reply, () => {
        const left = (calls.get(account) ?? 1) - 1
        if (left > 0) calls.set(account, left)
        else calls.delete(account)
        memory.give(tenant, bytes)
      })
      await rate.consume(account, reply)
    },
    hold(response, reply, { isWrite }) {
      const { tenant } = reply.request.context
      const bytes = memory.take(tenant, response.length, isWrite)
      if (bytes > 0) whenOver(reply, () => memory.give(tenant, bytes))
    },
  }
}

function bytesOfBody({ request }: FastifyReply): number {
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers
  return chunked === undefined ? Number(length ?? 0) : (request.routeOptions.bodyLimit ?? 0)
}

const refused = (message: string, retryAfterSeconds: number) =>
  new StatusError('RESOURCE_EXHAUSTED', 'rate_limited', message, { retryAfterSeconds })

/** Milliseconds that refill with time. The time that a call used is subtracted afterwards, so the rest can be negative. */
class TimeBudget {
  readonly #perSecond: number
  readonly #max: number
  readonly #rests = new Map<string, { ms: number; at: number }>()

  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#max = perSecond * BURST_SECONDS
  }

  admit(account: string, reply: FastifyReply): void {
    if (this.#perSecond === 0) return
    const rest = this.#rest(account)
    const fullInSeconds = Math.ceil((this.#max - rest) / this.#perSecond)
    addHeader(reply, 'RateLimit-Policy', `"database";q=${this.#max};w=${BURST_SECONDS}`)
    addHeader(reply, 'RateLimit', `"database";r=${Math.max(0, Math.floor(rest))};t=${fullInSeconds}`)
    if (rest < 0)
      throw refused(
        `The calls of this API key or workspace used too much database time: the limit is ${this.#perSecond} ms per second.`,
        Math.ceil(-rest / this.#perSecond),
      )
  }

  charge(account: string, ms: number): void {
    if (this.#perSecond === 0) return
    // A change that took an hour must not close the account for an hour.
    const entry = { ms: Math.max(this.#rest(account) - ms, -this.#max), at: performance.now() }
    this.#rests.set(account, entry)
    if (this.#rests.size > FORGET_ABOVE) this.#forgetFull()
  }

  #rest(account: string): number {
    const entry = this.#rests.get(account)
    if (entry === undefined) return this.#max
    return Math.min(entry.ms + ((performance.now() - entry.at) / 1000) * this.#perSecond, this.#max)
  }

  #forgetFull(): void {
    for (const account of this.#rests.keys()) if (this.#rest(account) >= this.#max) this.#rests.delete(account)
  }
}

const FORGET_ABOVE = 10_000
