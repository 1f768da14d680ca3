/**
 * Finds in one statement the queues of a database that have due work, and wakes them. A queue has no poll of its own,
 * because an idle server would then send a statement for each queue (ADR 0072).
 */
import type { Db } from '../db/db.ts'
import { type Statement, statement } from '../db/statement.ts'
import type { Log } from '../log.ts'
import { poll } from './repeat.ts'

/** How long rows of other processes, expired leases and retries may wait to be noticed. */
const LOOK_MS = 500

/** `isDue` is a condition in SQL, in which `clock` has the time `now` and, for work that depends on the clock of tests, `test_now`. */
export interface DueQueue {
  readonly name: string
  readonly isDue: string
}

export interface DueStatement extends Statement<{ queue: string }> {
  readonly queues: readonly string[]
}

/** Returns the statement that lists which of the queues have due work. */
export function findDue(name: string, queues: readonly DueQueue[]): DueStatement {
  const checks = queues.map(({ name: queue, isDue }) => `  select '${queue}' as queue where ${isDue}`)
  const clock = 'select clock_timestamp() as now, coalesce($now, clock_timestamp()) as test_now'
  return {
    ...statement(name, `\n  with clock as materialized (${clock})\n${checks.join('\n  union all\n')}`),
    queues: queues.map((queue) => queue.name),
  }
}

export interface DueWork {
  /** Calls `wake` after each look that finds due work in the queue. Returns a function that ends this. */
  watch(queue: DueQueue, wake: () => void): () => void
  /** Looks no more, and resolves when the current look has ended. */
  stop(): Promise<void>
}

/** Looks when a queue is watched, and then repeatedly. A statement whose queues nobody watches is not sent. */
export function watchDueWork({ db, log }: { db: Db; log: Log }, statements: readonly DueStatement[]): DueWork {
  const watched = new Map<string, () => void>()

  async function look(find: DueStatement): Promise<void> {
    if (!find.queues.some((queue) => watched.has(queue))) return
    for (const { queue } of await db.run(find)) watched.get(queue)?.()
  }
  const looking = poll(() => Promise.all(statements.map(look)), {
    everyMs: LOOK_MS,
    log,
    failure: 'it could not be seen which jobs are due; it is tried again',
  })
  return {
    watch({ name }, wake) {
      if (!statements.some(({ queues }) => queues.includes(name))) throw new Error(`no look finds the work of ${name}`)
      watched.set(name, wake)
      looking.wake()
      return () => watched.delete(name)
    },
    stop: looking.stop,
  }
}
