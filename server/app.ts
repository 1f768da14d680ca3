/** Puts the slices together: the only file that knows all of them. Tests call it with their own database and clock. */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { type FastifyInstance, fastify, LogController } from 'fastify'
import { createApiKeys } from '#features/api-keys/operations.ts'
import { apiKeyRoutes } from '#features/api-keys/routes.ts'
import { createAuthTokens } from '#features/auth-tokens/operations.ts'
import { authTokenRoutes } from '#features/auth-tokens/routes.ts'
import { startConsoleSessions } from '#features/console-sessions/operations.ts'
import { createDomains } from '#features/domains/operations.ts'
import { domainRoutes } from '#features/domains/routes.ts'
import { createEvents } from '#features/events/operations.ts'
import { startRetention } from '#features/events/retention.ts'
import { eventRoutes } from '#features/events/routes.ts'
import { FIND_TICKS } from '#features/events/statements.ts'
import { startIdempotencyKeys } from '#features/idempotency-keys/operations.ts'
import { createKeyConfigs } from '#features/key-config/operations.ts'
import { keyConfigRoutes } from '#features/key-config/routes.ts'
import { startMail } from '#features/mail/operations.ts'
import { mailRoutes } from '#features/mail/routes.ts'
import { startMigrations } from '#features/migrations/operations.ts'
import { migrationRoutes } from '#features/migrations/routes.ts'
import { createOverview } from '#features/overview/operations.ts'
import { createDecisions } from '#features/permissions/decisions.ts'
import { startExpiry } from '#features/permissions/expiry.ts'
import { createExplanations } from '#features/permissions/explanations.ts'
import { createGrants } from '#features/permissions/grants.ts'
import { createAccessLists } from '#features/permissions/lists.ts'
import { createPermissions, uniqueResources } from '#features/permissions/operations.ts'
import { permissionRoutes } from '#features/permissions/routes.ts'
import { createSimulations } from '#features/permissions/simulations.ts'
import { createDocuments } from '#features/resources/documents/operations.ts'
import { documentRoutes } from '#features/resources/documents/routes.ts'
import { createFolders } from '#features/resources/folders/operations.ts'
import { folderRoutes } from '#features/resources/folders/routes.ts'
import { createOrganizations } from '#features/resources/organizations/operations.ts'
import { organizationRoutes } from '#features/resources/organizations/routes.ts'
import { createServiceConfigs } from '#features/service-configs/operations.ts'
import { serviceConfigRoutes } from '#features/service-configs/routes.ts'
import { createSigningKeys } from '#features/signing-keys/operations.ts'
import { signingKeyRoutes } from '#features/signing-keys/routes.ts'
import { startUserData } from '#features/user-data/operations.ts'
import { userDataRoutes } from '#features/user-data/routes.ts'
import { createUserGroups } from '#features/user-groups/operations.ts'
import { userGroupRoutes } from '#features/user-groups/routes.ts'
import { createUserTokenCheck } from '#features/user-tokens/check.ts'
import { createUserTokens } from '#features/user-tokens/operations.ts'
import { userTokenRoutes } from '#features/user-tokens/routes.ts'
import { createUsers } from '#features/users/operations.ts'
import { createProfiles } from '#features/users/profiles.ts'
import { userRoutes } from '#features/users/routes.ts'
import { startWebhooks } from '#features/webhooks/operations.ts'
import { webhookRoutes } from '#features/webhooks/routes.ts'
import { createWorkspaces } from '#features/workspaces/operations.ts'
import { workspaceRoutes } from '#features/workspaces/routes.ts'
import { createAuthentication } from '#http/authenticate.ts'
import { registerAuthZen } from '#http/authzen.ts'
import { registerConsole } from '#http/console.ts'
import { consoleRoute, NoData } from '#http/console-route.ts'
import { registerConsoleSession } from '#http/console-session.ts'
import { answerClientError, answerFrameworkError, registerErrors } from '#http/errors.ts'
import { registerJsonBody } from '#http/json-body.ts'
import { registerLastCall } from '#http/last-call.ts'
import { registerMetrics } from '#http/metrics.ts'
import { registerOpenApi } from '#http/openapi.ts'
import { rateLimit } from '#http/rate-limit.ts'
import { operationOf, registerRequestContext } from '#http/request-context.ts'
import { createRoutes } from '#http/route.ts'
import { registerSystem } from '#http/system.ts'
import { registerTracing } from '#http/tracing.ts'
import { createTraffic, type Traffic } from '#http/traffic.ts'
import type { Db } from '#platform/db/db.ts'
import { schemaIsCurrent } from '#platform/db/migrate.ts'
import { startJobs } from '#platform/jobs.ts'
import type { Log } from '#platform/log.ts'
import { createOutbound } from '#platform/outbound.ts'
import { createPageTokens } from '#platform/page-token.ts'
import { createSealer } from '#platform/seal.ts'
import type { Tracing } from '#platform/tracing.ts'
import { followersBacklog } from '#tenancy/event-feed.ts'
import { turnsWaiting } from '#tenancy/turns.ts'
import type { Config } from './config.ts'
import { checkMasterKey } from './master-key.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { jobObserver, observeCoalescer, observeDb } from './observe.ts'
import { VERSION } from './version.ts'

/** Where the build puts the console. */
const CONSOLE = path.join(import.meta.dirname, '../console/dist')

export interface AppDeps {
  config: Config
  masterKey: Buffer
  db: Db
  log: Log
  tracing?: Tracing | undefined
}

export interface App {
  http: FastifyInstance
  /** From here on it is not ready and its answers end their connections, so that callers go elsewhere; all are still answered. */
  announceStop(): void
  /** Finishes what is under way: requests, then shared statements, then jobs. The database stays open. */
  stop(): Promise<void>
}

export async function buildApp({ config, masterKey, db, log, tracing }: AppDeps): Promise<App> {
  const sealer = createSealer(masterKey, config.MASTER_KEY_PREVIOUS)
  await checkMasterKey(db, sealer)
  const pageTokens = createPageTokens(masterKey)
  const metrics = createMetrics({ db, version: VERSION, log })
  const watching = { metrics, tracing }
  observeDb(db, watching)
  const jobs = await startJobs(db, log, jobObserver(watching))

  const publicUrl = () => config.PUBLIC_URL ?? listeningUrl(http, config.HOST)

  const permissions = createPermissions(db)
  const signingKeys = createSigningKeys({ db, sealer })
  const decisions = createDecisions(db)
  const webhooks = startWebhooks({
    db,
    log,
    sealer,
    pageTokens,
    outbound: createOutbound({ allowPrivate: config.WEBHOOK_ALLOW_PRIVATE }),
    allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    userAgent: `Commonhold/${VERSION}`,
    observe: metrics.webhookAttempted,
    tracing,
    attemptsKeptDays: config.WEBHOOK_ATTEMPTS_KEPT_DAYS,
    findTicks: (session, values) => session.run(FIND_TICKS, values),
  })
  const apiKeys = createApiKeys({
    db,
    sealer,
    pageTokens,
    webhooks: webhooks.basic,
    productionKeysPerWorkspace: config.PRODUCTION_KEYS_PER_WORKSPACE,
    generateSigningKey: signingKeys.generate,
  })
  const authTokens = createAuthTokens({ db, sealer })
  const workspaces = createWorkspaces({
    db,
    sealer,
    signup: { mode: config.SIGNUP, token: config.SIGNUP_TOKEN },
    insertApiKey: apiKeys.insert,
  })
  const organizations = createOrganizations({ db, pageTokens })
  const folders = createFolders({ db, pageTokens })
  const documents = createDocuments({ db, pageTokens })
  const users = createUsers({ db, pageTokens, grantAtSignIn: permissions.grantAtSignIn })
  const userGroups = createUserGroups({ db, pageTokens })
  const userTokens = createUserTokens({
    db,
    publicUrl,
    signingKey: signingKeys.current,
    storeProfile: users.storeProfile,
    grantAtSignIn: permissions.grantAtSignIn,
    uniqueResources,
  })
  const userTokenCheck = createUserTokenCheck(db, publicUrl)
  const migrations = await startMigrations({ db, jobs, log, pageTokens })
  const userData = await startUserData({ db, jobs, log, pageTokens })
  const mail = await startMail({
    db,
    jobs,
    log,
    sealer,
    smtp: smtpOf(config),
    sendGridUrl: config.SENDGRID_URL,
    observe: metrics.mailAttempted,
  })
  const stopExpiry = startExpiry({ db, log, keptDays: config.EXPIRED_GRANTS_KEPT_DAYS })
  const stopRetention = startRetention({ db, log, days: config.EVENT_RETENTION_DAYS })
  const idempotencyKeys = startIdempotencyKeys({ db, sealer, log })

  const consoleSessions = startConsoleSessions({
    db,
    log,
    lookUps: { apiKey: authTokens.lookUp, workspace: workspaces.lookUp },
  })

  const traffic = createTraffic()
  const http = createHttp(config, log, metrics, traffic)
  if (tracing !== undefined) registerTracing(http, tracing)
  const lastCall = registerLastCall(http)
  registerErrors(http, config.BODY_BYTES_MAX)
  registerJsonBody(http)
  await registerOpenApi(http, VERSION, config.HEADER_PREFIX)
  await registerConsole(http, CONSOLE, config.HEADER_PREFIX)
  registerSystem(http, {
    version: VERSION,
    engine: db.engine,
    isStopping: lastCall.isAnnounced,
    schemaIsCurrent: () => schemaIsCurrent(db),
  })
  const limits = {
    perKey: rateLimit('key', config.RATE_LIMIT_PER_KEY, 1),
    perAddress: rateLimit('address', config.RATE_LIMIT_PUBLIC, 60),
  }
  const authentication = createAuthentication(
    {
      apiKey: authTokens.lookUp,
      workspace: workspaces.lookUp,
      userToken: userTokenCheck.lookUp,
      session: consoleSessions.lookUp,
      keyOfWorkspace: consoleSessions.keyOfWorkspace,
    },
    { headerPrefix: config.HEADER_PREFIX, trustsProxy: config.TRUST_PROXY !== undefined, publicUrl },
  )
  const { METRICS: access, METRICS_TOKEN: token } = config
  registerMetrics(http, { access, token, anybody: authentication.anybody, ...metrics })
  const routes = createRoutes({
    app: http,
    authentication,
    strictFields: config.STRICT_FIELDS,
    headerPrefix: config.HEADER_PREFIX,
    limits,
    answerOnce: idempotencyKeys.answerOnce,
  })
  workspaceRoutes(routes, workspaces)
  apiKeyRoutes(routes, apiKeys)
  authTokenRoutes(routes, authTokens)
  keyConfigRoutes(routes, createKeyConfigs(db))
  mailRoutes(routes, mail)
  serviceConfigRoutes(
    routes,
    createServiceConfigs({ db, sealer, revealSecrets: config.REVEAL_SECRETS, webhooks: webhooks.basic }),
  )
  webhookRoutes(routes, webhooks)
  domainRoutes(routes, createDomains(db))
  eventRoutes(routes, createEvents({ db, pageTokens }))
  organizationRoutes(routes, organizations)
  folderRoutes(routes, folders)
  documentRoutes(routes, documents)
  migrationRoutes(routes, migrations)
  userRoutes(routes, users, createProfiles({ db, pageTokens }))
  userGroupRoutes(routes, userGroups)
  userDataRoutes(routes, userData)
  permissionRoutes(routes, {
    permissions,
    decisions,
    explanations: createExplanations(db),
    lists: createAccessLists({ db, pageTokens }),
    simulations: createSimulations({ db, pageTokens }),
    grants: createGrants({ db, pageTokens }),
  })
  userTokenRoutes(routes, userTokens, userTokenCheck)
  signingKeyRoutes(routes, http, limits.perAddress, signingKeys)
  registerConsoleSession(http, {
    sessions: consoleSessions,
    perAddress: limits.perAddress,
    headerPrefix: config.HEADER_PREFIX,
    publicUrl,
  })
  const overview = createOverview(db)
  consoleRoute(http, 'overview/get', NoData, 'What there is, and how it does.', async (data, request) => {
    const caller = await authentication.apiKey(request, 'read')
    data()
    return {
      ...(await overview(caller)),
      traffic: traffic.lastHour(caller.apiKeyId),
      version: VERSION,
      engine: db.engine,
    }
  })
  registerAuthZen(http, {
    authentication,
    limits,
    check: decisions.check,
    publicUrl,
    headerPrefix: config.HEADER_PREFIX,
    bodyBytesMax: config.BODY_BYTES_MAX,
  })
  await http.ready()

  const coalescers = [
    ...permissions.coalescers,
    ...decisions.coalescers,
    ...authTokens.coalescers,
    ...workspaces.coalescers,
    ...userTokenCheck.coalescers,
    ...documents.coalescers,
  ]
  for (const coalescer of coalescers) observeCoalescer(coalescer, watching)
  metrics.watch({
    joining: coalescers,
    turnsWaiting: () => turnsWaiting(db),
    jobs: jobs.backlog,
    webhooks: webhooks.backlog,
    mails: mail.backlog,
    followers: () => followersBacklog(db),
  })
  return {
    http,
    announceStop: lastCall.announce,
    async stop() {
      lastCall.announce()
      await http.close()
      await Promise.all(coalescers.map((coalescer) => coalescer.drained()))
      const working = [migrations, userData, idempotencyKeys, consoleSessions, mail, webhooks].map(({ stop }) => stop())
      await Promise.all([...working, stopExpiry(), stopRetention()])
      await jobs.stop()
    },
  }
}

/** `readConfig` sees to it that there is a sender where there is a server. */
const smtpOf = ({ SMTP_URL, MAIL_FROM }: Config) =>
  SMTP_URL === undefined || MAIL_FROM === undefined ? undefined : { url: SMTP_URL, from: MAIL_FROM }

/** A request that has not arrived whole by then is given up. */
const REQUEST_TIMEOUT_MS = 60_000

function createHttp(config: Config, log: Log, metrics: Metrics, traffic: Traffic): FastifyInstance {
  const nextId = createRequestIds()
  const http = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: config.TRUST_PROXY ?? false,
    genReqId: nextId,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: (error, socket) => answerClientError(nextId(), error, socket),
  }) as unknown as FastifyInstance
  registerRequestContext(http)
  http.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  http.addHook('onResponse', (request, reply, done) => {
    const ms = reply.elapsedTime
    metrics.answered(operationOf(request), reply.statusCode, ms)
    const { apiKeyId } = request.context
    if (apiKeyId !== undefined) traffic.answered(apiKeyId, reply.statusCode)
    request.log.info({ req: request, res: reply, ms: Math.round(ms) }, 'request')
    done()
  })
  return http
}

/** Unique among all processes that ever run: a random part for the process, a count within it. */
function createRequestIds(): () => string {
  const run = randomBytes(6).toString('hex')
  let count = 0
  return () => `${run}-${(++count).toString(36)}`
}

/** `http://127.0.0.1:8080`, with the port that was really taken. */
export function listeningUrl(http: FastifyInstance, host: string): string {
  const address = http.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
