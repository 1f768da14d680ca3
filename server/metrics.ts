/** Measures what the server does, and returns it to Prometheus (ADR 0022). */
import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics, type Gauge, Registry } from 'prom-client'
import type { Db, StatementRun } from '#platform/db/db.ts'
import { sqlState } from '#platform/db/pg-errors.ts'
import type { Backlog } from '#platform/jobs/worker.ts'
import type { Log } from '#platform/log.ts'
import { defineMetrics } from './metric-definitions.ts'

/** A scrape waits at most this long for the database; after that it leaves out the metrics that need it. */
const SAMPLE_WITHIN_MS = 2_000

/** API keys with labels of their own: more would cost Prometheus too much. */
const USAGE_KEYS_MAX = 100
const USAGE_KINDS = ['calls', 'refused', 'failed', 'checks'] as const
type UsageKind = (typeof USAGE_KINDS)[number]

interface CoalescerQueues {
  readonly name: string
  readonly queuedRows: number
  readonly slowLanes: number
}

/** Values that are read only when the metrics are scraped. */
export interface Sources {
  coalescers: readonly CoalescerQueues[]
  turnsWaiting(): number
  largestKeys(): readonly { ms: number }[]
  jobs(): Promise<Backlog[]>
  webhooks(): Promise<Backlog[]>
  mails(): Promise<Backlog[]>
  followers(): Promise<Backlog[]>
}

/** The metrics of the process, which measure as long as it runs: servers of one process, as in tests, share them. */
const processMetrics = new Registry()
collectDefaultMetrics({ register: processMetrics })

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics({ db, version, log }: { db: Db; version: string; log: Log }) {
  const registry = new Registry()
  const measured = defineMetrics(registry)
  measured.info.set({ version, engine: db.engine }, 1)
  const usageKeys = new Set<string>()

  /** Reads the metrics that need the database. Leaves them out when it does not respond in time. */
  async function sample(sources: Sources): Promise<void> {
    const names = Object.keys(measured.backlogs) as (keyof typeof measured.backlogs)[]
    const expired = sleep(SAMPLE_WITHIN_MS, undefined, { ref: false }).then(() => {
      throw new Error(`no response within ${SAMPLE_WITHIN_MS} ms`)
    })
    const found = await Promise.race([Promise.all(names.map((name) => sources[name]())), expired]).catch(
      (err: unknown) => log.warn({ err }, 'the metrics that need the database were left out'),
    )
    measured.databaseUp.set(found === undefined ? 0 : 1)
    for (const [index, name] of names.entries()) {
      const { waiting, oldest }: { waiting: Gauge; oldest?: Gauge } = measured.backlogs[name]
      waiting.reset()
      oldest?.reset()
      for (const { labels, count, oldestSeconds = 0 } of found?.[index] ?? []) {
        waiting.set(labels, count)
        oldest?.set(labels, oldestSeconds)
      }
    }
  }

  function samplePrimary(): void {
    const { isSeen = true, refusal, timeline = null, changes = 0, standbys = [] } = db.primary ?? {}
    measured.primary.isSeen.set(isSeen ? 1 : 0)
    measured.primary.isDisputed.set(refusal?.reason === 'primary_disputed' ? 1 : 0)
    measured.primary.timeline.set(timeline ?? 0)
    measured.primary.changes.set(changes)
    measured.primary.behind.reset()
    for (const { host, behindBytes } of standbys) measured.primary.behind.set({ host }, behindBytes)
  }

  let sources: Sources | undefined
  return {
    contentType: registry.contentType,
    requestCompleted(operation: string, status: number, ms: number): void {
      measured.requests.observe({ operation, status }, ms / 1000)
    },
    statementRan({ name, began, ended, error }: StatementRun): void {
      measured.statements.observe({ statement: name }, (ended - began) / 1000)
      if (error !== undefined) measured.statementErrors.inc({ statement: name, code: sqlState(error) })
    },
    requestsJoined(statement: string, requestCount: number, rowCount: number): void {
      measured.batchRequests.observe({ statement }, requestCount)
      measured.batchRows.observe({ statement }, rowCount)
    },
    jobEnded(queue: string, outcome: 'completed' | 'failed', ms: number): void {
      measured.jobs.observe({ queue, outcome }, ms / 1000)
    },
    webhookAttempted(outcome: string, ms: number): void {
      measured.attempts.observe({ outcome }, ms / 1000)
    },
    mailAttempted(carrier: string, outcome: 'sent' | 'failed' | 'refused'): void {
      measured.mails.inc({ carrier, outcome })
    },
    usageCounted(apiKeyId: string, counts: Readonly<Record<UsageKind, number>>): void {
      if (usageKeys.size < USAGE_KEYS_MAX) usageKeys.add(apiKeyId)
      const label = usageKeys.has(apiKeyId) ? apiKeyId : 'other'
      for (const kind of USAGE_KINDS) if (counts[kind] > 0) measured.usage.inc({ api_key: label, kind }, counts[kind])
    },
    /** Adds the values of `given` to every scrape from now on. */
    setSources(given: Sources): void {
      sources = given
    },
    /** Returns the metrics in the text format of Prometheus. */
    async text(): Promise<string> {
      const { open, inUse, waiting } = db.pool
      measured.connections.set({ state: 'in_use' }, inUse)
      measured.connections.set({ state: 'idle' }, open - inUse)
      measured.connectionsMax.set(db.connections)
      measured.connectionWaits.set(waiting)
      measured.databaseWritable.set(db.writesRefused === undefined ? 1 : 0)
      samplePrimary()
      for (const { name: statement, queuedRows: rows, slowLanes: lanes } of sources?.coalescers ?? []) {
        measured.queuedRows.set({ statement }, rows)
        measured.slowLanes.set({ statement }, lanes)
      }
      measured.turns.set(sources?.turnsWaiting() ?? 0)
      measured.largestKeys.reset()
      for (const [nth, { ms }] of (sources?.largestKeys() ?? []).entries())
        measured.largestKeys.set({ rank: String(nth + 1) }, ms / 1000)
      if (sources !== undefined) await sample(sources)
      return Registry.merge([processMetrics, registry]).metrics()
    },
  }
}
