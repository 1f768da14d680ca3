/**
 * What follows when a grant expires. Its access ends by itself, whatever this does: a decision looks at the time alone.
 * The sweep writes the event of each expiry, once, before it that of its coming if the key asks for it, and later removes
 * the grant. Every process sweeps: each takes the organizations that nobody else holds. A batch is a transaction, so a
 * death at any point loses and doubles nothing.
 */
import type { Db } from '#platform/db/db.ts'
import type { SetStatement, Statement } from '#platform/db/statement.ts'
import type { Log } from '#platform/log.ts'
import { repeat } from '#platform/repeat.ts'
import {
  ANNOUNCE_EXPIRING,
  DELETE_EXPIRED_PERMISSIONS,
  EXPIRE_PERMISSIONS,
  GRANTS_PER_BATCH,
  LOCK_EXPIRED,
  LOCK_EXPIRING,
  LOCK_LONG_EXPIRED,
  type Place,
  type WalkedGrant,
} from './expiry-statements.ts'

const INTERVAL_MS = 2_000

/** So far the walk looks for others where one organization has so many due, or is held by somebody, that few are found. */
const LOOK_FAR = 10_000

const START: Place = {
  time: '-infinity',
  organizationKey: '00000000-0000-0000-0000-000000000000',
  resourceKey: '00000000-0000-0000-0000-000000000000',
  userId: '',
}

export interface ExpiryDeps {
  db: Db
  /** How long an expired grant stays after its event; 0: for ever. */
  keptDays: number
}

/** Sweeps now and then two seconds after each end. Answers what ends it, after the batch under way. */
export function startExpiry({ log, ...deps }: ExpiryDeps & { log: Log }): () => Promise<void> {
  return repeat((stopping) => sweepExpired(deps, stopping), {
    everyMs: INTERVAL_MS,
    log,
    failure: 'the sweep of expired grants failed; it runs again shortly',
  })
}

/** Sweeps until nothing is due but what others hold, or until `stopping`. */
export async function sweepExpired({ db, keptDays }: ExpiryDeps, stopping?: AbortSignal): Promise<void> {
  while (await walk(db, LOCK_EXPIRING, [], ANNOUNCE_EXPIRING, stopping));
  while (await walk(db, LOCK_EXPIRED, [], EXPIRE_PERMISSIONS, stopping));
  if (keptDays === 0) return
  while (await walk(db, LOCK_LONG_EXPIRED, [keptDays], DELETE_EXPIRED_PERMISSIONS, stopping));
}

/**
 * Goes once through all that is due, the earliest first, and takes a part at a time of each organization: one that has
 * very many due does not hold up the others. Answers whether it did anything.
 */
async function walk(
  db: Db,
  lock: Statement<WalkedGrant>,
  bounds: readonly unknown[],
  change: SetStatement<Place, { changed: number }>,
  stopping?: AbortSignal,
): Promise<boolean> {
  let place = START
  let lookAt = GRANTS_PER_BATCH
  let changed = 0
  while (!stopping?.aborted) {
    const { time, organizationKey, resourceKey, userId } = place
    const values = [time, organizationKey, resourceKey, userId, lookAt, ...bounds]
    const batch = await db.transaction(async (session) => {
      const walked = await session.run(lock, values)
      const taken = walked.filter((grant) => grant.taken)
      const [answer] = taken.length > 0 ? await session.runSet(change, taken) : []
      return { last: walked.at(-1), changed: answer?.changed ?? 0 }
    })
    if (batch.last === undefined) break
    place = batch.last
    lookAt = batch.changed < GRANTS_PER_BATCH ? LOOK_FAR : GRANTS_PER_BATCH
    changed += batch.changed
  }
  return changed > 0
}
