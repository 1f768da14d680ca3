/**
 * Notices that the clock of the database was set back: events from then on have times that earlier events have too, so in
 * these times a search by time must not rely on the order of events (ADR 0018).
 */
import type { Db } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import type { DueQueue, DueWork } from '#platform/jobs/due-work.ts'
import { poll } from '#platform/jobs/repeat.ts'
import type { Log } from '#platform/log.ts'

/** Smaller steps are not noticed, and a step is noticed within this time. */
const MARGIN = `interval '1 minute'`

/** How far the clock goes on until that is stored. */
const STORED_EVERY = `interval '10 minutes'`

const isAsStored = (now: string) => `${now} between c.reached - ${MARGIN} and c.reached + ${STORED_EVERY}`

/** Whether the clock has gone on, or back. Its own time counts, as in events, and not that of tests. */
export const CLOCK_STEPS: DueQueue = {
  name: 'clock-steps',
  isDue: `not exists (select from database_clock c where ${isAsStored('(select now from clock)')})`,
}

/**
 * Stores how far the clock has come. If it has gone back, also from when to when it goes once more; `reached` is up to ten
 * minutes behind what it had come to.
 */
export const STORE_CLOCK = statement<never>(
  'database-clock.store',
  /* sql */ `
  insert into database_clock as c (reached) select clock_timestamp()
  on conflict (singleton) do update
     set reached = excluded.reached,
         repeated = case when excluded.reached < c.reached
                         then c.repeated + tstzmultirange(tstzrange(excluded.reached - ${MARGIN}, c.reached + ${STORED_EVERY} + ${MARGIN}))
                         else c.repeated end
   where not ${isAsStored('excluded.reached')}`,
)

/** Adds how far the clock of another database has come (`$1`), and the times that it had twice (`$2`): its events come here. */
export const JOIN_CLOCK = /* sql */ `
  insert into database_clock as c (reached, repeated) values ($1::timestamptz, $2::tstzmultirange)
  on conflict (singleton) do update
     set reached = greatest(c.reached, excluded.reached), repeated = c.repeated + excluded.repeated`

/** Whether the clock has had a time more than once; null for null. */
export const isRepeated = (time: string): string =>
  `coalesce((select c.repeated @> ${time} from database_clock c), false)`

/** Watches the clock. Returns a function that ends this. */
export function watchClock({ db, log, dueWork }: { db: Db; log: Log; dueWork: DueWork }): () => Promise<void> {
  const storing = poll(() => db.run(STORE_CLOCK), {
    log,
    failure: 'the time of the database could not be stored; it is tried again',
  })
  const stopWatching = dueWork.watch(CLOCK_STEPS, storing.wake)
  return async () => {
    stopWatching()
    await storing.stop()
  }
}
