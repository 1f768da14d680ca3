/** The key pairs that sign user tokens, and the set of public keys. */
import { ErrorEnvelope } from '#contract/core/envelope.ts'
import { listSigningKeys, PublicKeys, rotateSigningKeys } from '#contract/keys/signing-keys.ts'
import type { Description } from '#http/openapi/operations.ts'
import type { CreateFeature } from '#kernel'
import { createSigningKeys } from './operations.ts'

/** Short, because clients that cache the set continue to accept a leaked key this long after it was rotated out. */
const JWKS_MAX_AGE_SECONDS = 60

const JWKS: Description = {
  operationId: 'signing-keys.jwks',
  tags: ['signing-keys'],
  summary: 'Public keys that verify user tokens (RFC 7517)',
  description: `Cache them for at most ${JWKS_MAX_AGE_SECONDS} seconds, as \`Cache-Control\` says. Fetch them again for an unknown \`kid\`: after a rotation the new key signs immediately.`,
  parameters: [{ name: 'apiKey', in: 'path', required: true, schema: { type: 'string' } }],
  response: {
    200: { schema: PublicKeys, description: 'The public keys; none for an unknown API key.' },
    429: { schema: ErrorEnvelope, description: 'RESOURCE_EXHAUSTED: `rate_limited`' },
  },
}

export const signingKeys: CreateFeature = (kernel) => ({
  routes(routes, { app, limits }) {
    const signingKeys = kernel.use(createSigningKeys)
    routes.withApiKey(rotateSigningKeys, async (caller, data) => ({ data: await signingKeys.rotate(caller, data) }))
    routes.withApiKey(listSigningKeys, async (caller) => ({ data: await signingKeys.list(caller) }))
    app.get<{ Params: { apiKey: string } }>(
      '/v2/auth/jwks/:apiKey',
      {
        config: { described: JWKS, ofApiKey: ({ params }) => (params as { apiKey: string }).apiKey },
      },
      async (request, reply) => {
        await limits.perAddress.consume(request.ip, reply)
        return reply
          .header('cache-control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`)
          .type('application/json; charset=utf-8')
          .send(JSON.stringify(await signingKeys.publicKeys(request.params.apiKey)))
      },
    )
  },
})
