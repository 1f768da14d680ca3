/**
 * Talks to OpenID Connect providers, whose addresses customers choose: every connection goes through the guard of outgoing connections
 * (rules/events.md#outgoing-connections). The library checks the responses: issuer, audience, nonce, expiry and signature of ID tokens.
 */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
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
} from 'openid-client'
import type { Kernel } from '#kernel'
import { createOutboundFetch } from '#platform/outbound/outbound-fetch.ts'
import { type Account, accountOf, isSubject } from './account.ts'
import { diagnose, type Step } from './diagnosis.ts'
import { SignInFailed } from './failure.ts'
import { type Connection, declined, noIdToken, notUsable, refusedRequest } from './problems.ts'

/** The time limit of each request. */
const TIMEOUT_MS = 5_000
const RESPONSE_BYTES_MAX = 2 ** 20

/** The characters of access tokens (RFC 6749, appendix A.12): a header has no others. */
const ACCESS_TOKEN = /^[\x20-\x7e]+$/

/** The secrets that tie a sign-in to the browser that started it. */
export interface SignInSecrets {
  state: string
  nonce: string
  verifier: string
}

export type Providers = ReturnType<typeof createProviders>

export function createProviders({ config }: Kernel) {
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE
  const outbound = createOutboundFetch({ allowPrivate })

  /** Sends the requests of the library, and records the address of the last one. */
  const sender =
    (step: Step): CustomFetch =>
    (url, { method, headers, body, signal }) => {
      step.url = url
      return outbound.fetch(url, {
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        body: body === null || body === undefined ? null : String(body),
        timeoutMs: TIMEOUT_MS,
        responseBytesMax: RESPONSE_BYTES_MAX,
        ...(signal === undefined ? {} : { signal }),
      })
    }

  const discover = (step: Step): Promise<Configuration> => {
    const { issuer, clientId, clientSecret } = step.client
    return discovery(new URL(issuer), clientId, undefined, authOf(clientSecret), {
      [customFetch]: sender(step),
      // Without it the library would rely on TLS alone for the signature of ID tokens.
      execute: [enableNonRepudiationChecks, ...(allowPrivate ? [allowInsecureRequests] : [])],
    })
  }

  async function urlOf(configuration: Configuration, redirectUri: string, secrets: SignInSecrets): Promise<URL> {
    const { state, nonce, verifier } = secrets
    return buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: scopeOf(configuration),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
  }

  return {
    /** Returns the address of the provider to send the browser to. Throws `SignInFailed`. */
    authorizationUrl: (client: Connection, redirectUri: string, secrets: SignInSecrets) =>
      explained(client, async (step) => urlOf(await discover(step), redirectUri, secrets)),

    /** Returns the account that the provider signed in, by the address that it sent the browser to. Throws `SignInFailed`. */
    account: (client: Connection, callback: URL, { state, nonce, verifier }: SignInSecrets): Promise<Account> =>
      explained(client, async (step) => {
        const configuration = await discover(step)
        step.part = 'token'
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
        const tokens = await authorizationCodeGrant(configuration, callback, checks)
        const claims = tokens.claims()
        if (claims === undefined) throw new SignInFailed('invalid', { detail: 'no ID token', problem: noIdToken() })
        if (!isSubject(claims.sub)) throw unusable('the subject of the account')
        if (!ACCESS_TOKEN.test(tokens.access_token)) throw unusable('the access token')
        step.part = 'user info'
        const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined
        const more = hasUserInfo ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {}
        return accountOf(claims, more)
      }),

    /**
     * Asks the provider whether it knows the client, its redirect URI and its secret, without signing anybody in: by a request
     * that a browser would send, and by a code that it has not issued, for which it checks the secret first. Throws `SignInFailed`.
     */
    check: (client: Connection, redirectUri: string): Promise<void> =>
      explained(client, async (step) => {
        const configuration = await discover(step)
        const secrets = { state: 'test', nonce: 'test', verifier: 'test'.repeat(11) }
        const url = await urlOf(configuration, redirectUri, secrets)
        await checkRequest(url, redirectUri, client)
        step.part = 'token'
        await checkSecret(configuration, redirectUri, step)
      }),

    close: outbound.close,
  }

  /** Some providers show a page about a fault of the request, others redirect with it. A provider that only browsers reach is not asked. */
  async function checkRequest(url: URL, redirectUri: string, { clientId }: Connection): Promise<void> {
    const headers = { accept: 'application/json, text/html;q=0.9' }
    const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax: RESPONSE_BYTES_MAX }
    const response = await outbound
      .fetch(url.href, { method: 'GET', headers, body: null, ...limits })
      .catch(() => undefined)
    if (response === undefined) return
    const location = URL.parse(response.headers.get('location') ?? '', url.href)
    const error = location?.href.startsWith(redirectUri) === true ? location.searchParams.get('error') : null
    // The connection test has no person, so the provider may respond that one must sign in.
    if (error !== null && !/_required$/.test(error))
      throw new SignInFailed('declined', { detail: 'authorization request', problem: declined(error) })
    const refusal = refusedRequest(response.status, await response.text(), { clientId, redirectUri })
    if (refusal !== undefined) throw new SignInFailed('misconfigured', { detail: refusal.code, problem: refusal })
  }

  async function checkSecret(configuration: Configuration, redirectUri: string, step: Step): Promise<void> {
    const callback = new URL(redirectUri)
    const parameters = { code: 'test', state: 'test', iss: configuration.serverMetadata().issuer }
    for (const [name, value] of Object.entries(parameters)) callback.searchParams.set(name, value)
    const checks = { expectedState: 'test', expectedNonce: 'test', pkceCodeVerifier: 'test'.repeat(11) }
    try {
      await authorizationCodeGrant(configuration, callback, checks)
    } catch (error) {
      // It refuses the code, as it should. Only what it says about the client counts, and that it does not respond.
      const found = diagnose(error, step)
      if (found === undefined || found.failure === 'not_reached' || /^client_secret/.test(found.problem.code))
        throw error
    }
  }
}

const unusable = (what: string) =>
  new SignInFailed('invalid', { detail: `${what} is not usable`, problem: notUsable(what) })

/** `client_secret_basic` is the method of providers that name none. */
const authOf = (secret: string): ClientAuth =>
  secret === ''
    ? None()
    : (server, ...request) => {
        const { token_endpoint_auth_methods_supported: named } = server
        const methods = Array.isArray(named) ? named : ['client_secret_basic']
        const auth = methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret)
        auth(server, ...request)
      }

/** Some providers send groups only if asked for; others refuse scopes that they do not know. */
function scopeOf(configuration: Configuration): string {
  const { scopes_supported: known = [] } = configuration.serverMetadata()
  return known.includes('groups') ? 'openid email profile groups' : 'openid email profile'
}

/** Runs `work`, and turns failures of the provider into `SignInFailed`. Other errors are faults of this server, and surface. */
async function explained<Result>(client: Connection, work: (step: Step) => Promise<Result>): Promise<Result> {
  const step: Step = { client, part: 'discovery', url: client.issuer }
  try {
    return await work(step)
  } catch (error) {
    const found = error instanceof SignInFailed ? undefined : diagnose(error, step)
    if (found === undefined) throw error
    throw new SignInFailed(found.failure, { detail: found.problem.code, problem: found.problem })
  }
}
