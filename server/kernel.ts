/** The kernel that every feature receives, and the parts that a feature offers in return. `app.ts` lists the features. */
import type { ApiKeyId, WorkspaceId } from '#contract/core/ids.ts'
import type { Warning } from '#contract/core/warnings.ts'
import type { KeyType } from '#contract/keys/api-keys.ts'
import type { CredentialLookups } from '#http/credentials/credentials.ts'
import type { RespondOnce } from '#http/idempotency.ts'
import type { Pipeline } from '#http/pipeline.ts'
import type { Routes } from '#http/route.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { type DueStatement, type DueWork, watchDueWork } from '#platform/jobs/due-work.ts'
import type { JobObserver, Worker } from '#platform/jobs/worker.ts'
import type { Log } from '#platform/log.ts'
import type { Coalescer } from '#platform/queues/coalesce.ts'
import { createPageTokens, type PageTokens } from '#platform/secrets/page-token.ts'
import { createSealer, type Sealer } from '#platform/secrets/seal.ts'
import type { Tracing } from '#platform/tracing.ts'
import type { Config } from './config.ts'
import { checkMasterKey } from './master-key/check.ts'
import { type MasterKeyWatch, watchMasterKey } from './master-key/watch.ts'
import { createMetrics, type Metrics, type Sources } from './metrics.ts'
import { jobObserver, observeDb } from './observe.ts'
import { VERSION } from './version.ts'

/** Which databases have the API keys of a workspace (ADR 0066). */
export interface Buckets {
  kernelOf(apiKeyId: string): Promise<Kernel>
  /** Returns whether a bucket, or the home database, serves an API key now. Throws while it is being moved. */
  isIn(apiKeyId: string, bucket: string | undefined): Promise<boolean>
  /** Returns the kernels that serve or have served API keys of a workspace, or the one key; the kernel of the home database comes first. */
  kernelsOf(workspaceId: WorkspaceId, apiKeyId?: string): Promise<readonly Kernel[]>
  /** Runs a read in each of several databases. Throws UNAVAILABLE with the name of a bucket that cannot be reached. */
  inEach<Found>(kernels: readonly Kernel[], read: (kernel: Kernel) => Promise<Found>): Promise<Found[]>
  /**
   * Reads from each database that has API keys of a workspace. Throws UNAVAILABLE if one of them cannot be reached. If
   * it may be left out, there is a warning instead.
   */
  readKeys<Found>(workspaceId: WorkspaceId, read: ReadKeys<Found>, options?: ReadKeysOptions): Promise<KeysRead<Found>>
  /** Returns the kernel for a new key: in a region if it is named, and where there are the fewest keys. */
  kernelForNewKey(session: Session, region: string | undefined): Promise<Kernel>
  /** Records where a new key is, in a transaction of the home database: the key exists when that commits. */
  place(session: Session, key: PlacedKey): Promise<void>
  /** Forgets the place of a key that was deleted. */
  forget(key: Omit<PlacedKey, 'type' | 'apiKeyId'> & { apiKeyId: string }): Promise<void>
  /** Returns the metrics of a bucket; undefined: there is none of this name. */
  metricsOf(name: string): Promise<Metrics | undefined>
  /** Counts the production keys of a workspace that are in buckets. */
  countProduction(session: Session, workspaceId: WorkspaceId): Promise<number>
}

/** One database that has API keys of a workspace. */
export interface KeySource {
  kernel: Kernel
  /** The keys to read; null: all that the database has of the workspace. */
  apiKeys: readonly string[] | null
  /** Whether a key is in this database. Rows of others are left out: a crash or a wrong restore may have left them. */
  has(apiKeyId: string): boolean
}

export type ReadKeys<Found> = (source: KeySource) => Promise<Found>

export interface ReadKeysOptions {
  /** Sees where the keys are. */
  session?: Session
  /** Only these keys. */
  named?: readonly string[] | undefined
  leavesOut?: boolean
}

export interface KeysRead<Found> {
  /** The results from each database; the home database comes first. */
  found: Found[]
  warnings?: Warning[]
}

export interface PlacedKey {
  apiKeyId: ApiKeyId
  workspaceId: WorkspaceId
  bucket: string
  type: KeyType
}

export interface Kernel {
  readonly config: Config
  readonly version: string
  /** The database of the data sets that this app serves. */
  readonly db: Db
  /** The database of workspaces, operators and their sessions: the same, unless this app serves a bucket (ADR 0066). */
  readonly home: Db
  /** The name of the bucket that this app serves; undefined: the home database. */
  readonly bucket: string | undefined
  readonly buckets: Buckets
  readonly log: Log
  readonly sealer: Sealer
  readonly masterKey: MasterKeyWatch
  readonly pageTokens: PageTokens
  readonly observeJob: JobObserver
  readonly dueWork: DueWork
  readonly metrics: Metrics
  readonly tracing: Tracing | undefined
  /** The secret that creates the first workspace and signs in its owner; undefined where others can call the server. */
  readonly firstVisitToken: string | undefined
  /** Returns the URL at which callers reach this server. */
  publicUrl(): string
  /**
   * Returns the instance that `create` makes of this kernel. The first call creates it; later calls return the same
   * one, so features share it, and every app has its own. One of these features must stop whatever `create` starts.
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
  /** The bucket that the app serves, and the kernel of the home database. */
  bucket?: { name: string; home: Kernel }
  /** Find due work in the database. */
  findDue: readonly DueStatement[]
}

export async function createKernel(
  { config, masterKey, db, log, tracing, firstVisitToken, bucket, findDue }: KernelDeps,
  publicUrl: () => string,
  createBuckets: (home: Kernel) => Buckets,
): Promise<Kernel> {
  const ownSealer = createSealer(masterKey, config.MASTER_KEY_PREVIOUS)
  await checkMasterKey(db, ownSealer)
  const pageTokens = createPageTokens(masterKey)
  const metrics = createMetrics({ db, version: VERSION, log })
  const telemetry = { metrics, tracing }
  observeDb(db, telemetry)
  const keyWatch = watchMasterKey({ db, log }, ownSealer)
  const instances = new Map<(kernel: Kernel) => unknown, unknown>()
  const kernel: Kernel = {
    ...{ config, version: VERSION, db, log, pageTokens, metrics, tracing, firstVisitToken, publicUrl },
    masterKey: keyWatch,
    sealer: keyWatch.sealer,
    home: bucket?.home.db ?? db,
    bucket: bucket?.name,
    get buckets() {
      return buckets
    },
    observeJob: jobObserver(telemetry),
    dueWork: watchDueWork({ db, log }, findDue),
    use<Instance>(create: (kernel: Kernel) => Instance): Instance {
      if (!instances.has(create)) instances.set(create, create(kernel))
      return instances.get(create) as Instance
    },
  }
  const buckets = bucket?.home.buckets ?? createBuckets(kernel)
  return kernel
}
