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

export interface CookieOptions {
  headerPrefix: string
  /** Where browsers reach this server. */
  publicUrl: () => string
}

/** Also behind a proxy that is trusted, and whose address is not known. */
const isSecure = (request: FastifyRequest, { publicUrl }: CookieOptions): boolean =>
  request.protocol === 'https' || publicUrl().startsWith('https:')

/** The secret in the cookie of a call that asks for its session; empty when there is none. Undefined: it does not ask. */
export function sessionSecretOf(request: FastifyRequest, options: CookieOptions): string | undefined {
  if (request.headers[`x-${options.headerPrefix}-${NAME}`] !== VALUE) return undefined
  // Over https no other name: whoever has a host beside ours could have set it, and somebody would work in their session.
  return request.cookies[cookieName(isSecure(request, options))] ?? ''
}

/** An empty `secret` removes it. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { secret, hours }: { secret: string; hours: number },
  options: CookieOptions,
): void {
  const secure = isSecure(request, options)
  reply.setCookie(cookieName(secure), secret, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure,
    maxAge: secret === '' ? 0 : hours * 3600,
  })
}
