/**
 * Checks every user token against the database, so revocation, key rotation and expiry take effect immediately
 * (rules/keys.md#user-tokens, rules/access.md#what-a-user-token-may-do).
 */
import { decodeJwt, decodeProtectedHeader, errors, importJWK, type JWTPayload, jwtVerify } from 'jose'
import { type ApiKeyId, CALLER_ID_PATTERN, type WorkspaceId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { InactiveReason, verifyToken } from '#contract/users/user-tokens.ts'
import { allowsOrigin } from '#features/domains/shared.ts'
import type { CredentialLookups } from '#http/credentials/credentials.ts'
import type { Kernel } from '#kernel'
import type { Db } from '#platform/db/db.ts'
import { isWellFormedToken } from '#platform/secrets/tokens.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { userIsDisabled } from '#tenancy/refusals.ts'
import { coalescedReads } from '#tenancy/writes/coalesced.ts'
import { CHECK_USER_TOKEN, type CheckedUserToken, type ClaimedRow } from './statements.ts'

/** The claim with the value of `users.tokens_since` when the token was created, in milliseconds. */
export const SINCE_CLAIM = 'since_ms'

export type UserTokenCheck = ReturnType<typeof createUserTokenCheck>

/** The check of this server, which features share. */
export const userTokenCheck = ({ db, publicUrl }: Kernel): UserTokenCheck => createUserTokenCheck(db, publicUrl)

type Verdict = { reason: InactiveReason } | { userId: string; claims: JWTPayload }

function createUserTokenCheck(db: Db, publicUrl: () => string) {
  const tokenChecks = coalescedReads(db, CHECK_USER_TOKEN)

  /** Checks a token for an API key. Returns undefined if the key does not exist. */
  async function examine(
    token: string,
    apiKeyId: string,
    claimed: ClaimedRow | undefined,
  ): Promise<{ found: CheckedUserToken; verdict: Verdict } | undefined> {
    const { kid, userId } = claimed ?? { kid: '', userId: '' }
    const [found] = await tokenChecks.run([{ apiKeyId, kid, userId }], apiKeyId)
    return found && { found, verdict: await verify(token, { ...found, apiKeyId, claimed, issuer: publicUrl() }) }
  }

  const lookUp: CredentialLookups['userToken'] = async (token, namedKey) => {
    const claimed = claimsOf(token)
    const apiKeyId = namedKey ?? claimed?.apiKeyId ?? ''
    const examined = isWellFormedToken(apiKeyId) ? await examine(token, apiKeyId, claimed) : undefined
    if (examined === undefined) return undefined
    const { found, verdict } = examined
    const { allowedDomains, workspaceId, disabled, tokensSince } = found
    const { defaultAccessType, defaultAccessRole, hasCommenter, hasDisabledUsers, providerVersion } = found
    const ids = { apiKeyId: apiKeyId as ApiKeyId, workspaceId: workspaceId as WorkspaceId }
    const settings = { defaultAccessType, defaultAccessRole, hasCommenter, hasDisabledUsers, providerVersion }
    const actor = { apiKey: apiKeyId, userToken: true as const }
    const caller = { ...ids, ...settings, actor, tokensSince: tokensSince?.getTime() ?? 0 }
    return {
      apiKeyId: ids.apiKeyId,
      allowsOrigin: (origin) => allowsOrigin(allowedDomains, origin),
      disabled,
      caller: 'userId' in verdict ? { ...caller, userId: verdict.userId } : refusalOf(verdict),
    }
  }

  return {
    lookUp,

    async verify({ apiKeyId }: Caller, { token }: DataOf<typeof verifyToken>): Promise<ResultOf<typeof verifyToken>> {
      const examined = await examine(token, apiKeyId, claimsOf(token))
      const verdict: Verdict = examined?.verdict ?? { reason: 'signing_key_unknown' } // the API key has just been deleted
      if ('reason' in verdict) return { active: false, reason: verdict.reason }
      const { iat, exp, jti, ...claims } = verdict.claims
      const { name, email, isAdmin } = claims as { name?: string; email?: string; isAdmin?: boolean }
      return { active: true, userId: verdict.userId, name, email, isAdmin, issuedAt: iat, expiresAt: exp, jti }
    },

    coalescers: [tokenChecks],
  }
}

/** Only the holder of a token that would be valid learns that the user is disabled. */
const refusalOf = ({ reason }: { reason: InactiveReason }) =>
  reason === 'user_disabled' ? userIsDisabled() : undefined

const IS_CALLER_ID = new RegExp(CALLER_ID_PATTERN)

/** Returns the unverified claims of a token about its key and user. */
function claimsOf(token: string): ClaimedRow | undefined {
  try {
    const { kid } = decodeProtectedHeader(token)
    const { aud, sub } = decodeJwt(token)
    if (typeof aud !== 'string' || typeof kid !== 'string' || typeof sub !== 'string') return undefined
    const isId = [...sub].length <= LIMITS.idCharactersMax && IS_CALLER_ID.test(sub) && sub.isWellFormed()
    return isId && /^[\w-]{1,64}$/.test(kid) ? { apiKeyId: aud, kid, userId: sub } : undefined
  } catch {
    return undefined // not a JWT
  }
}

interface Evidence extends Pick<CheckedUserToken, 'publicJwk' | 'tokensSince' | 'userDisabled' | 'now'> {
  apiKeyId: string
  claimed: ClaimedRow | undefined
  issuer: string
}

async function verify(
  token: string,
  { apiKeyId, claimed, publicJwk, tokensSince, userDisabled, issuer, now }: Evidence,
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
    if (tokensSince === null || payload[SINCE_CLAIM] !== tokensSince.getTime()) return { reason: 'revoked' }
    return userDisabled ? { reason: 'user_disabled' } : { userId: claimed.userId, claims: payload }
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
