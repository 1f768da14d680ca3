/** Assembles the features into one server. Tests call it with their own database and clock. */
import type { FastifyInstance } from 'fastify'
import { activities } from '#features/activities/feature.ts'
import { apiKeys } from '#features/api-keys/feature.ts'
import { authTokens } from '#features/auth-tokens/feature.ts'
import { authZen } from '#features/authzen/feature.ts'
import { commentData } from '#features/comment-data/feature.ts'
import { comments } from '#features/comments/feature.ts'
import { consoleData, webConsole } from '#features/console/feature.ts'
import { domains } from '#features/domains/feature.ts'
import { events } from '#features/events/feature.ts'
import { findings } from '#features/findings/feature.ts'
import { idempotencyKeys } from '#features/idempotency-keys/feature.ts'
import { invitations } from '#features/invitations/feature.ts'
import { keyConfig } from '#features/key-config/feature.ts'
import { live } from '#features/live/feature.ts'
import { loginLinks } from '#features/login-links/feature.ts'
import { mail } from '#features/mail/feature.ts'
import { migrations } from '#features/migrations/feature.ts'
import { notifications } from '#features/notifications/feature.ts'
import { operators } from '#features/operators/feature.ts'
import { permissionProvider } from '#features/permission-provider/feature.ts'
import { permissions } from '#features/permissions/feature.ts'
import { documents } from '#features/resources/documents/feature.ts'
import { folders } from '#features/resources/folders/feature.ts'
import { organizations } from '#features/resources/organizations/feature.ts'
import { search } from '#features/search/feature.ts'
import { serviceConfigs } from '#features/service-configs/feature.ts'
import { sharing } from '#features/sharing/feature.ts'
import { signingKeys } from '#features/signing-keys/feature.ts'
import { singleSignOn } from '#features/single-sign-on/feature.ts'
import { system } from '#features/system/feature.ts'
import { usage } from '#features/usage/feature.ts'
import { userAccess } from '#features/user-access/feature.ts'
import { userData } from '#features/user-data/feature.ts'
import { userGroups } from '#features/user-groups/feature.ts'
import { userTokens } from '#features/user-tokens/feature.ts'
import { users } from '#features/users/feature.ts'
import { webhooks } from '#features/webhooks/feature.ts'
import { workspaceTokens } from '#features/workspace-tokens/feature.ts'
import { workspaces } from '#features/workspaces/feature.ts'
import type { CredentialLookups } from '#http/credentials/credentials.ts'
import { type ProcessLimits, processLimits } from '#http/limits/process-limits.ts'
import { createPipeline } from '#http/pipeline.ts'
import { createRoutes, type Serving } from '#http/route.ts'
import { createHttpServer, listeningUrl } from '#http/server.ts'
import { type CreateFeature, createKernel, type Feature, type Kernel, type KernelDeps } from '#kernel'
import type { StatusError } from '#platform/status-error.ts'
import { turnsWaiting } from '#tenancy/writes/turns.ts'
import { type BucketApps, createBuckets } from './buckets/buckets.ts'
import { handOverTo } from './buckets/hand-over.ts'
import { openBucketDatabase } from './buckets/open.ts'
import { servingIn, unreachableIn } from './buckets/workspace-keys.ts'
import { FIND_DUE, FIND_DUE_OF_HOME } from './due-work.ts'
import { observeCoalescer } from './observe.ts'

/** Features of workspaces, operators and their sessions. Only the app of the home database has them (ADR 0066). */
const OF_HOME: readonly CreateFeature[] = [
  workspaces,
  workspaceTokens,
  operators,
  singleSignOn,
  loginLinks,
  webConsole,
  system,
]

/** In the order in which the API description lists their operations. */
const FEATURES: readonly CreateFeature[] = [
  workspaces,
  workspaceTokens,
  operators,
  singleSignOn,
  apiKeys,
  authTokens,
  keyConfig,
  mail,
  loginLinks,
  serviceConfigs,
  webhooks,
  domains,
  events,
  usage,
  findings,
  organizations,
  folders,
  documents,
  migrations,
  comments,
  users,
  invitations,
  userGroups,
  userData,
  userAccess,
  permissions,
  sharing,
  permissionProvider,
  userTokens,
  signingKeys,
  activities,
  notifications,
  commentData,
  live,
  search,
  authZen,
  idempotencyKeys,
  consoleData,
  webConsole,
  system,
]

export interface App {
  http: FastifyInstance
  kernel: Kernel
  buckets: BucketApps
  credentials: CredentialLookups
  /** The apps of buckets share them. */
  processLimits: ProcessLimits
  /** Returns how this app serves an operation of a workspace that is about one of its API keys. */
  servingOf(operation: string): Serving | undefined
  /** Reports not ready and closes each connection after its response, so that callers go elsewhere. All calls still get a response. */
  announceStop(): void
  /** Finishes the requests under way, and ends the streams. */
  closeHttp(): Promise<void>
  /** Finishes the work under way: requests, then shared statements, then jobs. The database stays open. */
  stop(): Promise<void>
}

export interface AppDeps extends Omit<KernelDeps, 'bucket' | 'findDue'> {
  /** The bucket that the app serves, and the app of the home database. */
  bucket?: { name: string; home: App }
}

/** `openDatabase` opens the database of a bucket; tests have their own. */
export async function buildApp(deps: AppDeps, openDatabase = openBucketDatabase): Promise<App> {
  const { bucket, ...ofProcess } = deps
  const { config, db, log, tracing } = ofProcess
  const home = bucket?.home
  let buckets = home?.buckets as BucketApps
  const kernel = await createKernel(
    {
      ...ofProcess,
      findDue: home === undefined ? [FIND_DUE, FIND_DUE_OF_HOME] : [FIND_DUE],
      ...(bucket && { bucket: { name: bucket.name, home: bucket.home.kernel } }),
    },
    home?.kernel.publicUrl ?? (() => config.PUBLIC_URL ?? listeningUrl(http, config.HOST)),
    (kernel) => {
      buckets = createBuckets(kernel, async (one, changes) => {
        const db = await openDatabase(one, deps, changes)
        return buildApp({ ...deps, db, bucket: { name: one.name, home: app } })
      })
      return buckets
    },
  )
  const { metrics, publicUrl, version } = kernel
  const features: Feature[] = []
  for (const create of FEATURES)
    if (home === undefined || !OF_HOME.includes(create)) features.push(await create(kernel))
  /** Merges the parts that features offer under `name`. Exactly one feature offers each part. */
  const offered = <Name extends 'credentials' | 'backlogs'>(name: Name) =>
    Object.assign({}, ...features.map((feature) => feature[name])) as Required<NonNullable<Feature[Name]>>

  const credentials: CredentialLookups = { ...home?.credentials, ...offered('credentials') }
  const http = createHttpServer({
    log,
    bodyBytesMax: config.BODY_BYTES_MAX,
    trustProxy: config.TRUST_PROXY,
    requestCompleted: metrics.requestCompleted,
  })
  const limits = home?.processLimits ?? processLimits(config.RATE_LIMIT_PUBLIC)
  const pipeline = await createPipeline(http, {
    version,
    bodyBytesMax: config.BODY_BYTES_MAX,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    databaseConnections: config.DATABASE_CONNECTIONS,
    limits: {
      perKey: {
        requests: config.RATE_LIMIT_PER_KEY,
        concurrent: config.CONCURRENT_CALLS_PER_KEY,
        databaseMs: config.DATABASE_MS_PER_KEY,
      },
      process: limits,
    },
    tracing,
    credentials,
    headerPrefix: config.HEADER_PREFIX,
    publicUrl,
    confirmPlace: (apiKeyId) => buckets.directory.confirm(apiKeyId, kernel.bucket),
    requirePlace: (apiKeyId) => buckets.directory.require(apiKeyId, kernel.bucket),
    ...(bucket === undefined
      ? { handOver: handOverTo(buckets, credentials, config.HEADER_PREFIX) }
      : { namingDatabase: (error: StatusError) => unreachableIn(bucket.name, error) }),
  })
  const respondOnce = features.find((feature) => feature.respondOnce)?.respondOnce
  if (respondOnce === undefined) throw new Error('no feature offers respondOnce')
  const { STRICT_FIELDS: strictFields, HEADER_PREFIX: headerPrefix } = config
  const servingElsewhere = async (operation: string, apiKeyId: string) => {
    const bucket = await buckets.directory.currentBucketOf(apiKeyId)
    const serving = bucket === undefined ? undefined : (await buckets.app(bucket)).servingOf(operation)
    return bucket === undefined || serving === undefined ? serving : servingIn(bucket, serving)
  }
  const routes = createRoutes(pipeline, { strictFields, headerPrefix, respondOnce, servingElsewhere })
  for (const feature of features) await feature.routes?.(routes, pipeline)
  // Streams of buckets hold connections of this server open.
  if (home === undefined) http.addHook('preClose', () => buckets.closeHttp())
  await http.ready()

  const coalescers = features.flatMap((feature) => feature.coalescers ?? [])
  const workers = features.flatMap((feature) => feature.workers ?? [])
  for (const coalescer of coalescers) observeCoalescer(coalescer, kernel)
  metrics.setSources({
    coalescers,
    turnsWaiting: () => turnsWaiting(db),
    largestKeys: pipeline.limits.perKey.largest,
    jobs: async () => (await Promise.all(workers.map((worker) => worker.backlog()))).flat(),
    ...offered('backlogs'),
  })
  let closing: Promise<void> | undefined
  const app: App = {
    http,
    kernel,
    buckets,
    credentials,
    processLimits: limits,
    servingOf: routes.servingOf,
    announceStop() {
      pipeline.announceStop()
      if (home === undefined) buckets.announceStop()
    },
    closeHttp() {
      closing ??= http.close()
      return closing
    },
    async stop() {
      app.announceStop()
      await app.closeHttp()
      if (home === undefined) await buckets.stop()
      await Promise.all(coalescers.map((coalescer) => coalescer.drained()))
      await Promise.all([
        kernel.masterKey.stop(),
        kernel.dueWork.stop(),
        ...features.map((feature) => feature.stop?.()),
      ])
    },
  }
  return app
}
