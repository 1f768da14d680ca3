/** Checks user tokens that come as credentials: each against the database, so that what is retired or expired ends at once (decisions D3, D4). */
import { decodeJwt, decodeProtectedHeader, errors, importJWK, type JWK, jwtVerify } from 'jose'
import type { ApiKeyId } from '#contract/ids.ts'
import type { CredentialLookups } from '#http/authenticate.ts'
import type { Db } from '#platform/db/db.ts'
import { isWellFormedToken } from '#platform/tokens.ts'
import { allowsOrigin } from '#tenancy/domains.ts'
import { coalescedReads } from '#tenancy/organization-writes.ts'
import { CHECK_USER_TOKEN } from './statements.ts'

export function createUserTokenCheck(db: Db, publicUrl: () => string) {
  const checking = coalescedReads(db, CHECK_USER_TOKEN)

  const lookUp: CredentialLookups['userToken'] = async (token, namedKey) => {
    const claimed = claimedBy(token)
    const apiKeyId = namedKey ?? claimed?.apiKeyId ?? ''
    if (!isWellFormedToken(apiKeyId)) return undefined
    const [found] = await checking.run([{ apiKeyId, kid: claimed?.kid ?? '' }])
    if (found === undefined) return undefined
    const { allowedDomains, publicJwk, now, defaultAccessType, disabled } = found
    const issuer = publicUrl()
    const userId = publicJwk === null ? undefined : await verifiedUser(token, publicJwk, { issuer, apiKeyId, now })
    return {
      allowsOrigin: (origin) => allowsOrigin(allowedDomains, origin),
      disabled,
      caller: userId === undefined ? undefined : { apiKeyId: apiKeyId as ApiKeyId, defaultAccessType, userId },
    }
  }

  return { lookUp, coalescers: [checking] }
}

/** Whose it says it is: not to be believed before it is verified. */
function claimedBy(token: string): { apiKeyId: string; kid: string } | undefined {
  try {
    const { kid } = decodeProtectedHeader(token)
    const { aud } = decodeJwt(token)
    return typeof aud === 'string' && typeof kid === 'string' && /^[\w-]{1,64}$/.test(kid)
      ? { apiKeyId: aud, kid }
      : undefined
  } catch {
    return undefined // it is no JWT
  }
}

async function verifiedUser(
  token: string,
  publicJwk: JWK,
  { issuer, apiKeyId, now }: { issuer: string; apiKeyId: string; now: Date },
): Promise<string | undefined> {
  try {
    const { payload } = await jwtVerify(token, await importJWK(publicJwk, 'ES256'), {
      algorithms: ['ES256'],
      issuer,
      audience: apiKeyId,
      currentDate: now,
      requiredClaims: ['sub', 'exp', 'iat', 'jti'],
    })
    return payload.sub
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
