/** Verifies user tokens without a call for each: with the public keys of the API key, which are kept for a minute. */
import { CommonholdError, causeOf } from './errors.ts'
import { serverOf } from './server.ts'
import { fromBase64, utf8, VerificationError } from './verification.ts'

/** What a user token says of its user. */
export interface UserToken {
  userId: string
  name?: string
  email?: string
  isAdmin?: boolean
  /** Unix seconds. */
  issuedAt: number
  /** Unix seconds; at that very second it is over. */
  expiresAt: number
  /** The id of the token, as in the event of its generation. */
  jti: string
  /** Grows with each revocation of the tokens of the user: whoever hears of one can refuse what is older. */
  sinceMs?: number
}

/** Why a token is not valid, as `userTokens.verify` says it. */
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
  /** Tokens of this API key alone are valid. */
  apiKey: string
  /** What the server calls itself (`PUBLIC_URL`). Default: `url`. */
  issuer?: string
}

/**
 * Answers what a valid user token says; otherwise throws a `VerificationError`, to be answered with 401. A
 * `CommonholdError` says that the keys could not be had. It does not see that a token was revoked: `userTokens.verify` does.
 */
export async function verifyUserToken(token: string, { url, apiKey, issuer }: UserTokenOptions): Promise<UserToken> {
  const server = serverOf({ url }).url
  const { header, claims, signed, signature } = parse(token)
  // The server signs with nothing else. What a token says of its own algorithm is not to be believed.
  if (header.alg !== 'ES256' || typeof header.kid !== 'string' || 'crit' in header) throw malformed()
  if (claims.aud !== apiKey) throw invalid('other_api_key', 'The token is of another API key.')
  const key = await signingKey(`${server}/v2/auth/jwks/${encodeURIComponent(apiKey)}`, header.kid)
  if (key === undefined) throw invalid('signing_key_unknown', 'The API key has no such signing key, or has it no more.')
  if (!(await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, signature, signed)))
    throw invalid('signature_wrong', 'The token was not signed with the key that it names.')
  return checked(claims, issuer ?? server)
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

function checked(claims: Claims, issuer: string): UserToken {
  const { iss, sub, iat, exp, nbf, jti, since_ms: sinceMs, name, email, isAdmin } = claims
  const now = Date.now() / 1_000
  if (iss !== issuer)
    throw invalid(
      'other_issuer',
      `The token is of ${String(iss)}, not of ${issuer}: is issuer the PUBLIC_URL of the server?`,
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
const malformed = () => invalid('malformed', 'It is no user token.')

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
  } catch {} // no base64, no UTF-8 or no JSON
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
  /** When a token with an unknown `kid` last made us ask again. */
  askedAgainAt: number
  keys: Promise<ReadonlyMap<string, CryptoKey>>
}

/** A key that was rotated out at once verifies for so long here: the server says so too. */
const KEPT_MS = 60_000
/** Tokens with an unknown `kid` make us ask again, but no more often than this, whoever sends them. */
const ASKED_AGAIN_MS = 5_000
const SETS_MAX = 100
const FETCH_TIMEOUT_MS = 10_000

/** By address, the one that was fetched last at the end. */
const sets = new Map<string, KeySet>()

async function signingKey(address: string, kid: string): Promise<CryptoKey | undefined> {
  const now = performance.now()
  const known = sets.get(address)
  if (known === undefined || now - known.fetchedAt >= KEPT_MS) return (await fetchSet(address).keys).get(kid)
  const key = (await known.keys).get(kid)
  if (key !== undefined) return key
  const newest = sets.get(address) ?? known // somebody may have asked while we waited
  if (newest === known && now - known.askedAgainAt < ASKED_AGAIN_MS) return undefined
  return (await (newest === known ? fetchSet(address, { ...known, askedAgainAt: now }) : newest).keys).get(kid)
}

/** `before` stays in force when it cannot be had. */
function fetchSet(address: string, before?: KeySet): KeySet {
  const askedAgainAt = before?.askedAgainAt ?? Number.NEGATIVE_INFINITY
  const set = { fetchedAt: performance.now(), askedAgainAt, keys: fetchKeys(address) }
  sets.delete(address)
  sets.set(address, set)
  for (const oldest of sets.keys()) if (sets.size > SETS_MAX) sets.delete(oldest)
  set.keys.catch(() => {
    if (sets.get(address) !== set) return
    if (before === undefined) sets.delete(address)
    else sets.set(address, before)
  })
  return set
}

async function fetchKeys(address: string): Promise<ReadonlyMap<string, CryptoKey>> {
  const unavailable = (why: string, cause?: unknown) =>
    new CommonholdError({
      operation: 'verifyUserToken',
      status: 'UNAVAILABLE',
      reason: 'unreachable',
      message: `verifyUserToken: the public keys cannot be had from ${address}${why}. Is the server running, and is the url right?`,
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
