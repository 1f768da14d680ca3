/**
 * A lone read begins before its credentials are looked up (ADR 0065): it presumes the caller of the last call with the
 * same credentials in this process. The look-up is made as always, and the response waits for it. If the credentials
 * are wrong now, the call is refused as if nothing had begun. If the caller has other properties now, the read is made
 * again.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#tenancy/callers/caller.ts'
import { whenOver } from '../request-end.ts'

const REMEMBERED_MAX = 1_000
/** Fewer also occur among the calls of a few connections. */
const ALONE_BEFORE = 8

export class PresumedCallers {
  /** The callers by a hash of all their credentials. */
  readonly #callers = new Map<string, Caller>()
  #underWay = 0
  /** How many reads in a row began while no other was under way. */
  #alone = 0

  /**
   * Counts a read that begins. Returns whether no other read arrived with it. Reads that arrive together wait for one
   * look-up and then share one run; if they began early, they would be divided into several smaller runs.
   */
  isAlone(reply: FastifyReply): boolean {
    this.#alone = this.#underWay === 0 ? this.#alone + 1 : 0
    this.#underWay++
    whenOver(reply, () => this.#underWay--)
    return this.#alone > ALONE_BEFORE
  }

  of(credential: string): Caller | undefined {
    return this.#callers.get(credential)
  }

  remember(credential: string, caller: Caller): void {
    if (this.#callers.size >= REMEMBERED_MAX) this.#callers.clear()
    this.#callers.set(credential, caller)
  }

  forget(credential: string): void {
    this.#callers.delete(credential)
  }
}

/** Lets a request begin during the look-up of its credentials, which decides in the end. */
export function awaitLater({ context }: FastifyRequest, lookUp: Promise<unknown>): void {
  lookUp.catch(() => {}) // the response reports it
  context.lookUp = lookUp
}

/** Runs a read for the caller of a request: early for a presumed one, and again if the look-up finds another. */
export async function forCaller<AnyCaller, Result>(
  { context }: FastifyRequest,
  read: (caller: AnyCaller) => Promise<Result>,
): Promise<Result> {
  const caller = context.caller as AnyCaller
  if (context.lookUp === undefined) return read(caller)
  const early = read(caller)
  early.catch(() => {}) // not reported unless it is the result
  const found = (await context.lookUp) as AnyCaller
  return JSON.stringify(found) === JSON.stringify(caller) ? early : read(found)
}
