/**
 * What browsers ask of calls from pages (rules/keys.md#allowed-domains). A preflight carries no API key, so it is answered alike for every
 * page; the real call decides. That is why no CORS plugin serves here: those decide before anybody has looked at the credentials.
 */
import type { FastifyInstance, FastifyReply } from 'fastify'

const MAX_AGE_SECONDS = 600
/** What a page may read besides the body. */
const EXPOSED = 'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After'

/** Lets the page of `origin` read the answer, whatever it will be. */
export function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    vary: 'Origin',
  })
}

export function registerPreflight(app: FastifyInstance, path: string, headerPrefix: string): void {
  app.options(path, { schema: { hide: true } }, (request, reply) => {
    const { origin } = request.headers
    if (origin !== undefined) reply.header('access-control-allow-origin', origin)
    return reply
      .headers({
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': `Authorization, Content-Type, X-${headerPrefix}-Api-Key`,
        'access-control-max-age': MAX_AGE_SECONDS,
        vary: 'Origin',
      })
      .code(204)
      .send()
  })
}
