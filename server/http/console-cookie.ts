/**
 * The cookie of the console's session. It counts only beside a header that no page elsewhere can send without asking
 * (ADR 0025): `SameSite=Strict` keeps it from other sites, the header from other hosts of the same site.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'

/** `x-<prefix>-session: console` asks for the session of the cookie. */
const NAME = 'session'
const VALUE = 'console'

/** Over https a name that only this very host can have set. */
const cookieName = (secure: boolean): string => (secure ? '__Host-commonhold-console' : 'commonhold-console')

/** The secret in the cookie of a call that asks for its session; empty when there is none. Undefined: it does not ask. */
export function sessionSecretOf(request: FastifyRequest, headerPrefix: string): string | undefined {
  if (request.headers[`x-${headerPrefix}-${NAME}`] !== VALUE) return undefined
  return request.cookies[cookieName(true)] ?? request.cookies[cookieName(false)] ?? ''
}

/** An empty `secret` removes it. */
export function setSessionCookie(
  reply: FastifyReply,
  secret: string,
  options: { secure: boolean; hours: number },
): void {
  reply.setCookie(cookieName(options.secure), secret, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: options.secure,
    maxAge: secret === '' ? 0 : options.hours * 3600,
  })
}
