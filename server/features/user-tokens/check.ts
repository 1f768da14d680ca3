/** Checks user tokens: each against the database, so that what is revoked, rotated out or expired ends at once (rules/keys.md#user-tokens, rules/access.md#what-a-user-token-may-ask). */
import { decodeJwt, decodeProtectedHeader, errors, importJWK, type JWTPayload, jwtVerify } from 'jose'
import { type ApiKeyId, CALLER_ID_PATTERN } from '#contract/ids.ts'
import { LIMITS } from '#contract/limits.ts'
import type { DataOf, ResultOf } from '#contract/operation.ts'
import type { InactiveReason, verifyToken } from '#contract/user-tokens.ts'
import { allowsOrigin } from '#features/domains/shared.ts'
import type { CredentialLookups } from '#http/authenticate.ts'
import type { Db } from '#platform/db/db.ts'
import { isWellFormedToken } from '#platform/tokens.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { coalescedReads } from '#tenancy/writes/coalesced.ts'
import { CHECK_USER_TOKEN, type ClaimedRow, type UserTokenAnswer } from './statements.ts'

/** The claim that has `users.tokens_since` of the moment at which the token was made, in milliseconds. */
export const SINCE_CLAIM = 'since_ms'

export type UserTokenCheck = ReturnType<typeof createUserTokenCheck>

type Verdict = { reason: InactiveReason } | { userId: string; claims: JWTPayload }

export function createUserTokenCheck(db: Db, publicUrl: () => string) {
  const checking = coalescedReads(db, CHECK_USER_TOKEN)

  /** A token as one of this API key; undefined when there is no such key. */
  async function examine(
    token: string,
    apiKeyId: string,
    claimed: ClaimedRow | undefined,
  ): Promise<{ found: UserTokenAnswer; verdict: Verdict } | undefined> {
    const { kid, userId } = claimed ?? { kid: '', userId: '' }
    const [found] = await checking.run([{ apiKeyId, kid, userId }])
    return found && { found, verdict: await judge(token, { ...found, apiKeyId, claimed, issuer: publicUrl() }) }
  }

  const lookUp: CredentialLookups['userToken'] = async (token, namedKey) => {
    const claimed = claimedBy(token)
    const apiKeyId = namedKey ?? claimed?.apiKeyId ?? ''
    const examined = isWellFormedToken(apiKeyId) ? await examine(token, apiKeyId, claimed) : undefined
    if (examined === undefined) return undefined
    const { found, verdict } = examined
    const { allowedDomains, defaultAccessType, disabled } = found
    return {
      allowsOrigin: (origin) => allowsOrigin(allowedDomains, origin),
      disabled,
      caller:
        'reason' in verdict ? undefined : { apiKeyId: apiKeyId as ApiKeyId, defaultAccessType, userId: verdict.userId },
    }
  }

  return {
    lookUp,

    async verify({ apiKeyId }: Caller, { token }: DataOf<typeof verifyToken>): Promise<ResultOf<typeof verifyToken>> {
      const examined = await examine(token, apiKeyId, claimedBy(token))
      const verdict: Verdict = examined?.verdict ?? { reason: 'signing_key_unknown' } // the key was deleted at this moment
      if ('reason' in verdict) return { active: false, reason: verdict.reason }
      const { iat, exp, jti, ...claims } = verdict.claims
      const { name, email, isAdmin } = claims as { name?: string; email?: string; isAdmin?: boolean }
      return { active: true, userId: verdict.userId, name, email, isAdmin, issuedAt: iat, expiresAt: exp, jti }
    },

    coalescers: [checking],
  }
}

const IS_CALLER_ID = new RegExp(CALLER_ID_PATTERN)

/** Whose it says it is: not to be believed before it is verified. */
function claimedBy(token: string): ClaimedRow | undefined {
  try {
    const { kid } = decodeProtectedHeader(token)
    const { aud, sub } = decodeJwt(token)
    if (typeof aud !== 'string' || typeof kid !== 'string' || typeof sub !== 'string') return undefined
    const isOurs = /^[\w-]{1,64}$/.test(kid) && sub.length <= LIMITS.idCharactersMax && IS_CALLER_ID.test(sub)
    return isOurs ? { apiKeyId: aud, kid, userId: sub } : undefined
  } catch {
    return undefined // it is no JWT
  }
}

interface Evidence extends Pick<UserTokenAnswer, 'publicJwk' | 'tokensSince' | 'now'> {
  apiKeyId: string
  claimed: ClaimedRow | undefined
  issuer: string
}

async function judge(
  token: string,
  { apiKeyId, claimed, publicJwk, tokensSince, issuer, now }: Evidence,
): Promise<Verdict> {
  if (claimed === undefined) return { reason: 'malformed' }
  if (claimed.apiKeyId !== apiKeyId) return { reason: 'other_api_key' }
  if (publicJwk === null) return { reason: 'signing_key_unknown' }
  try {
    const { payload } = await jwtVerify(token, await importJWK(publicJwk, 'ES256'), {
      algorithms: ['ES256'],
      issuer,
      audience: apiKeyId,
      currentDate: now,
      requiredClaims: ['sub', 'exp', 'iat', 'jti'],
    })
    return tokensSince !== null && payload[SINCE_CLAIM] === tokensSince.getTime()
      ? { userId: claimed.userId, claims: payload }
      : { reason: 'revoked' }
  } catch (error) {
    if (error instanceof errors.JOSEError) return { reason: reasonOf(error) }
    throw error
  }
}

function reasonOf(error: errors.JOSEError): InactiveReason {
  if (error instanceof errors.JWTExpired) return 'expired'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature_wrong'
  return error instanceof errors.JWTClaimValidationFailed && error.claim === 'iss' ? 'other_issuer' : 'malformed'
}
