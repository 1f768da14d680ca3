/** Connects the platform to the metrics and, if they are recorded, to the traces. */

import type { Db } from '#platform/db/db.ts'
import { sqlState } from '#platform/db/pg-errors.ts'
import type { JobObserver } from '#platform/jobs/worker.ts'
import type { Coalescer } from '#platform/queues/coalesce.ts'
import { inSpan, type Span, type SpanOptions, type Tracing } from '#platform/tracing.ts'
import type { Metrics } from './metrics.ts'

export interface Telemetry {
  metrics: Metrics
  tracing: Tracing | undefined
}

export function observeDb(db: Db, { metrics, tracing }: Telemetry): void {
  db.observe((statement) => {
    metrics.statementRan(statement)
    if (tracing === undefined) return
    const { name, rows, began, ended, error } = statement
    const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name, 'db.operation.batch.size': rows }
    tracing.record(name, { began, ended, attributes, error: error === undefined ? undefined : sqlState(error) })
  })
}

/** Traces each run. A run for one request is a span of that request; a run for several is a trace of its own, linked to each request. */
export function observeCoalescer(
  coalescer: Pick<Coalescer<never, never>, 'name' | 'observe'>,
  { metrics, tracing }: Telemetry,
): void {
  const { name } = coalescer
  coalescer.observe({
    origin: () => tracing?.current(),
    around({ origins, rows }, execute) {
      metrics.requestsJoined(name, origins.length, rows)
      if (tracing === undefined) return execute()
      const links = origins.filter((origin) => origin !== undefined) as Span[]
      const attributes = { 'commonhold.requests': origins.length, 'commonhold.rows': rows }
      const [first, ...others] = links
      const options: SpanOptions =
        first !== undefined && others.length === 0
          ? { parent: first, attributes }
          : { parent: 'none', links, attributes }
      return inSpan(tracing, `batch ${name}`, options, execute)
    },
  })
}

export const jobObserver =
  ({ metrics, tracing }: Telemetry): JobObserver =>
  async (queue, run) => {
    const began = performance.now()
    let outcome: 'completed' | 'failed' = 'failed'
    try {
      return await inSpan(tracing, `job ${queue}`, { kind: 'consumer', parent: 'none' }, async (span) => {
        const result = await run()
        if (result === 'failed') span?.fail('failed')
        else outcome = 'completed'
        return result
      })
    } finally {
      metrics.jobEnded(queue, outcome, performance.now() - began)
    }
  }
