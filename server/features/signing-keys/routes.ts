/** Operations of signing keys, each to its function, and the JWKS. */
import { listSigningKeys, rotateSigningKeys } from '#contract/signing-keys.ts'
import type { Pipeline } from '#http/pipeline.ts'
import type { Routes } from '#http/route.ts'
import type { SigningKeys } from './operations.ts'

/** As long as a leaked key that was rotated out at once may go on verifying with those who keep the set: so, short. */
const JWKS_MAX_AGE_SECONDS = 60

export function signingKeyRoutes(routes: Routes, { app, limits }: Pipeline, signingKeys: SigningKeys): void {
  routes.withApiKey(rotateSigningKeys, async (caller, data) => ({ data: await signingKeys.rotate(caller, data) }))
  routes.withApiKey(listSigningKeys, async (caller) => ({ data: await signingKeys.list(caller) }))
  app.get<{ Params: { apiKey: string } }>(
    '/v2/auth/jwks/:apiKey',
    {
      schema: {
        tags: ['signing-keys'],
        summary: 'Public keys that verify user tokens (RFC 7517)',
        description: `Keep them for ${JWKS_MAX_AGE_SECONDS} seconds at most, as \`Cache-Control\` says, and ask again for a \`kid\` that is not among them: a key that was rotated in signs at once.`,
        operationId: 'signing-keys.jwks',
      },
    },
    async (request, reply) => {
      await limits.perAddress.consume(request.ip, reply)
      return reply
        .header('cache-control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`)
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(await signingKeys.publicKeys(request.params.apiKey)))
    },
  )
}
