/** The kernel that every feature receives, and the parts that a feature offers in return. `app.ts` lists the features. */
import type { CredentialLookups } from '#http/credentials/credentials.ts'
import type { RespondOnce } from '#http/idempotency.ts'
import type { Pipeline } from '#http/pipeline.ts'
import type { Routes } from '#http/route.ts'
import type { Db } from '#platform/db/db.ts'
import type { JobObserver, Worker } from '#platform/jobs/worker.ts'
import type { Log } from '#platform/log.ts'
import type { Coalescer } from '#platform/queues/coalesce.ts'
import { createPageTokens, type PageTokens } from '#platform/secrets/page-token.ts'
import { createSealer, type Sealer } from '#platform/secrets/seal.ts'
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
  readonly observeJob: JobObserver
  readonly metrics: Metrics
  readonly tracing: Tracing | undefined
  /** The secret that creates the first workspace and signs in its owner; undefined where others can call the server. */
  readonly firstVisitToken: string | undefined
  /** Returns the URL at which callers reach this server. */
  publicUrl(): string
  /**
   * Returns the instance that `create` makes of this kernel. The first call creates it; later calls return the same one,
   * so features share it, and every app has its own. `create` must not start anything that has to be stopped.
   */
  use<Instance>(create: (kernel: Kernel) => Instance): Instance
}

export interface Feature {
  /** Registers the operations of the feature, and the other routes that it serves. */
  routes?(routes: Routes, pipeline: Pipeline): void | Promise<void>
  /** They are measured and traced, and a stop waits for them. */
  coalescers?: readonly Pick<Coalescer<never, never>, 'name' | 'observe' | 'queuedRows' | 'slowLanes' | 'drained'>[]
  /** The queues of durable work, for the metrics. */
  workers?: readonly Pick<Worker, 'backlog'>[]
  /** The number of waiting rows, for the metrics. */
  backlogs?: Partial<Pick<Sources, 'webhooks' | 'mails' | 'followers'>>
  /** Look up the credentials of a caller. */
  credentials?: Partial<CredentialLookups>
  respondOnce?: RespondOnce
  /** Starts no new work, and resolves when the work under way has finished. Called after the last request. */
  stop?(): Promise<void>
}

export type CreateFeature = (kernel: Kernel) => Feature | Promise<Feature>

export interface KernelDeps {
  config: Config
  masterKey: Buffer
  db: Db
  log: Log
  tracing?: Tracing | undefined
  firstVisitToken?: string | undefined
}

export async function createKernel(
  { config, masterKey, db, log, tracing, firstVisitToken }: KernelDeps,
  publicUrl: () => string,
): Promise<Kernel> {
  const sealer = createSealer(masterKey, config.MASTER_KEY_PREVIOUS)
  await checkMasterKey(db, sealer)
  const pageTokens = createPageTokens(masterKey)
  const metrics = createMetrics({ db, version: VERSION, log })
  const telemetry = { metrics, tracing }
  observeDb(db, telemetry)
  const instances = new Map<(kernel: Kernel) => unknown, unknown>()
  const kernel: Kernel = {
    ...{ config, version: VERSION, db, log, sealer, pageTokens, metrics, tracing, firstVisitToken, publicUrl },
    observeJob: jobObserver(telemetry),
    use<Instance>(create: (kernel: Kernel) => Instance): Instance {
      if (!instances.has(create)) instances.set(create, create(kernel))
      return instances.get(create) as Instance
    },
  }
  return kernel
}
