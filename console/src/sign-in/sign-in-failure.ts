/** Explains why signing in failed. */
import { CommonholdError, type Fault } from '#sdk/errors.ts'
import { inWords } from '../components/feedback/fault-words.ts'
import { SENDS_LOGIN_LINKS } from '../page-data.ts'

export type SignInKind = 'workspace' | 'apiKey'

export interface SignInFailure {
  message: string
  requestId?: string | undefined
}

const REFUSED: Record<SignInKind, string> = {
  workspace:
    'This workspace id and token do not match. Check that you copied each of them completely; the token may also have been revoked or may have expired.',
  apiKey:
    'This API key and auth token do not match. The token may have been revoked or may have expired, or the key may be disabled.',
}

const NOT_A_USER_TOKEN =
  'This is a user token. It represents one user of your application and cannot open the console. Sign in with an auth token of the API key.'

const PAGE_FAILURE: SignInFailure = { message: 'Something went wrong on this page. Reload it and try again.' }

/** A user token is a JWT, which has three parts. */
const isUserToken = (token: string): boolean => /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(token)

export function signInFailure(error: unknown, kind: SignInKind, token: string): SignInFailure {
  if (!(error instanceof CommonholdError)) return PAGE_FAILURE
  return { message: isUserToken(token) ? NOT_A_USER_TOKEN : messageOf(error, kind), requestId: error.requestId }
}

const messageOfFault = ([fault]: readonly Fault[]): string | undefined => fault && inWords(fault)

/** Explains why a workspace was not created. */
export function signUpFailure(error: unknown): SignInFailure {
  if (!(error instanceof CommonholdError)) return PAGE_FAILURE
  const { reason, explanation, faults, requestId } = error
  if (reason === 'signup_token_wrong')
    return { message: 'This is not the sign-up token of this server. The server prints it when it starts.', requestId }
  return { message: messageOfFault(faults) ?? explanation, requestId }
}

/** Explains why a link to sign in was not sent. */
export function linkRequestFailure(error: unknown): SignInFailure {
  if (!(error instanceof CommonholdError)) return PAGE_FAILURE
  return { message: messageOfFault(error.faults) ?? messageOf(error, 'workspace'), requestId: error.requestId }
}

/** Explains why an address leads to no provider. A `RangeError` has the domain that none has verified. */
export function companyFailure(error: unknown): SignInFailure {
  if (error instanceof RangeError)
    return {
      message: `Nobody has set up sign-in with a company for addresses at ${error.message} here. Check the address, or ask a colleague for the link of your company.`,
    }
  return linkRequestFailure(error)
}

/** Explains why a link did not sign in. */
export function linkFailure(error: unknown): SignInFailure {
  if (!(error instanceof CommonholdError)) return PAGE_FAILURE
  const isRefused = error.reason === 'credentials_invalid' || error.status === 'INVALID_ARGUMENT'
  const message = isRefused
    ? 'This link was used already, was replaced by another one, or has expired. Ask for another one.'
    : messageOf(error, 'workspace')
  return { message, requestId: error.requestId }
}

/** Explains why the first workspace was not created. */
export function firstVisitFailure(error: unknown): SignInFailure {
  if (!(error instanceof CommonholdError)) return PAGE_FAILURE
  const { reason, faults, requestId } = error
  if (reason !== 'credentials_invalid')
    return { message: messageOfFault(faults) ?? messageOf(error, 'workspace'), requestId }
  return {
    message: 'This link was used already, or the server has printed a newer one. Sign in, or look at its output.',
    requestId,
  }
}

/** Explains why a passkey did not sign in: the server refused it, or the browser had none. */
export function passkeyFailure(error: unknown): SignInFailure {
  if (!(error instanceof CommonholdError))
    return {
      message: `No passkey was used. Sign in with a ${SENDS_LOGIN_LINKS ? 'link' : 'token'}, and add a passkey in your account.`,
    }
  const isRefused = error.reason === 'credentials_invalid'
  const message = isRefused
    ? 'This passkey is not known here. It may have been removed.'
    : messageOf(error, 'workspace')
  return { message, requestId: error.requestId }
}

function messageOf({ reason, status, explanation, retryAfterMs = 60_000 }: CommonholdError, kind: SignInKind): string {
  if (reason === 'credentials_invalid' || status === 'INVALID_ARGUMENT') return REFUSED[kind]
  if (reason === 'rate_limited')
    return `Too many attempts from this address. Try again in ${Math.ceil(retryAfterMs / 1000)} seconds.`
  return status === 'UNAVAILABLE' ? 'The server is unreachable. Try again when it is back.' : explanation
}
