/** Renews the leases of deliveries under way, so that those of a server that is killed are due again soon (ADR 0019). */
import type { Db } from '#platform/db/db.ts'
import { poll } from '#platform/jobs/repeat.ts'
import type { Log } from '#platform/log.ts'
import { type ClaimOnDelivery, RENEW_DELIVERIES } from './claim-statements.ts'

/** How often, and how long a delivery is under way before its lease is renewed the first time: most are recorded by then. */
const RENEW_MS = 500

export interface Renewal<Claim> {
  /**
   * Gives a claim to the same delivery if that is still under way here: its lease expired because the database did not respond in
   * time. Returns false if it is not.
   */
  handOver(claim: Claim): boolean
  /** Renews the lease of a delivery from now on. */
  begin(claim: Claim): void
  /** Its result is recorded. */
  end(claim: Claim): void
  stop(): Promise<void>
}

export function startRenewal<Claim extends ClaimOnDelivery>({ db, log }: { db: Db; log: Log }): Renewal<Claim> {
  const begun = new Map<Claim, number>()
  /** The claims by their delivery. */
  const byPlace = new Map<string, Claim>()

  async function renew(): Promise<void> {
    const since = performance.now() - RENEW_MS
    const longer = [...begun].flatMap(([claim, at]) => (at <= since ? [claim] : []))
    if (longer.length > 0) await db.runSet(RENEW_DELIVERIES, longer)
  }
  const failure = 'the leases of webhook deliveries were not renewed; another server may send them too'
  const renewing = poll(renew, { everyMs: RENEW_MS, log, failure })
  return {
    handOver(claim) {
      const earlier = byPlace.get(placeOf(claim))
      if (earlier?.claims !== claim.claims - 1) return false // or its message was added again, and is sent again
      earlier.claims = claim.claims
      return true
    },
    begin(claim) {
      begun.set(claim, performance.now())
      byPlace.set(placeOf(claim), claim)
    },
    end(claim) {
      begun.delete(claim)
      if (byPlace.get(placeOf(claim)) === claim) byPlace.delete(placeOf(claim))
    },
    stop: renewing.stop,
  }
}

const placeOf = ({ endpointKey, stream, sequence, isAct }: ClaimOnDelivery): string =>
  `${endpointKey} ${stream} ${sequence} ${isAct}`
