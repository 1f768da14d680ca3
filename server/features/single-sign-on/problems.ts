/** Says in words what is wrong with a connection to a provider, and which setting to change. */
import type { SsoProblem } from '#contract/workspace/sso-config.ts'
import type { ActiveConfig } from './config.ts'

export type Connection = Pick<ActiveConfig, 'issuer' | 'clientId' | 'clientSecret'>

type Setting = SsoProblem['setting']

export const problem = (code: string, setting: Setting, message: string, next: string): SsoProblem => ({
  ...{ code, setting, message, next },
})

const LONGEST_SHOWN = 200

/** Text of the provider, for an owner who tests: cut, and without what could change the text around it. */
export const shown = (text: unknown): string =>
  String(text)
    .slice(0, LONGEST_SHOWN)
    .toWellFormed()
    .replace(/[\p{C}\u2028\u2029]/gu, '')

export const discoveryUrl = ({ issuer }: Connection): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

export const discoveryInvalid = (client: Connection): SsoProblem =>
  problem(
    'discovery_invalid',
    'issuer',
    `${discoveryUrl(client)} is not the configuration of an OpenID Connect provider.`,
    'Check the issuer URL: the address of the provider, without /.well-known.',
  )

/** The error of the library about a response that it refuses. */
export interface Details {
  claims?: { exp?: number; iat?: number; nbf?: number }
  now?: number
  claim?: string
  body?: { issuer?: unknown }
  attribute?: string
}

export const secretWrong = ({ clientSecret }: Connection): SsoProblem =>
  clientSecret === ''
    ? problem(
        'client_secret_missing',
        'clientSecret',
        'The provider wants a client secret, and none is set.',
        'Copy the client secret of the application at the provider.',
      )
    : problem(
        'client_secret_wrong',
        'clientSecret',
        'The provider knows the client id, and does not accept the client secret.',
        'Copy the secret again: all of it, its value and not its id. It may have expired, or have been replaced.',
      )

export function tokenProblem(
  error: Error & { code?: string | undefined },
  { claims, now, claim }: Details,
  { issuer }: Connection,
): SsoProblem {
  const { code } = error
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return clockDiffers(claims, now)
  if (code === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED' && (claim === 'aud' || claim === 'azp'))
    return problem(
      'audience_differs',
      'clientId',
      'The ID token is made out for another client than the client id.',
      'Check the client id, and the audience of ID tokens at the provider.',
    )
  if (code === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED' && claim === 'iss')
    return problem(
      'token_issuer_differs',
      'issuer',
      `The ID token names another issuer than ${issuer}.`,
      'Set the issuer URL that the provider writes into its ID tokens: often one with the id of a tenant.',
    )
  const inner = error.cause instanceof Error ? error.cause.message : error.message
  if (code === 'OAUTH_KEY_SELECTION_FAILED' || /signature verification/.test(inner))
    return problem(
      'signing_key_unknown',
      'provider',
      'The ID token is signed with a key that the provider does not publish.',
      'Check that the issuer URL is that of the right realm or tenant, and the signing keys of the application at the provider.',
    )
  if (/"alg"/.test(inner) || code === 'OAUTH_UNSUPPORTED_OPERATION')
    return problem(
      'signing_algorithm_unexpected',
      'provider',
      'The ID token is not signed, or in a way that the configuration of the provider does not name.',
      'Let the provider sign ID tokens with RS256, or another algorithm with a public key.',
    )
  return problem(
    'token_invalid',
    'provider',
    `The ID token does not pass the security checks${claim === undefined ? '' : ` (${claim})`}.`,
    'Start the test again. If it fails again, ask the people who manage the provider.',
  )
}

/** From this difference on, the clocks are the reason. */
const SKEW_SECONDS = 60

function clockDiffers(claims: Details['claims'] = {}, now = 0): SsoProblem {
  const issued = claims.iat ?? claims.nbf ?? now
  const seconds = Math.abs(issued - now)
  const which = issued < now ? 'behind' : 'ahead of'
  return problem(
    'clock_skew',
    'server',
    seconds < SKEW_SECONDS
      ? 'The ID token had expired when it arrived.'
      : `The clock of the provider is ${durationOf(seconds)} ${which} the clock of this server.`,
    'Set the clock of the machine that is wrong, by NTP; or let the provider issue ID tokens for five minutes or more.',
  )
}

const durationOf = (seconds: number): string =>
  seconds < 2 * 3600 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`

/** The codes of refusals that the standard names (OpenID Connect Core, RFC 6749). */
const DECLINED: Record<string, [setting: Setting, message: string, next: string]> = {
  access_denied: [
    'provider',
    'The provider did not let this account in, or the person declined.',
    'Give the account, or one of its groups, access to the application at the provider.',
  ],
  unauthorized_client: [
    'provider',
    'The client is not allowed to sign people in with a code.',
    'Allow the authorization code flow for the application at the provider.',
  ],
  invalid_scope: [
    'provider',
    'The provider does not allow the scopes openid, email and profile.',
    'Allow the application these scopes at the provider.',
  ],
  unsupported_response_type: [
    'provider',
    'The provider does not support the authorization code flow for this client.',
    'Allow the authorization code flow (response type "code") for the application at the provider.',
  ],
}

export function declined(code: string): SsoProblem {
  const known = Object.hasOwn(DECLINED, code) ? DECLINED[code] : undefined
  if (known !== undefined) return problem(code, ...known)
  return problem(
    'declined',
    'provider',
    'The provider did not sign this account in.',
    'Start the test again. If it fails again, the log of the provider has the reason.',
  )
}

export const noIdToken = (): SsoProblem =>
  problem(
    'token_missing',
    'provider',
    'The provider has sent no ID token.',
    'Check that the provider speaks OpenID Connect, and that the application may ask for the scope openid.',
  )

export const notUsable = (what: string): SsoProblem =>
  problem(
    'value_unusable',
    'provider',
    `The provider sends a value as ${what} that cannot be one.`,
    'Ask the people who manage the provider: it does not keep to OpenID Connect.',
  )

/** With which providers refuse a request. The first two count also without words that we know; the others may be about robots. */
const REFUSALS = [400, 401, 403, 404]
const CLEAR_REFUSALS = REFUSALS.slice(0, 2)

/** The texts of providers' pages about a redirect URI, and about a client, that they do not know. Some repeat the query. */
const UNKNOWN_REDIRECT = /redirect[ _-]?ur[il](?!=)|AADSTS50011/i
const UNKNOWN_CLIENT =
  /invalid[_ ]client|client (?:is )?(?:invalid|not found|unknown)|unknown client|'client_id' parameter|AADSTS700016/i

/** Returns the problem that the response to the authorization request shows; undefined if it leads to a sign-in. */
export function refusedRequest(
  status: number,
  text: string,
  { clientId, redirectUri }: { clientId: string; redirectUri: string },
): SsoProblem | undefined {
  // Some providers show their refusals as pages that succeed, with a code of their own.
  if (!REFUSALS.includes(status) && !/AADSTS(50011|700016)/.test(text)) return undefined
  if (UNKNOWN_CLIENT.test(text))
    return problem(
      'client_id_unknown',
      'clientId',
      `The provider does not know the client id ${shown(clientId)}.`,
      'Copy the client id of the application at the provider again.',
    )
  if (UNKNOWN_REDIRECT.test(text))
    return problem(
      'redirect_uri_unregistered',
      'redirectUri',
      `The redirect URI ${redirectUri} is not registered with the provider.`,
      'Register it there for this application, exactly as it is written here.',
    )
  if (!CLEAR_REFUSALS.includes(status)) return undefined
  return problem(
    'request_refused',
    'clientId',
    `The provider refuses to sign anybody in for this client (HTTP ${status}).`,
    `Check the client id, and that the redirect URI ${redirectUri} is registered with the provider.`,
  )
}
