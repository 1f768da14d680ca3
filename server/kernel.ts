/** What every feature is given, and what each of them offers in return. `app.ts` has the list of them. */
import type { CredentialLookups } from '#http/authenticate.ts'
import type { RespondOnce } from '#http/idempotency.ts'
import type { Pipeline } from '#http/pipeline.ts'
import type { Routes } from '#http/route.ts'
import type { Coalescer } from '#platform/coalesce.ts'
import type { Db } from '#platform/db/db.ts'
import { type Jobs, startJobs } from '#platform/jobs.ts'
import type { Log } from '#platform/log.ts'
import { createPageTokens, type PageTokens } from '#platform/page-token.ts'
import { createSealer, type Sealer } from '#platform/seal.ts'
import type { Tracing } from '#platform/tracing.ts'
import type { Config } from './config.ts'
import { checkMasterKey } from './master-key.ts'
import { createMetrics, type Metrics, type Sources } from './metrics.ts'
import { jobObserver, observeDb } from './observe.ts'
import { VERSION } from './version.ts'

export interface Kernel {
  readonly config: Config
  readonly version: string
  readonly db: Db
  readonly log: Log
  readonly sealer: Sealer
  readonly pageTokens: PageTokens
  readonly jobs: Jobs
  readonly metrics: Metrics
  readonly tracing: Tracing | undefined
  /** Where callers reach this server. */
  publicUrl(): string
  /**
   * Returns what `create` makes of this kernel, made with the first call: a feature and those that use it share it, and
   * every app has its own. What `create` makes must not start anything that has to be stopped.
   */
  use<Made>(create: (kernel: Kernel) => Made): Made
}

export interface Feature {
  /** Registers the operations of the feature, and whatever else it serves. */
  routes?(routes: Routes, pipeline: Pipeline): void | Promise<void>
  /** Measured, traced, and waited for at a stop. */
  coalescers?: readonly Pick<Coalescer<never, never>, 'name' | 'observe' | 'queuedRows' | 'slowLanes' | 'drained'>[]
  /** What waits to be worked off, for the metrics. */
  backlogs?: Partial<Pick<Sources, 'webhooks' | 'mails' | 'followers'>>
  /** How to find out who calls. */
  credentials?: Partial<CredentialLookups>
  respondOnce?: RespondOnce
  /** Takes up nothing more, and resolves when what is under way has ended. Called after the last request. */
  stop?(): Promise<void>
}

export type CreateFeature = (kernel: Kernel) => Feature | Promise<Feature>

export interface KernelDeps {
  config: Config
  masterKey: Buffer
  db: Db
  log: Log
  tracing?: Tracing | undefined
}

export async function createKernel(
  { config, masterKey, db, log, tracing }: KernelDeps,
  publicUrl: () => string,
): Promise<Kernel> {
  const sealer = createSealer(masterKey, config.MASTER_KEY_PREVIOUS)
  await checkMasterKey(db, sealer)
  const pageTokens = createPageTokens(masterKey)
  const metrics = createMetrics({ db, version: VERSION, log })
  const watching = { metrics, tracing }
  observeDb(db, watching)
  const jobs = await startJobs(db, log, jobObserver(watching))
  const made = new Map<(kernel: Kernel) => unknown, unknown>()
  const kernel: Kernel = {
    ...{ config, version: VERSION, db, log, sealer, pageTokens, jobs, metrics, tracing, publicUrl },
    use<Made>(create: (kernel: Kernel) => Made): Made {
      if (!made.has(create)) made.set(create, create(kernel))
      return made.get(create) as Made
    },
  }
  return kernel
}
