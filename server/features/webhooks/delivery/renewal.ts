/** Renews the leases of deliveries under way, so that those of a server that is killed are due again soon (ADR 0019). */
import type { Db } from '#platform/db/db.ts'
import { poll } from '#platform/jobs/repeat.ts'
import type { Log } from '#platform/log.ts'
import { type ClaimOnDelivery, RENEW_DELIVERIES } from './claim-statements.ts'

/** How often, and how long a delivery is under way before its lease is renewed the first time: most are recorded by then. */
const RENEW_MS = 500

export interface Renewal<Claim> {
  /** Renews the lease of a delivery from now on. */
  begin(claim: Claim): void
  /** Its result is recorded. */
  end(claim: Claim): void
  stop(): Promise<void>
}

export function startRenewal<Claim extends ClaimOnDelivery>({ db, log }: { db: Db; log: Log }): Renewal<Claim> {
  const begun = new Map<Claim, number>()

  async function renew(): Promise<void> {
    const since = performance.now() - RENEW_MS
    const longer = [...begun].flatMap(([claim, at]) => (at <= since ? [claim] : []))
    if (longer.length > 0) await db.runSet(RENEW_DELIVERIES, longer)
  }
  const failure = 'the leases of webhook deliveries were not renewed; another server may send them too'
  const renewing = poll(renew, { everyMs: RENEW_MS, log, failure })
  return {
    begin: (claim) => void begun.set(claim, performance.now()),
    end: (claim) => void begun.delete(claim),
    stop: renewing.stop,
  }
}
