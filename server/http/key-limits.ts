/**
 * What one API key may use of a process (rules/contract.md#rate-limits): requests a second, concurrent calls, bytes of bodies in
 * memory, and time of the database. Everything that is under way counts, so a key that asks for much is refused, not its neighbours.
 */
import { getHeapStatistics } from 'node:v8'
import type { FastifyReply } from 'fastify'
import { StatusError } from '#platform/status-error.ts'
import { addHeader, type RateLimit, rateLimit } from './rate-limit.ts'
import type { Usage } from './usage.ts'
import { whenOver } from './when-over.ts'

export interface KeyLimitOptions {
  /** Requests a second. Of each limit, 0 means none. */
  requests: number
  /** Calls under way. */
  concurrent: number
  /** Milliseconds of the database a second. */
  databaseMs: number
}

export interface KeyLimits extends RateLimit, Pick<Usage, 'largest'> {
  /** Counts time of the database. It is known only afterwards, so the next call is refused, not this one. */
  charge(apiKeyId: string, ms: number): void
}

/** A key may use the database for this long before its limit a second applies. */
const BURST_SECONDS = 60
/** Bodies below this size are not counted: the number of concurrent calls bounds them. */
const SMALL_BODY_BYTES = 64 * 1024
/** A parsed body and what is made of it take about ten times its bytes. */
const BODIES_BYTES_MAX = getHeapStatistics().heap_size_limit / 16

export function keyLimits({ requests, concurrent, databaseMs }: KeyLimitOptions, usage: Usage): KeyLimits {
  const rate = rateLimit('key', requests, 1)
  const calls = new Map<string, number>()
  const bodies = new BodyBudget()
  const database = new TimeBudget(databaseMs)
  return {
    charge(apiKeyId, ms) {
      database.charge(apiKeyId, ms)
      usage.charge(apiKeyId, ms)
    },
    largest: () => usage.largest(),
    async consume(apiKeyId, reply) {
      reply.request.context.tenant = apiKeyId
      const underWay = calls.get(apiKeyId) ?? 0
      if (concurrent > 0 && underWay >= concurrent)
        throw refused(`Too many concurrent calls: the limit is ${concurrent} for each API key.`, 1)
      database.admit(apiKeyId, reply)
      const bytes = bodies.enter(apiKeyId, reply)
      calls.set(apiKeyId, underWay + 1)
      whenOver(reply, () => {
        const left = (calls.get(apiKeyId) ?? 1) - 1
        if (left > 0) calls.set(apiKeyId, left)
        else calls.delete(apiKeyId)
        bodies.leave(apiKeyId, bytes)
      })
      await rate.consume(apiKeyId, reply)
    },
  }
}

const refused = (message: string, retryAfterSeconds: number) =>
  new StatusError('RESOURCE_EXHAUSTED', 'rate_limited', message, { retryAfterSeconds })

/** The bytes of large bodies in memory. A key gets more only while it has fewer than are free, so others always find some. */
class BodyBudget {
  readonly #held = new Map<string, number>()
  #free = BODIES_BYTES_MAX

  /** Returns the bytes that were counted. */
  enter(apiKeyId: string, { request }: FastifyReply): number {
    const { 'content-length': length, 'transfer-encoding': chunked } = request.headers
    const bytes = chunked === undefined ? Number(length ?? 0) : (request.routeOptions.bodyLimit ?? 0)
    if (!(bytes > SMALL_BODY_BYTES)) return 0
    const held = this.#held.get(apiKeyId) ?? 0
    // A key without a body under way may have a large one, however little is free.
    if (held > 0 && held + bytes > this.#free - bytes)
      throw refused('Too many large bodies at once; send them one after the other.', 1)
    this.#held.set(apiKeyId, held + bytes)
    this.#free -= bytes
    return bytes
  }

  leave(apiKeyId: string, bytes: number): void {
    if (bytes === 0) return
    this.#free += bytes
    const held = (this.#held.get(apiKeyId) ?? 0) - bytes
    if (held > 0) this.#held.set(apiKeyId, held)
    else this.#held.delete(apiKeyId)
  }
}

/** Milliseconds that refill with time. What a call took is subtracted after it, so the rest can be negative. */
class TimeBudget {
  readonly #perSecond: number
  readonly #max: number
  readonly #rests = new Map<string, { ms: number; at: number }>()

  constructor(perSecond: number) {
    this.#perSecond = perSecond
    this.#max = perSecond * BURST_SECONDS
  }

  admit(apiKeyId: string, reply: FastifyReply): void {
    if (this.#perSecond === 0) return
    const rest = this.#rest(apiKeyId)
    const fullInSeconds = Math.ceil((this.#max - rest) / this.#perSecond)
    addHeader(reply, 'RateLimit-Policy', `"database";q=${this.#max};w=${BURST_SECONDS}`)
    addHeader(reply, 'RateLimit', `"database";r=${Math.max(0, Math.floor(rest))};t=${fullInSeconds}`)
    if (rest < 0)
      throw refused(
        `The calls of this API key took too much time of the database: the limit is ${this.#perSecond} ms in a second.`,
        Math.ceil(-rest / this.#perSecond),
      )
  }

  charge(apiKeyId: string, ms: number): void {
    if (this.#perSecond === 0) return
    const entry = { ms: this.#rest(apiKeyId) - ms, at: performance.now() }
    this.#rests.set(apiKeyId, entry)
    if (this.#rests.size > FORGET_ABOVE) this.#forgetFull()
  }

  #rest(apiKeyId: string): number {
    const entry = this.#rests.get(apiKeyId)
    if (entry === undefined) return this.#max
    return Math.min(entry.ms + ((performance.now() - entry.at) / 1000) * this.#perSecond, this.#max)
  }

  #forgetFull(): void {
    for (const apiKeyId of this.#rests.keys()) if (this.#rest(apiKeyId) >= this.#max) this.#rests.delete(apiKeyId)
  }
}

const FORGET_ABOVE = 10_000
