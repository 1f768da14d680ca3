/**
 * Runs durable jobs: claims leased rows that are due, a few at a time, and releases failed ones for a later retry. Each job
 * runs at least once, so it must leave the same result when it runs again. Any number of processes may share the rows.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db/db.ts'
import type { Log } from '../log.ts'
import type { DueWork } from './due-work.ts'
import type { Claimed, LeasedRows } from './leased-rows.ts'
import { poll } from './repeat.ts'

/** How often a job that runs longer renews its lease. */
const RENEW_MS = 500
/** How many rows of a queue a process works on at once, unless its feature says otherwise. */
const CONCURRENCY = 2
const STOP_MS = 15_000

/** Watches the jobs that this process runs. */
export type JobObserver = (queue: string, run: () => Promise<JobResult>) => Promise<JobResult>

export interface WorkerDeps {
  db: Db
  log: Log
  observeJob: JobObserver
  /** Finds rows of other processes, expired leases and retries. */
  dueWork: DueWork
}

/**
 * `again`: the job has more to do, after the rows that are already due. `later`: the job waits for other work, and runs
 * again after a pause. `failed`: the job must be tried again, and has logged why.
 */
export type JobResult = 'done' | 'again' | 'later' | 'failed'

/** Work that waits, as the metrics report it to the operators of an installation. */
export interface Backlog {
  labels: Record<string, string>
  count: number
  /** How long the first of these has waited. */
  oldestSeconds?: number
}

export interface Worker {
  /** Claims due rows now instead of after the next look; in an ambient transaction, after its commit. */
  wake(): void
  backlog(): Promise<Backlog[]>
  /** Claims nothing more, waits for running jobs (15 s at most), and releases the rows of jobs that still run. */
  stop(): Promise<void>
}

/**
 * Runs `work` for each row, `concurrency` at the same time. A job that is done has marked its row as finished; one that throws is tried
 * again later. If the lease of a running job expires and this process claims its row again, the job continues with the new claim:
 * its `claims` change.
 */
export function startWorker<Key extends object>(
  { db, log, observeJob, dueWork }: WorkerDeps,
  rows: LeasedRows<Key>,
  work: (claimed: Claimed<Key>) => Promise<JobResult>,
  concurrency = CONCURRENCY,
): Worker {
  const queue = rows.name
  /** The tenant that had the last turn, where tenants take turns. */
  let lastTenant = ''
  const running = new Map<Claimed<Key>, Promise<void>>()
  const release = (claimed: Claimed<Key>, seconds: number) =>
    db.run(rows.release, rows.releaseValues(claimed, seconds)).catch((err: unknown) => {
      log.warn({ err, queue, job: claimed }, 'a job could not be released; it runs again when its lease expires')
    })

  /** Renews the lease of a job until the function that it returns is called, or the worker stops. */
  function renewing(claimed: Claimed<Key>): () => void {
    const ended = new AbortController()
    const renew = async () => {
      for (;;) {
        await sleep(RENEW_MS, undefined, { ref: false, signal: ended.signal })
        if (!running.has(claimed)) return
        await db.run(rows.renew, rows.renewValues(claimed)).catch((err: unknown) => {
          log.warn({ err, queue, job: claimed }, 'the lease of a job was not renewed; another server may run it too')
        })
      }
    }
    renew().catch(() => {}) // it has ended
    return () => ended.abort()
  }

  async function run(claimed: Claimed<Key>): Promise<void> {
    const stopRenewing = renewing(claimed)
    const result = await observeJob(queue, () => work(claimed)).catch((err: unknown) => {
      log.warn({ err, queue, job: claimed }, 'a job failed; it is tried again')
      return 'failed'
    })
    stopRenewing()
    if (result === 'again') await release(claimed, 0)
    if (result === 'failed' || result === 'later') await release(claimed, rows.retrySeconds(claimed.claims))
    running.delete(claimed)
    // A claim has the rows of several jobs: it takes longer than many of them.
    if (running.size <= concurrency / 2) polling.wake()
  }

  async function claim(): Promise<void> {
    const free = concurrency - running.size
    if (free === 0) return
    for (const claimed of await db.run(rows.claim, rows.claimValues(free, lastTenant))) {
      lastTenant = claimed.tenant ?? ''
      const own = [...running.keys()].find((earlier) => rows.follows(claimed, earlier))
      if (own === undefined) running.set(claimed, run(claimed))
      else own.claims = claimed.claims // its lease expired, for instance because the database did not respond
    }
  }

  const polling = poll(claim, { log, failure: `${queue} could not be claimed; it is tried again` })
  const stopWatching = dueWork.watch(rows, polling.wake)
  return {
    wake: () => db.afterCommit(polling.wake),
    async backlog() {
      const [counts] = await db.run(rows.count)
      return Object.entries(counts ?? {}).map(([state, count]) => ({ labels: { queue, state }, count }))
    },
    async stop() {
      stopWatching()
      await polling.stop()
      await Promise.race([Promise.all(running.values()), sleep(STOP_MS, undefined, { ref: false })])
      await Promise.all([...running.keys()].map((claimed) => release(claimed, 0)))
      running.clear()
    },
  }
}
