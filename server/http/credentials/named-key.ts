/** The API key that a request names, before anything is verified: it decides in which database the credentials are looked up. */
import type { FastifyRequest } from 'fastify'
import { isWellFormedToken } from '#platform/secrets/tokens.ts'

const BEARER = /^Bearer +(\S+)$/i

/** Returns the API key in the headers of a request, or in the user token that it bears. */
export function apiKeyOf(request: FastifyRequest, headerPrefix: string): string | undefined {
  const named = request.headers[`x-${headerPrefix}-api-key`]
  const apiKeyId = typeof named === 'string' && named !== '' ? named : audienceOf(bearerOf(request))
  return apiKeyId !== undefined && isWellFormedToken(apiKeyId) ? apiKeyId : undefined
}

export const bearerOf = (request: FastifyRequest): string | undefined =>
  BEARER.exec(request.headers.authorization ?? '')?.[1]

/** Returns the audience that the claims of a user token name. */
function audienceOf(token = ''): string | undefined {
  try {
    const { aud } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return typeof aud === 'string' ? aud : undefined
  } catch {
    return undefined // not a JWT
  }
}
