/** The web console: its files, sessions and overview. */
import path from 'node:path'
import { createLoginLinks } from '#features/login-links/shared.ts'
import { createSingleSignOn } from '#features/single-sign-on/shared.ts'
import { NEEDS_TO_READ } from '#http/credentials/operator-access.ts'
import type { Pipeline } from '#http/pipeline.ts'
import type { CreateFeature } from '#kernel'
import type { Caller } from '#tenancy/callers/caller.ts'
import { consoleRoute, NoData } from './call.ts'
import { deviceRoutes } from './device/routes.ts'
import { createDeviceSignIns } from './device/sign-ins.ts'
import { serveConsole } from './files.ts'
import { createMailStatus } from './overview/mail-status.ts'
import { createOverview } from './overview/overview.ts'
import { isAskedFor, sessionSecretOf } from './sessions/cookie.ts'
import { createSessionLists } from './sessions/lists.ts'
import { createOperatorSessions } from './sessions/operator-sessions.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { startConsoleSessions } from './sessions/sessions.ts'
import { createFirstVisit } from './sign-in/first-visit.ts'
import { firstVisitRoutes } from './sign-in/first-visit-routes.ts'
import { oidcRoutes } from './sign-in/oidc-routes.ts'
import { passkeyRoutes } from './sign-in/passkey-routes.ts'
import { serveSite } from './site.ts'

/** The output folders of the builds of the console and of the site. */
const FOLDER = path.join(import.meta.dirname, '../../../console/dist')
const SITE = path.join(import.meta.dirname, '../../../site/dist')

/** The data of an API key in the overview. */
export const consoleData: CreateFeature = (kernel) => {
  const { db, version } = kernel
  const count = createOverview(db)
  const mail = createMailStatus(kernel)
  const overview = async (caller: Caller) => ({
    ...(await count(caller)),
    mail: await mail(caller),
    version,
    engine: db.engine,
  })
  return {
    routes(_routes, pipeline) {
      keyRoutes(pipeline, {
        'overview/get': ['Overview retrieved.', overview],
        'mail/get': ['State of mail retrieved.', mail],
      })
    },
  }
}

export const webConsole: CreateFeature = (kernel) => {
  const { config, publicUrl } = kernel
  const headerPrefix = config.HEADER_PREFIX
  const sessions = startConsoleSessions(kernel)
  return {
    async routes(_routes, pipeline) {
      const links = kernel.use(createLoginLinks)
      await serveConsole(pipeline.app, FOLDER, {
        __HEADER_PREFIX__: headerPrefix,
        __LOGIN_LINKS__: String(links.isOffered),
        __CONFIRMS_ADDRESSES__: String(kernel.config.MAIL_CONFIRM_OWNERS),
        __SENDS_MAIL__: String(config.SMTP_URL !== undefined),
        __SIGNUP__: config.SIGNUP,
      })
      await serveSite(pipeline.app, SITE)
      const lists = createSessionLists(kernel)
      const operatorSessions = createOperatorSessions(kernel)
      const deps = { sessions, operatorSessions, lists, findLink: links.find, headerPrefix, publicUrl }
      sessionRoutes(pipeline, deps)
      passkeyRoutes(pipeline, deps)
      firstVisitRoutes(pipeline, { ...deps, firstVisit: createFirstVisit(kernel, operatorSessions) })
      deviceRoutes(pipeline, {
        ...deps,
        deviceSignIns: createDeviceSignIns(kernel),
        trustsProxy: config.TRUST_PROXY !== undefined,
      })
      oidcRoutes(pipeline, { ...deps, log: kernel.log, singleSignOn: kernel.use(createSingleSignOn) })
    },
    credentials: {
      sessionSecret: (request) => sessionSecretOf(request, { headerPrefix, publicUrl }),
      async session(request, secret) {
        const signedIn = await sessions.lookUp(secret)
        return signedIn && isAskedFor(signedIn, request, { headerPrefix, publicUrl }) ? signedIn : undefined
      },
      commandLineSession: sessions.lookUpCommandLine,
    },
    stop: sessions.stop,
  }
}

/** Registers the calls by name, each with its message and its function. All count towards the limit of the key. */
function keyRoutes(
  { app, authentication, limits }: Pipeline,
  calls: Record<string, [message: string, read: (caller: Caller) => Promise<object>]>,
): void {
  for (const [name, [message, read]] of Object.entries(calls))
    consoleRoute(app, { name, ofApiKey: true }, NoData, message, async (data, request, reply) => {
      const caller = await authentication.apiKey(request, NEEDS_TO_READ)
      await limits.perKey.consume(caller, reply)
      data()
      return read(caller)
    })
}
