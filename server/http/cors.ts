/**
 * CORS for calls from pages (rules/keys.md#allowed-domains). A preflight carries no API key, so every page gets the same response;
 * the call itself decides. The CORS plugins do not fit: they decide before the credentials are checked.
 */
import type { FastifyInstance, FastifyReply } from 'fastify'

const MAX_AGE_SECONDS = 600
/** The response headers that a page may read. */
const EXPOSED = 'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Idempotent-Replayed'

/** Lets the page at `origin` read the response, whether it is a success or an error. */
export function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    vary: 'Origin',
  })
}

export function registerPreflight(app: FastifyInstance, path: string, headerPrefix: string): void {
  app.options(path, (request, reply) => {
    const { origin } = request.headers
    if (origin !== undefined) reply.header('access-control-allow-origin', origin)
    return reply
      .headers({
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': `Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-${headerPrefix}-Api-Key`,
        'access-control-max-age': MAX_AGE_SECONDS,
        vary: 'Origin',
      })
      .code(204)
      .send()
  })
}
