/** Operations of user tokens, each to its function. */
import type { FastifyInstance } from 'fastify'
import { generateToken } from '#contract/user-tokens.ts'
import type { RateLimit } from '#http/rate-limit.ts'
import type { Routes } from '#http/route.ts'
import type { UserTokens } from './operations.ts'

export function userTokenRoutes(
  routes: Routes,
  app: FastifyInstance,
  perAddress: RateLimit,
  userTokens: UserTokens,
): void {
  routes.withApiKey(generateToken, async (caller, data) => ({ data: await userTokens.generate(caller, data) }))
  app.get<{ Params: { apiKey: string } }>(
    '/v2/auth/jwks/:apiKey',
    {
      schema: {
        tags: ['user-tokens'],
        summary: 'Public keys that verify user tokens (RFC 7517)',
        operationId: 'user-tokens.jwks',
      },
    },
    async (request, reply) => {
      await perAddress.consume(request.ip, reply)
      return reply
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(await userTokens.publicKeys(request.params.apiKey)))
    },
  )
}
