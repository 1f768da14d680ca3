/**
 * The session cookie of the console. It is valid only together with a header that other origins cannot send without a
 * preflight (ADR 0025). `SameSite=Strict` protects against other sites, the header against other hosts of the same site.
 */
import { fastifyCookie } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '#http/credentials/credentials.ts'

/**
 * `x-<prefix>-session: console` requests the session of the cookie. A page adds the account for which it was drawn
 * (`console 0198…`), because tabs share the cookie, and somebody else may have signed in to another tab since.
 */
const NAME = 'session'
const VALUE = /^console(?: (?<account>\S+))?$/

/** Over https, the `__Host-` prefix guarantees that this host set the cookie. */
const cookieName = (secure: boolean): string => (secure ? '__Host-commonhold-console' : 'commonhold-console')

export interface CookieOptions {
  headerPrefix: string
  /** The URL of this server for browsers. */
  publicUrl: () => string
}

/** Also true behind a proxy that is not in the list of trusted ones, if the public URL is https. */
export const isSecure = (request: FastifyRequest, { publicUrl }: CookieOptions): boolean =>
  request.protocol === 'https' || publicUrl().startsWith('https:')

const askedBy = (request: FastifyRequest, { headerPrefix }: CookieOptions): RegExpExecArray | null =>
  VALUE.exec(String(request.headers[`x-${headerPrefix}-${NAME}`]))

/** The account as a page names it. */
const accountIdOf = (signedIn: SignedIn): string =>
  signedIn.operator?.id ?? (signedIn.workspaceId === undefined ? signedIn.apiKeyId : signedIn.workspaceId)

/** Returns whether a request may use a session: it names the account that the session stands for, or none. */
export function isAskedFor(signedIn: SignedIn, request: FastifyRequest, options: CookieOptions): boolean {
  const named = askedBy(request, options)?.groups?.account
  return named === undefined || named === accountIdOf(signedIn)
}

/** Returns the secret in the cookie of a request that uses the session; empty without a cookie, undefined without the header. */
export function sessionSecretOf(request: FastifyRequest, options: CookieOptions): string | undefined {
  if (askedBy(request, options) === null) return undefined
  // Over https only this name: another host of the domain could set any other cookie, and a user would work in its session.
  return fastifyCookie.parse(request.headers.cookie ?? '')[cookieName(isSecure(request, options))] ?? ''
}

/** Sets the session cookie; an empty `secret` removes it. */
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
