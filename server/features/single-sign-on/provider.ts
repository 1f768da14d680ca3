/**
 * Talks to OpenID Connect providers, whose addresses customers choose: every connection goes through the guard of outgoing connections
 * (rules/events.md#outgoing-connections). The library checks the responses: issuer, audience, nonce, expiry and signature of ID tokens.
 */
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import type { Kernel } from '#kernel'
import { createOutboundFetch, OutboundFailed } from '#platform/outbound/outbound-fetch.ts'
import { type Account, accountOf } from './account.ts'
import type { ActiveConfig } from './config.ts'
import { SignInFailed } from './failure.ts'

/** Of each request. */
const TIMEOUT_MS = 5_000
const RESPONSE_BYTES_MAX = 2 ** 20

/** What ties a sign-in to the browser that started it. */
export interface SignInSecrets {
  state: string
  nonce: string
  verifier: string
}

export type Client = Pick<ActiveConfig, 'issuer' | 'clientId' | 'clientSecret'>

export function createProviders({ config }: Kernel) {
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE
  const outbound = createOutboundFetch({ allowPrivate })
  const send: CustomFetch = (url, { method, headers, body, signal }) =>
    outbound.fetch(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      body: body === null || body === undefined ? null : String(body),
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: RESPONSE_BYTES_MAX,
      ...(signal === undefined ? {} : { signal }),
    })

  const discover = ({ issuer, clientId, clientSecret }: Client): Promise<Configuration> =>
    discovery(new URL(issuer), clientId, undefined, authOf(clientSecret), {
      [customFetch]: send,
      // Without it the library would rely on TLS alone for the signature of ID tokens.
      execute: [enableNonRepudiationChecks, ...(allowPrivate ? [allowInsecureRequests] : [])],
    })

  return {
    /** Returns the address of the provider to send the browser to. Throws `SignInFailed`. */
    authorizationUrl: (client: Client, redirectUri: string, { state, nonce, verifier }: SignInSecrets) =>
      explained(async () => {
        const configuration = await discover(client)
        return buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: scopeOf(configuration),
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
      }),

    /** Returns the account that the provider signed in, by the address that it sent the browser to. Throws `SignInFailed`. */
    account: (client: Client, callback: URL, { state, nonce, verifier }: SignInSecrets): Promise<Account> =>
      explained(async () => {
        const configuration = await discover(client)
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
        const tokens = await authorizationCodeGrant(configuration, callback, checks)
        const claims = tokens.claims()
        if (claims === undefined) throw new SignInFailed('invalid', 'no ID token')
        const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined
        const more = hasUserInfo ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {}
        return accountOf(claims, more)
      }),

    close: outbound.close,
  }
}

/** `client_secret_basic` is the method of providers that name none. */
const authOf = (secret: string): ClientAuth =>
  secret === ''
    ? None()
    : (server, ...request) => {
        const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
        const auth = methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret)
        auth(server, ...request)
      }

/** Some providers send groups only if asked for; others refuse scopes that they do not know. */
function scopeOf(configuration: Configuration): string {
  const { scopes_supported: known = [] } = configuration.serverMetadata()
  return known.includes('groups') ? 'openid email profile groups' : 'openid email profile'
}

/** Runs `work`, and turns failures of the provider into `SignInFailed`. Other errors are faults of this server, and surface. */
async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw failureOf(error) ?? error
  }
}

function failureOf(error: unknown): SignInFailed | undefined {
  if (error instanceof AuthorizationResponseError) return new SignInFailed('declined')
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError)
    return new SignInFailed('invalid', error.code)
  if (!(error instanceof ClientError)) return undefined
  const { cause, code, message } = error
  if (cause instanceof OutboundFailed) return new SignInFailed('not_reached', cause.code)
  const isDown = code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' && cause instanceof Response && cause.status >= 500
  return new SignInFailed(isDown ? 'not_reached' : 'invalid', code ?? message)
}
