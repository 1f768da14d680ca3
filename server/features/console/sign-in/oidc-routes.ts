/**
 * Signing in with the OpenID Connect provider of a workspace: to the provider, and back. Browsers open these addresses themselves, so a
 * failure is a page, which has nothing of the provider's text.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  browserSecret,
  failurePage,
  SIGN_IN_SECONDS,
  SignInFailed,
  type SingleSignOn,
} from '#features/single-sign-on/shared.ts'
import type { Pipeline } from '#http/pipeline.ts'
import type { Kernel } from '#kernel'
import { type CookieOptions, isSecure, setSessionCookie } from '../sessions/cookie.ts'
import type { OperatorSessions } from '../sessions/operator-sessions.ts'

const cookieName = (secure: boolean): string => (secure ? '__Host-commonhold-oidc' : 'commonhold-oidc')

export interface OidcDeps extends CookieOptions {
  log: Kernel['log']
  operatorSessions: Pick<OperatorSessions, 'startIn'>
  singleSignOn: Pick<SingleSignOn, 'begin' | 'finish'>
}

export function oidcRoutes({ app, limits }: Pipeline, deps: OidcDeps): void {
  const { log, singleSignOn, operatorSessions } = deps
  const quiet = { logLevel: 'warn' as const } // addresses have codes

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
      const { status, html } = failurePage(error.failure)
      return reply.code(status).type('text/html; charset=utf-8').send(html)
    }
  }

  app.get<{ Querystring: { workspace?: string } }>('/console/oidc/start', quiet, (request, reply) =>
    orPage(request, reply, async () => {
      requireOwnSite(request)
      const browser = browserSecret(browserOf(request))
      const url = await singleSignOn.begin(String(request.query.workspace ?? ''), browser)
      setBrowserCookie(request, reply, browser)
      return reply.redirect(url.href, 303)
    }),
  )

  app.get('/console/oidc/callback', quiet, (request, reply) =>
    orPage(request, reply, async () => {
      const browser = browserOf(request)
      if (browser === undefined) throw new SignInFailed('stale')
      const origin = { address: request.ip, userAgent: request.headers['user-agent'] ?? '' }
      const { search } = new URL(request.url, deps.publicUrl())
      const started = await singleSignOn.finish(
        search,
        { browser, address: origin.address },
        (session, workspaceId, { id, name }) =>
          operatorSessions.startIn(session, { workspaceId, operatorId: id, name }, 'oidc', origin),
      )
      setSessionCookie(request, reply, started, deps)
      return reply.redirect('/console/', 303)
    }),
  )
}

/**
 * Refuses what another site started: it could sign somebody in to a workspace that is not theirs. Browsers send the header to
 * servers with https and on the own machine.
 */
function requireOwnSite({ headers }: FastifyRequest): void {
  const from = headers['sec-fetch-site']
  if (from !== undefined && from !== 'same-origin' && from !== 'none') throw new SignInFailed('other_site')
}
