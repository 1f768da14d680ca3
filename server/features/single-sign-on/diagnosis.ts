/** Finds out from an error why a connection to a provider does not work (rules/operators.md#single-sign-on). */
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import type { SsoProblem } from '#contract/workspace/sso-config.ts'
import { OutboundFailed } from '#platform/outbound/outbound-fetch.ts'
import type { SignInFailure } from './failure.ts'
import {
  type Connection,
  type Details,
  declined,
  discoveryInvalid,
  discoveryUrl,
  problem,
  secretWrong,
  shown,
  tokenProblem,
} from './problems.ts'

/** The step at which it failed: `url` is the address of the provider that was called last. */
export interface Step {
  client: Connection
  part: 'discovery' | 'token' | 'user info'
  url: string
}

/** A failure for the person who signs in, and the problem for an owner. */
export interface Diagnosis {
  failure: SignInFailure
  problem: SsoProblem
}

/** Returns undefined for errors that are not about the provider: faults of this server. */
export function diagnose(error: unknown, step: Step): Diagnosis | undefined {
  if (error instanceof AuthorizationResponseError) return { failure: 'declined', problem: declined(error.error) }
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) return refused(error, step)
  if (error instanceof OutboundFailed) return unreachable(error, step)
  if (error instanceof ClientError || (error as Error | undefined)?.name === 'OperationProcessingError')
    return ofLibrary(error as ClientError, step)
  // A configuration whose addresses are none.
  if (error instanceof TypeError && step.part === 'discovery')
    return { failure: 'misconfigured', problem: discoveryInvalid(step.client) }
  return undefined
}

function unreachable({ code }: OutboundFailed, { part, url }: Step): Diagnosis {
  const isIssuer = part === 'discovery'
  return {
    failure: 'not_reached',
    problem: problem(
      isIssuer ? 'issuer_unreachable' : 'endpoint_unreachable',
      isIssuer ? 'issuer' : 'provider',
      `The provider could not be reached at ${shown(url)}: ${inWords(code)}`,
      isIssuer
        ? 'Check the issuer URL, and that this server can connect to it.'
        : 'The configuration of the provider names this address. Check that this server can connect to it.',
    ),
  }
}

const UNREACHABLE: Record<string, string> = {
  ENOTFOUND: 'there is no such host.',
  ENODATA: 'there is no such host.',
  ECONNREFUSED: 'the host refuses connections.',
  ECONNRESET: 'the host closed the connection.',
  timeout: 'it did not respond in time.',
  address_not_allowed: 'its address is internal, and this server connects only to public addresses.',
  response_too_large: 'its response is too long.',
}

function inWords(code: string): string {
  if (/CERT|TLS|SSL|ALTNAME|SELF_SIGNED|VERIFY/.test(code)) return `its certificate is not valid (${code}).`
  return UNREACHABLE[code] ?? `${code}.`
}

function ofLibrary(error: ClientError, step: Step): Diagnosis {
  const { cause } = error
  if (cause instanceof OutboundFailed) return unreachable(cause, step)
  if (cause instanceof Response) return unexpectedStatus(cause, step)
  if (step.part === 'discovery') return ofDiscovery(error, step)
  if (step.part === 'user info')
    return {
      failure: 'invalid',
      problem: problem(
        'user_info_invalid',
        'provider',
        'The user info of the provider is about another account than its ID token, or is not valid.',
        'Ask the people who manage the provider.',
      ),
    }
  return { failure: 'invalid', problem: tokenProblem(error, detailsOf(error), step.client) }
}

/** The library wraps its errors. */
function detailsOf({ cause }: { cause?: unknown }): Details {
  const inner = cause instanceof Error ? cause.cause : cause
  return typeof inner === 'object' && inner !== null ? (inner as Details) : {}
}

function ofDiscovery(error: ClientError, step: Step): Diagnosis {
  const { body, attribute } = detailsOf(error)
  if (error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' || attribute !== 'issuer')
    return { failure: 'misconfigured', problem: discoveryInvalid(step.client) }
  const named = shown(body?.issuer)
  return {
    failure: 'invalid',
    problem: problem(
      'issuer_differs',
      'issuer',
      `The provider at this address calls itself ${named}, not ${step.client.issuer}.`,
      `If that is your provider, set the issuer URL to ${named}, exactly.`,
    ),
  }
}

function unexpectedStatus({ status }: Response, step: Step): Diagnosis {
  const failure = status >= 500 ? 'not_reached' : step.part === 'discovery' ? 'misconfigured' : 'invalid'
  if (step.part === 'discovery')
    return {
      failure,
      problem:
        status === 200
          ? discoveryInvalid(step.client)
          : problem(
              'discovery_missing',
              'issuer',
              `There is no provider at this issuer URL: ${discoveryUrl(step.client)} responds with HTTP ${status}.`,
              'Check the issuer URL: the address of the provider, with its realm or tenant, without /.well-known.',
            ),
    }
  return {
    failure,
    problem: problem(
      'endpoint_failed',
      'provider',
      `The provider responds with HTTP ${status} at ${shown(step.url)}.`,
      'Try again. If it fails again, ask the people who manage the provider.',
    ),
  }
}

function refused(error: ResponseBodyError | WWWAuthenticateChallengeError, { part, client }: Step): Diagnosis {
  const code = error instanceof ResponseBodyError ? shown(error.error) : ''
  if (part === 'user info')
    return {
      failure: 'invalid',
      problem: problem(
        'user_info_refused',
        'provider',
        'The provider does not show the user info of the account that it has signed in.',
        'Allow the application the scopes openid, email and profile at the provider.',
      ),
    }
  if (code === 'invalid_client' || error.status === 401)
    return { failure: 'misconfigured', problem: secretWrong(client) }
  if (code === 'unauthorized_client') return { failure: 'misconfigured', problem: declined(code) }
  return {
    failure: 'invalid',
    problem: problem(
      'token_refused',
      'provider',
      `The provider does not redeem its own code (${code}).`,
      'Try again. If it fails again, the log of the provider has the reason.',
    ),
  }
}
