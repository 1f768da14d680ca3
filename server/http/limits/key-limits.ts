/**
 * The resources of a process that one account may use (rules/contract.md#rate-limits): requests a second, concurrent calls,
 * bytes of bodies in memory, and time of the database. Everything in progress counts, so a caller who uses too much is refused,
 * and others are not. The account is an API key, or a workspace for the calls that manage its keys. Memory is shared between
 * workspaces, like everything that tenants share: a workspace does not get more by having more keys.
 */
import { getHeapStatistics } from 'node:v8'
import type { FastifyReply } from 'fastify'
import { StatusError } from '#platform/status-error.ts'
import { whenOver } from '../request-end.ts'
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
   * Counts the bytes of a response until it is sent: a tenant that does not read its responses holds its own share of the memory. Throws
   * RESOURCE_EXHAUSTED above that, but for writes, whose response must not look like a refusal.
   */
  hold(response: string | Buffer, reply: FastifyReply, options: { isWrite: boolean }): void
  /** Counts time of the database. It is known only afterwards, so the next call is refused, not this one. */
  charge(account: string, ms: number): void
}

/** An account may use the database for this long before its limit a second applies. */
const BURST_SECONDS = 60
/** Smaller bodies and responses are not counted: the number of concurrent calls bounds them. */
const SMALL_BYTES = 64 * 1024
/** A parsed body and the data derived from it take about ten times its bytes, a response about three times. */
const BYTES_MAX = getHeapStatistics().heap_size_limit / 16

export function keyLimits({ requests, concurrent, databaseMs }: KeyLimitOptions, usage: Usage): KeyLimits {
  const rate = rateLimit('key', requests, 1)
  const calls = new Map<string, number>()
  const memory = new MemoryBudget()
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

/** The bytes of large bodies and responses in memory. A tenant gets more only while it has fewer than are free, so others always find some. */
class MemoryBudget {
  readonly #held = new Map<string, number>()
  #free = BYTES_MAX

  /**
   * Returns the bytes that were counted, for `give`. Small bodies are not counted, and neither are bodies that must be allowed
   * although there is no room.
   */
  take(tenant: string, bytes: number, always = false): number {
    if (!(bytes > SMALL_BYTES)) return 0
    const held = this.#held.get(tenant) ?? 0
    // A tenant that holds none may have a large one, however little is free.
    if (held > 0 && held + bytes > this.#free - bytes) {
      if (always) return 0
      throw refused(
        'Too many large bodies and responses at once for this workspace; send large calls sequentially, and read each response before the next call.',
        1,
      )
    }
    this.#held.set(tenant, held + bytes)
    this.#free -= bytes
    return bytes
  }

  give(tenant: string, bytes: number): void {
    if (bytes === 0) return
    this.#free += bytes
    const held = (this.#held.get(tenant) ?? 0) - bytes
    if (held > 0) this.#held.set(tenant, held)
    else this.#held.delete(tenant)
  }
}

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
