/**
 * The sweep of expired grants. Access does not depend on it: a decision compares a grant's expiry with the current time.
 * For each grant the sweep writes `permission.expiring` ahead of the expiry if the API key is configured for it, then
 * `permission.expired`, each at most once, and later deletes the grant. Every process sweeps and skips organizations that
 * are locked. Each batch is one transaction, so a crash neither loses nor repeats an event.
 */
import type { Db } from '#platform/db/db.ts'
import type { SetStatement, Statement } from '#platform/db/statement.ts'
import type { DueWork } from '#platform/jobs/due-work.ts'
import { poll, repeatLater } from '#platform/jobs/repeat.ts'
import type { Log } from '#platform/log.ts'
import {
  ANNOUNCE_EXPIRING,
  type Cursor,
  DELETE_EXPIRED_PERMISSIONS,
  type Due,
  type DueGrant,
  EXPIRE_PERMISSIONS,
  EXPIRED_GRANTS,
  GRANTS_PER_BATCH,
  LOCK_EXPIRED,
  LOCK_EXPIRING,
  LOCK_LONG_EXPIRED,
} from './statements.ts'

/** Between two sweeps of grants whose event is days old. */
const DELETE_EVERY_MS = 10_000

/** How many grants a scan reads when the last batch was small, because one organization has most of the due grants or is locked. */
const WIDE_SCAN = 10_000

const START: Cursor = {
  time: '-infinity',
  organizationKey: '00000000-0000-0000-0000-000000000000',
  resourceKey: '00000000-0000-0000-0000-000000000000',
  principal: '',
}

export interface ExpiryDeps {
  db: Db
  /** How long an expired grant is kept after its event; 0: indefinitely. */
  keptDays: number
}

/** Sweeps whenever events are due. Returns a function that stops it after the current batch. */
export function startExpiry({
  log,
  dueWork,
  ...deps
}: ExpiryDeps & { log: Log; dueWork: DueWork }): () => Promise<void> {
  const failure = 'the sweep of expired grants failed; it will be retried shortly'
  const sweeping = poll((stopping) => writeEvents(deps, stopping), { log, failure })
  const stopWatching = dueWork.watch(EXPIRED_GRANTS, sweeping.wake)
  const stopDeleting = repeatLater((stopping) => deleteOld(deps, stopping), { everyMs: DELETE_EVERY_MS, log, failure })
  return async () => {
    stopWatching()
    await Promise.all([sweeping.stop(), stopDeleting()])
  }
}

/** Sweeps until nothing is due except in organizations locked by others, or until `stopping`. */
export async function sweepExpired(deps: ExpiryDeps, stopping?: AbortSignal): Promise<void> {
  await writeEvents(deps, stopping)
  await deleteOld(deps, stopping)
}

async function writeEvents({ db }: ExpiryDeps, stopping?: AbortSignal): Promise<void> {
  while (await processDue(db, LOCK_EXPIRING, [], ANNOUNCE_EXPIRING, stopping));
  while (await processDue(db, LOCK_EXPIRED, [], EXPIRE_PERMISSIONS, stopping));
}

async function deleteOld({ db, keptDays }: ExpiryDeps, stopping?: AbortSignal): Promise<void> {
  if (keptDays === 0) return
  while (await processDue(db, LOCK_LONG_EXPIRED, [keptDays], DELETE_EXPIRED_PERMISSIONS, stopping));
}

/**
 * Processes all due grants once, earliest first. A batch has a limited number of grants of one organization, so an
 * organization with many due grants does not delay the others. Returns whether any grant was processed.
 */
async function processDue(
  db: Db,
  lock: Statement<DueGrant>,
  bounds: readonly unknown[],
  change: SetStatement<Due, { changed: number }>,
  stopping?: AbortSignal,
): Promise<boolean> {
  let cursor = START
  let scanLimit = GRANTS_PER_BATCH
  let changed = 0
  while (!stopping?.aborted) {
    const { time, organizationKey, resourceKey, principal } = cursor
    const values = [time, organizationKey, resourceKey, principal, scanLimit, ...bounds]
    const batch = await db.transaction(async (session) => {
      const due = await session.run(lock, values)
      const claimed = due.filter((grant) => grant.claimed)
      const [result] = claimed.length > 0 ? await session.runSet(change, claimed) : []
      return { last: due.at(-1), changed: result?.changed ?? 0 }
    })
    if (batch.last === undefined) break
    cursor = batch.last
    scanLimit = batch.changed < GRANTS_PER_BATCH ? WIDE_SCAN : GRANTS_PER_BATCH
    changed += batch.changed
  }
  return changed > 0
}
