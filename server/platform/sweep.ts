/** Hands work whose worker died back to the queue: rows of ours that are not finished and whose lease is over. */
import type { Db } from './db/db.ts'
import type { Statement } from './db/statement.ts'
import type { Jobs, Queue } from './jobs.ts'
import type { Log } from './log.ts'
import { repeat } from './repeat.ts'

const INTERVAL_MS = 2_000

export interface SweepDeps {
  db: Db
  jobs: Jobs
  log: Log
}

/**
 * Sweeps now and every two seconds. `takeAbandoned` gives such rows a new lease and answers them as the payloads of
 * their jobs, each to one of several processes; `keyOf` is the key they are enqueued under. Answers what ends it.
 */
export function startSweep<Payload extends object>(
  { db, jobs, log }: SweepDeps,
  queue: Queue<Payload>,
  takeAbandoned: Statement<Payload>,
  keyOf: (payload: Payload) => string,
): () => Promise<void> {
  async function sweep(): Promise<void> {
    const found = await db.transaction(async (session) => {
      const abandoned = await session.run(takeAbandoned)
      for (const payload of abandoned) await jobs.enqueue(session, queue, payload, keyOf(payload))
      return abandoned.length
    })
    if (found > 0) jobs.wake(queue)
  }

  return repeat(sweep, {
    everyMs: INTERVAL_MS,
    log,
    failure: `the sweep of ${queue.name} failed; it runs again shortly`,
  })
}
