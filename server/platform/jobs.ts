/**
 * Durable work on pg-boss. What users poll is a row of ours with a state: it is the truth, a job only carries its id.
 * So a job that runs twice finds the work done, and one that is lost is enqueued again by the sweep of its feature.
 */
import { PgBoss } from 'pg-boss'
import type { Db, Session } from './db/db.ts'
import { isCode } from './db/pg-errors.ts'
import type { Log } from './log.ts'

/** The schema of pg-boss in our database. */
const SCHEMA = 'jobs'
const POLLING_SECONDS = 2
const WORKERS_PER_QUEUE = 2
const STOP_TIMEOUT_MS = 15_000
const UNIQUE_VIOLATION = '23505'

export interface Queue<Payload extends object> {
  readonly name: string
  /** How long a job waits before it is run; default: not at all. */
  readonly delaySeconds?: number
  /** How often a job whose handler throws is tried again, and after what time: twice the one before, up to the longest. Default: 5 times from a second on. */
  readonly retries?: { readonly limit: number; readonly delaySeconds: number; readonly delayMaxSeconds: number }
  /** Never set; carries the payload type. */
  readonly payload?: Payload
}

/** What waits to be worked off, for those who look after an installation. */
export interface Backlog {
  labels: Record<string, string>
  count: number
  /** For how long the first has waited. */
  oldestSeconds?: number
}

/** Watches the jobs that this process runs. */
export type JobObserver = (queue: string, run: () => Promise<void>) => Promise<void>

export interface Jobs {
  /** Adds a job in the transaction of `session`, unless one of this `key` waits: it exists exactly when the change that asked for it does. */
  enqueue<Payload extends object>(session: Session, queue: Queue<Payload>, payload: Payload, key: string): Promise<void>
  /** The same for several at once. */
  enqueueAll<Payload extends object>(
    session: Session,
    queue: Queue<Payload>,
    jobs: readonly { payload: Payload; key: string }[],
  ): Promise<void>
  /** Runs `handle` for each job of the queue, at least once; a job whose handler throws is tried again with backoff. */
  work<Payload extends object>(queue: Queue<Payload>, handle: (payload: Payload) => Promise<void>): Promise<void>
  /** Looks for work now instead of at the next poll; call it after the transaction that enqueued. Waits for the ambient one. */
  wake(queue: Queue<object>): void
  /** What is in the queues, as pg-boss has counted it within the last two minutes. */
  backlog(): Promise<Backlog[]>
  /** Waits for running jobs (15 s at most); what is still running then is handed back. */
  stop(): Promise<void>
}

export async function startJobs(db: Db, log: Log, around: JobObserver = (_queue, run) => run()): Promise<Jobs> {
  const executeSql = (text: string, values?: unknown[]) => db.query(text, values)
  const boss = new PgBoss({
    db: { executeSql },
    backend: db.engine === 'embedded' ? 'pglite' : 'postgres',
    schema: SCHEMA,
    schedule: false,
    superviseIntervalSeconds: 30,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue could not do its housekeeping'))
  await boss.start().catch((error: unknown) => {
    if (!isCode(error, UNIQUE_VIOLATION)) throw error
    return boss.start() // another process made the schema at the same moment: now it is there
  })
  const workers = new Map<string, string[]>()
  return {
    async enqueue(session, queue, payload, key) {
      const executeSqlIn = (text: string, values?: unknown[]) => session.query(text, values)
      const startAfter = queue.delaySeconds ?? 0
      await boss.send(queue.name, payload, { singletonKey: key, startAfter, db: { executeSql: executeSqlIn } })
    },
    async enqueueAll(session, queue, all) {
      if (all.length === 0) return
      const executeSqlIn = (text: string, values?: unknown[]) => session.query(text, values)
      const jobs = all.map(({ payload, key }) => ({
        data: payload,
        singletonKey: key,
        startAfter: queue.delaySeconds ?? 0,
      }))
      await boss.insert(queue.name, jobs, { db: { executeSql: executeSqlIn } })
    },
    async work(queue, handle) {
      await boss.createQueue(queue.name, {
        policy: 'short', // one of a key may wait, while a dead worker's still counts as running
        retryLimit: queue.retries?.limit ?? 5,
        retryBackoff: true,
        ...(queue.retries === undefined
          ? {}
          : { retryDelay: queue.retries.delaySeconds, retryDelayMax: queue.retries.delayMaxSeconds }),
        expireInSeconds: 300,
        heartbeatSeconds: 30,
      })
      const options = { pollingIntervalSeconds: POLLING_SECONDS }
      const started: string[] = []
      for (let count = 0; count < WORKERS_PER_QUEUE; count++) {
        const worker = await boss.work<object>(queue.name, options, async ([job]) => {
          if (job === undefined) return
          try {
            await around(queue.name, () => handle(job.data as never))
          } finally {
            boss.notifyWorker(worker) // on its own it takes one job a poll, and a backlog takes forever
          }
        })
        started.push(worker)
      }
      workers.set(queue.name, started)
    },
    wake(queue) {
      db.afterCommit(() => {
        for (const worker of workers.get(queue.name) ?? []) boss.notifyWorker(worker)
      })
    },
    async backlog() {
      const queues = await boss.getQueues([...workers.keys()])
      return queues.flatMap(({ name, queuedCount, deferredCount, activeCount }) => [
        { labels: { queue: name, state: 'ready' }, count: Math.max(queuedCount - deferredCount, 0) },
        { labels: { queue: name, state: 'deferred' }, count: deferredCount },
        { labels: { queue: name, state: 'active' }, count: activeCount },
      ])
    },
    stop: () => boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS, close: false }),
  }
}
