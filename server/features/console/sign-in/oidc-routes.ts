/**
 * Signing in with the OpenID Connect provider of a workspace: to the provider, and back. Browsers open these addresses
 * themselves, so a failure is a page, which contains no text of the provider. A test of a connection takes the same
 * route.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { ClosedObject } from '#contract/core/fields.ts'
import { LIMITS } from '#contract/core/limits.ts'
import {
  browserSecret,
  failurePage,
  reportPage,
  SIGN_IN_SECONDS,
  SignInFailed,
  type SingleSignOn,
} from '#features/single-sign-on/shared.ts'
import type { Pipeline } from '#http/pipeline.ts'
import type { Kernel } from '#kernel'
import { sendPage } from '#platform/page.ts'
import { consoleRoute } from '../call.ts'
import { isSecure, setSessionCookie } from '../sessions/cookie.ts'
import type { OperatorSessions } from '../sessions/operator-sessions.ts'
import { originOf, type SessionDeps, sessionReader } from '../sessions/routes.ts'

const cookieName = (secure: boolean): string => (secure ? '__Host-commonhold-oidc' : 'commonhold-oidc')

const Domain = ClosedObject({ domain: Type.String({ minLength: 1, maxLength: LIMITS.domainCharactersMax }) })

export interface OidcDeps extends SessionDeps {
  log: Kernel['log']
  operatorSessions: OperatorSessions
  singleSignOn: Pick<SingleSignOn, 'begin' | 'finish' | 'openTest' | 'findDomain'>
}

export function oidcRoutes(pipeline: Pipeline, deps: OidcDeps): void {
  const { app, limits } = pipeline
  const { singleSignOn } = deps
  const read = sessionReader(pipeline, deps)

  // The page sends no address, only what follows the @, so the response cannot say whether somebody is there.
  consoleRoute(app, 'oidc/find', Domain, 'Domain looked up.', async (data, request, reply) => {
    read.secret(request)
    await limits.perAddress.consume(request.ip, reply)
    return { isFound: (await singleSignOn.findDomain(data().domain)) !== undefined }
  })

  pageRoutes(pipeline, deps)
}

function pageRoutes({ app, limits }: Pipeline, deps: OidcDeps): void {
  const { log, singleSignOn, operatorSessions } = deps
  // Addresses have codes, which the log must not have, and which are used up: a request for the headers alone is refused.
  const page = { config: { isPage: true }, logLevel: 'warn' as const, exposeHeadRoute: false }

  const browserOf = (request: FastifyRequest) => request.cookies[cookieName(isSecure(request, deps))]

  /** The cookie comes along when the provider sends the browser back, which is another site: `lax`. */
  function setBrowserCookie(request: FastifyRequest, reply: FastifyReply, secret: string): void {
    const secure = isSecure(request, deps)
    const options = { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: SIGN_IN_SECONDS } as const
    reply.setCookie(cookieName(secure), secret, options)
  }

  async function orPage(request: FastifyRequest, reply: FastifyReply, work: () => Promise<unknown>): Promise<unknown> {
    await limits.perAddress.consume(request.ip, reply)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof SignInFailed)) throw error
      log.warn({ failure: error.message, requestId: request.id }, 'a sign-in with a provider failed')
      const failed = failurePage(error.failure, request.id)
      return sendPage(reply, failed.status, failed.page)
    }
  }

  /** Sends the browser to the address that `begin` returns for its secret. */
  const start = (request: FastifyRequest, reply: FastifyReply, begin: (browser: string) => Promise<URL>) =>
    orPage(request, reply, async () => {
      requireOwnSite(request)
      const browser = browserSecret(browserOf(request))
      const url = await begin(browser)
      setBrowserCookie(request, reply, browser)
      return reply.redirect(url.href, 303)
    })

  app.get<{ Querystring: Record<string, unknown> }>('/console/oidc/start', page, (request, reply) => {
    const { workspace, domain } = request.query
    if (isOpenedFromOutside(request))
      return reply.redirect(`/console/sign-in/${encodeURIComponent(String(domain ?? workspace ?? ''))}`, 303)
    const place = domain === undefined ? { workspace: String(workspace ?? '') } : { domain: String(domain) }
    return start(request, reply, (browser) => singleSignOn.begin(place, browser))
  })

  app.get<{ Querystring: Record<string, unknown> }>('/console/oidc/test', page, (request, reply) =>
    start(request, reply, (browser) => singleSignOn.openTest(String(request.query.ticket ?? ''), browser)),
  )

  app.get<{ Params: { workspaceId?: string } }>('/console/oidc/callback/:workspaceId?', page, (request, reply) =>
    orPage(request, reply, async () => {
      const browser = browserOf(request)
      if (browser === undefined) throw new SignInFailed('stale')
      const origin = originOf(request)
      const { search } = new URL(request.url, deps.publicUrl())
      const { workspaceId = '' } = request.params
      const finished = await singleSignOn.finish(
        search,
        { workspaceId, browser, address: origin.address },
        (session, workspaceId, { id, name }) =>
          operatorSessions.startIn(session, { workspaceId, operatorId: id, name }, 'oidc', origin),
      )
      if (finished.report !== undefined) {
        const { report } = finished
        log.warn(
          { problem: report.problem?.code ?? 'none', requestId: request.id },
          'a sign-in with a provider was tested',
        )
        const tested = reportPage(report, request.id)
        return sendPage(reply, tested.status, tested.page)
      }
      setSessionCookie(request, reply, finished.started, deps)
      return reply.redirect('/console/', 303)
    }),
  )
}

/**
 * Whether no page led here: a person typed the address, or opened it in a mail, perhaps one of a stranger that would sign
 * them in to a workspace that is not theirs. Browsers say so also after a redirect of another site.
 */
const isOpenedFromOutside = ({ headers }: FastifyRequest): boolean => headers['sec-fetch-site'] === 'none'

/**
 * Refuses a sign-in that another site started: it could sign somebody in to a workspace that is not theirs. Browsers
 * send the header to servers with https and on their own machine.
 */
function requireOwnSite({ headers }: FastifyRequest): void {
  const from = headers['sec-fetch-site']
  if (from !== undefined && from !== 'same-origin' && from !== 'none') throw new SignInFailed('other_site')
}
