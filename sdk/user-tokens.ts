/** Verifies user tokens locally, with the public keys of the API key, which are cached for a minute. */
import { CommonholdError, causeOf } from './errors.ts'
import { serverOf } from './server.ts'
import { fromBase64, utf8, VerificationError } from './verification.ts'

/** The claims of a user token. */
export interface UserToken {
  userId: string
  name?: string
  email?: string
  isAdmin?: boolean
  /** Unix seconds. */
  issuedAt: number
  /** Unix seconds. The token is expired from this second on. */
  expiresAt: number
  /** The id of the token; the event of its generation has the same. */
  jti: string
  /** Increases with each revocation of the user's tokens: a receiver of revocation events can refuse tokens with a lower value. */
  sinceMs?: number
}

/** Why a token is not valid; the same reasons as in `userTokens.verify`. */
export type UserTokenFault =
  | 'malformed'
  | 'other_api_key'
  | 'other_issuer'
  | 'signing_key_unknown'
  | 'signature_wrong'
  | 'expired'
  | 'not_yet_valid'

export interface UserTokenOptions {
  /** The address of the server, without `/v2`. */
  url: string
  /** Only tokens of this API key are valid. */
  apiKey: string
  /** The server's `PUBLIC_URL`. Default: `url`. */
  issuer?: string | undefined
}

/**
 * Returns the claims of a valid user token; throws a `VerificationError` for any other: respond with 401. Throws a
 * `CommonholdError` if the public keys cannot be fetched. Does not detect that a token was revoked; `userTokens.verify` does.
 */
export async function verifyUserToken(token: string, { url, apiKey, issuer }: UserTokenOptions): Promise<UserToken> {
  const server = serverOf({ url }).url
  const { header, claims, signed, signature } = parse(token)
  // The server signs with ES256 only. A token must not choose the algorithm that it is verified with.
  if (header.alg !== 'ES256' || typeof header.kid !== 'string' || 'crit' in header) throw malformed()
  if (claims.aud !== apiKey) throw invalid('other_api_key', 'The token belongs to another API key.')
  const key = await signingKey(`${server}/v2/auth/jwks/${encodeURIComponent(apiKey)}`, header.kid)
  if (key === undefined)
    throw invalid('signing_key_unknown', 'The API key has no such signing key, or no longer has it.')
  if (!(await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, signature, signed)))
    throw invalid('signature_wrong', 'The token was not signed with the key that it names.')
  return validated(claims, issuer ?? server)
}

interface Claims {
  iss?: unknown
  sub?: unknown
  aud?: unknown
  iat?: unknown
  exp?: unknown
  nbf?: unknown
  jti?: unknown
  since_ms?: unknown
  name?: string
  email?: string
  isAdmin?: boolean
}

function validated(claims: Claims, issuer: string): UserToken {
  const { iss, sub, iat, exp, nbf, jti, since_ms: sinceMs, name, email, isAdmin } = claims
  const now = Date.now() / 1_000
  if (iss !== issuer)
    throw invalid(
      'other_issuer',
      `The token was issued by ${String(iss)}, not by ${issuer}: is issuer the PUBLIC_URL of the server?`,
    )
  if (typeof sub !== 'string' || typeof iat !== 'number' || typeof exp !== 'number' || typeof jti !== 'string')
    throw malformed()
  if (exp <= now) throw invalid('expired', 'The token has expired.')
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now))
    throw invalid('not_yet_valid', 'The token is not valid yet.')
  const since = typeof sinceMs === 'number' ? { sinceMs } : {}
  return { userId: sub, name, email, isAdmin, issuedAt: iat, expiresAt: exp, jti, ...since }
}

const invalid = (reason: UserTokenFault, message: string) => new VerificationError(reason, message)
const malformed = () => invalid('malformed', 'This is not a user token.')

function parse(token: string) {
  const parts = String(token).split('.')
  const [header = '', claims = '', signature = ''] = parts
  const bytes = fromBase64(signature)
  if (parts.length !== 3 || bytes === undefined) throw malformed()
  return {
    header: objectOf(header) as { alg?: unknown; kid?: unknown },
    claims: objectOf(claims) as Claims,
    signed: utf8(`${header}.${claims}`),
    signature: bytes,
  }
}

function objectOf(part: string): object {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(part)))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {} // not base64, UTF-8 or JSON
  throw malformed()
}

interface PublicJwk {
  kty?: string
  crv?: string
  kid?: string
  x?: string
  y?: string
}

interface KeySet {
  fetchedAt: number
  /** When a token with an unknown `kid` last caused a refresh. */
  refreshedAt: number
  keys: Promise<ReadonlyMap<string, CryptoKey>>
}

/** A removed key keeps verifying tokens for this long; the server sends the same `max-age`. */
const CACHE_MS = 60_000
/** The shortest time between two refreshes, so that forged tokens with an unknown `kid` cannot cause a fetch each. */
const REFRESH_INTERVAL_MS = 5_000
const SETS_MAX = 100
const FETCH_TIMEOUT_MS = 10_000

/** The sets by address; the most recently fetched set is last. */
const sets = new Map<string, KeySet>()

async function signingKey(address: string, kid: string): Promise<CryptoKey | undefined> {
  const now = performance.now()
  const known = sets.get(address)
  if (known === undefined || now - known.fetchedAt >= CACHE_MS) return (await fetchSet(address).keys).get(kid)
  const key = (await known.keys).get(kid)
  if (key !== undefined) return key
  const newest = sets.get(address) ?? known // another call may have refreshed it meanwhile
  if (newest === known && now - known.refreshedAt < REFRESH_INTERVAL_MS) return undefined
  return (await (newest === known ? fetchSet(address, { ...known, refreshedAt: now }) : newest).keys).get(kid)
}

/** Keeps the previous set if the fetch fails. */
function fetchSet(address: string, previous?: KeySet): KeySet {
  const refreshedAt = previous?.refreshedAt ?? Number.NEGATIVE_INFINITY
  const set = { fetchedAt: performance.now(), refreshedAt, keys: fetchKeys(address) }
  sets.delete(address)
  sets.set(address, set)
  for (const oldest of sets.keys()) if (sets.size > SETS_MAX) sets.delete(oldest)
  set.keys.catch(() => {
    if (sets.get(address) !== set) return
    if (previous === undefined) sets.delete(address)
    else sets.set(address, previous)
  })
  return set
}

async function fetchKeys(address: string): Promise<ReadonlyMap<string, CryptoKey>> {
  const unavailable = (why: string, cause?: unknown) =>
    new CommonholdError({
      operation: 'verifyUserToken',
      status: 'UNAVAILABLE',
      reason: 'unreachable',
      message: `Cannot fetch the public keys from ${address}${why}. Is the server running, and is the url right?`,
      cause,
    })
  try {
    const response = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
    if (!response.ok) throw unavailable(` (${response.status})`)
    const { keys } = (await response.json()) as { keys?: PublicJwk[] }
    if (!Array.isArray(keys)) throw unavailable(', which has no key set')
    const ours = keys.filter(({ kty, crv, kid }) => kty === 'EC' && crv === 'P-256' && kid !== undefined)
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
    const imported = ours.map(
      async (jwk) => [jwk.kid ?? '', await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])] as const,
    )
    return new Map(await Promise.all(imported))
  } catch (error) {
    throw error instanceof CommonholdError ? error : unavailable(causeOf(error), error)
  }
}
